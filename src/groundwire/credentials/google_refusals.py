"""Code Assist's refusals as typed errors that say what to do: verification, licence, suspension, perimeter.

The bodies are those reported from the real server; they come with discovery and with generation. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from groundwire.credentials.server_words import https_link, plain
from groundwire.errors import (
    AccountSuspended,
    BlockedByPerimeter,
    CodeAssistRefused,
    NotLicensed,
    ServiceDisabled,
    ValidationRequired,
)
from groundwire.transport.retry import error_object

_SERVICE = "cloudaicompanion.googleapis.com"


def refusal(status: int, body: bytes) -> CodeAssistRefused | None:
    """The typed error for a 403 whose cause is known; None for everything else."""
    if status != 403:
        return None
    error = error_object(body)
    message = plain(error.get("message"))
    reason, metadata = _error_info(error)
    if reason == "VALIDATION_REQUIRED":
        link = https_link(metadata.get("validation_url")) or _help_link(error)
        return validation_required(message, link)
    if reason == "TOS_VIOLATION":
        return _suspended(message, https_link(metadata.get("appeal_url")))
    if reason == "SECURITY_POLICY_VIOLATED":
        return BlockedByPerimeter(f"Your organization's policy blocks Code Assist: {message}")
    if reason == "SERVICE_DISABLED" or "has not been used in project" in message:
        return _disabled(message, metadata)
    if "named user" in message:
        return NotLicensed(f"Google says: {message}")
    return None


def validation_required(message: str, link: str | None) -> ValidationRequired:
    """The error for an account that must be verified, with the page where that is done."""
    words = f"Google wants you to verify the account: {message}" if message else "Verify the account first."
    return ValidationRequired(words, hint=f"Open {link}, verify, then try again." if link else None)


def _suspended(message: str, appeal: str | None) -> AccountSuspended:
    hint = f"Stop using this sign-in (groundwire logout google) and appeal at {appeal}" if appeal else None
    return AccountSuspended(f"Google has suspended Code Assist for this account: {message}", hint=hint)


def _disabled(message: str, metadata: Mapping[str, object]) -> ServiceDisabled:
    project = plain(metadata.get("consumer")).removeprefix("projects/")
    service = plain(metadata.get("service")) or _SERVICE
    hint = f"Enable it: gcloud services enable {service} --project {project}" if project else None
    return ServiceDisabled(f"Google says: {message}", hint=hint)


def _error_info(error: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    """The first reason among an error's details, with its metadata."""
    for detail in _details(error):
        if isinstance(reason := detail.get("reason"), str):
            metadata = detail.get("metadata")
            return reason, metadata if isinstance(metadata, dict) else {}
    return "", {}


def _help_link(error: Mapping[str, object]) -> str | None:
    """The first link of a google.rpc.Help detail: the page to act on; the second only explains."""
    for detail in _details(error):
        links = detail.get("links")
        first = links[0] if isinstance(links, list) and links else None
        if isinstance(first, dict) and (link := https_link(first.get("url"))):
            return link
    return None


def _details(error: Mapping[str, object]) -> list[dict[str, object]]:
    details = error.get("details")
    return [detail for detail in details if isinstance(detail, dict)] if isinstance(details, list) else []
