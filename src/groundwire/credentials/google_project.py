"""Which Google Cloud project Code Assist runs in: a decision tree of plain functions, and what walks it.

    loadCodeAssist ─┬─ 403 by a perimeter ────────────► the project asked for, else BlockedByPerimeter
                    ├─ must be verified ──────────────► ValidationRequired, with the link
                    ├─ has a tier ─┬─ a project ──────► that project, whatever was asked for
                    │              └─ none ───────────► the project asked for, else refused
                    └─ has no tier ──── onboardUser ─┬─ done ──────► its project, else the one asked for
                       (a free tier takes no project) ├─ error ─────► OnboardingFailed
                                                      └─ not yet ───► asked again, at most POLLS times

A refusal is UnsupportedClient or IneligibleAccount when Google named a reason, else ProjectRequired.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from groundwire.credentials.google_refusals import refusal, validation_required
from groundwire.credentials.lock import Sleep
from groundwire.credentials.records import header_text
from groundwire.credentials.server_words import https_link, plain
from groundwire.credentials.token_reply import json_object
from groundwire.errors import (
    BlockedByPerimeter,
    CodeAssistRefused,
    IneligibleAccount,
    OnboardingFailed,
    ProjectRequired,
    TransportError,
    UnsupportedClient,
)
from groundwire.transport.base import Request, Transport
from groundwire.transport.retry import error_object
from groundwire.version import __version__

POLLS = 24
"""How often an unfinished onboarding is looked at; Gemini CLI has no limit, OpenCode's plugin 10."""

POLL_PAUSE = 5.0
"""Seconds between two looks, as Gemini CLI waits."""

FREE_TIER, LEGACY_TIER, STANDARD_TIER = "free-tier", "legacy-tier", "standard-tier"

_MAX_REPLY_BYTES = 1024 * 1024
_OPERATION = re.compile(r"operations/[\w./-]{1,200}")


@dataclass(frozen=True, slots=True)
class Found:
    """The project, and the tier it is used under when that is known."""

    project: str
    tier: str | None = None


@dataclass(frozen=True, slots=True)
class Onboarding:
    """What to ask onboardUser for, and why the account is not eligible for more, if Google said so."""

    tier: str
    project: str | None
    reasons: tuple[Mapping[str, object], ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Pending:
    """An onboarding that goes on under this name."""

    name: str


def checked_project(asked: str | None) -> str | None:
    """The project a person asked for; ProjectRequired for a number, which Code Assist does not take."""
    if asked is not None and asked.isdigit():
        raise ProjectRequired(f"'{asked}' is the number of a project, and Code Assist wants its id.")
    return asked


def load_request(base_url: str, asked: str | None) -> Request:
    """Ask for the person's tier and project."""
    body: dict[str, object] = {"metadata": _metadata(asked)}
    if asked:
        body["cloudaicompanionProject"] = asked
    return _post(base_url, "loadCodeAssist", body)


def judge_load(status: int, body: bytes, asked: str | None) -> Found | Onboarding:
    """Decide what the answer to loadCodeAssist means; every refusal is a CodeAssistRefused."""
    if status != 200:
        refused = _refused(status, body)
        if isinstance(refused, BlockedByPerimeter) and asked:
            return Found(asked, STANDARD_TIER)
        raise refused
    answer = json_object(body)
    current = answer.get("currentTier")
    reasons = _objects(answer.get("ineligibleTiers"))
    if not isinstance(current, dict):
        return _to_onboard(_objects(answer.get("allowedTiers")), reasons, asked)
    project = _project(answer.get("cloudaicompanionProject")) or asked
    if project is None:
        raise _not_eligible(reasons)
    paid = answer.get("paidTier")
    tier = (header_text(paid.get("id")) if isinstance(paid, dict) else None) or header_text(current.get("id"))
    return Found(project, tier or STANDARD_TIER)


def _to_onboard(
    allowed: list[Mapping[str, object]], reasons: list[Mapping[str, object]], asked: str | None
) -> Onboarding:
    for reason in reasons:
        link = https_link(reason.get("validationUrl"))
        if reason.get("reasonCode") == "VALIDATION_REQUIRED" and link:
            raise validation_required(plain(reason.get("validationErrorMessage")), link)
    default = next((tier for tier in allowed if tier.get("isDefault") is True), None)
    tier = default or (allowed[0] if allowed else {"userDefinedCloudaicompanionProject": True})
    name = header_text(tier.get("id")) or LEGACY_TIER
    if name == FREE_TIER:
        return Onboarding(name, None, tuple(reasons))
    if asked is None and tier.get("userDefinedCloudaicompanionProject") is True:
        raise _not_eligible(reasons)
    return Onboarding(name, asked, tuple(reasons))


def onboard_request(base_url: str, onboarding: Onboarding) -> Request:
    """Ask for Code Assist to be set up. With a project, the free tier would be refused."""
    body: dict[str, object] = {"tierId": onboarding.tier, "metadata": _metadata(onboarding.project)}
    if onboarding.project:
        body["cloudaicompanionProject"] = onboarding.project
    return _post(base_url, "onboardUser", body)


def operation_request(base_url: str, pending: Pending) -> Request:
    """Look at an onboarding again."""
    return Request("GET", f"{base_url}/v1internal/{pending.name}", _HEADERS)


def judge_operation(status: int, body: bytes, onboarding: Onboarding, asked: str | None) -> Found | Pending:
    """Decide what the state of an onboarding means."""
    if status != 200:
        raise _refused(status, body)
    operation = json_object(body)
    error = operation.get("error")
    if isinstance(error, dict):
        raise OnboardingFailed(f"Google could not set up Code Assist: {plain(error.get('message'))}")
    if operation.get("done") is not True:
        name = operation.get("name")
        if not isinstance(name, str) or _OPERATION.fullmatch(name) is None or ".." in name:
            raise OnboardingFailed("Google's answer to the set-up of Code Assist cannot be read.")
        return Pending(name)
    response = operation.get("response")
    given = _project(response.get("cloudaicompanionProject")) if isinstance(response, dict) else None
    project = given or asked
    if project is None:
        raise _not_eligible(list(onboarding.reasons))
    return Found(project, onboarding.tier)


async def find_project(
    transport: Transport, base_url: str, asked: str | None, *, sleep: Sleep = asyncio.sleep
) -> Found:
    """Walk the tree. `transport` signs and repeats requests; `sleep` waits between two looks."""
    asked = checked_project(asked)
    step = judge_load(*await _answer(transport, load_request(base_url, asked)), asked)
    if isinstance(step, Found):
        return step
    reply = await _answer(transport, onboard_request(base_url, step))
    for _ in range(POLLS):
        state = judge_operation(*reply, step, asked)
        if isinstance(state, Found):
            return state
        await sleep(POLL_PAUSE)
        reply = await _answer(transport, operation_request(base_url, state))
    final = judge_operation(*reply, step, asked)
    if isinstance(final, Found):
        return final
    raise OnboardingFailed(
        f"Google has not set up Code Assist for this account in {POLLS * POLL_PAUSE / 60:.0f} minutes."
    )


async def _answer(transport: Transport, request: Request) -> tuple[int, bytes]:
    response = await transport.send(request)
    async with response:
        return response.status, await response.read(_MAX_REPLY_BYTES)


def _refused(status: int, body: bytes) -> CodeAssistRefused | TransportError:
    known = refusal(status, body)
    if known is not None:
        return known
    said = plain(error_object(body).get("message"))
    words = f"Code Assist did not tell which project to use: HTTP {status}" + (f", {said}" if said else "")
    if status == 401:
        return CodeAssistRefused(words, hint="Sign in again with: groundwire login google")
    if 400 <= status < 500 and status not in (408, 429):
        return CodeAssistRefused(words)
    return TransportError(words, hint="Try again in a moment.")


def _not_eligible(reasons: list[Mapping[str, object]]) -> CodeAssistRefused:
    if not reasons:
        return ProjectRequired("Code Assist wants to know a Google Cloud project for this account.")
    told = " ".join(dict.fromkeys(text for one in reasons if (text := plain(one.get("reasonMessage")))))
    codes = {plain(one.get("reasonCode")) for one in reasons}
    words = told or f"This account cannot use Code Assist ({', '.join(sorted(codes))})."
    if "UNSUPPORTED_CLIENT" in codes:
        return UnsupportedClient(words)
    return IneligibleAccount(words)


def _project(value: object) -> str | None:
    """A project's id: loadCodeAssist gives a text, onboardUser an object, and either may give the other."""
    return header_text(value.get("id") if isinstance(value, dict) else value)


def _objects(value: object) -> list[Mapping[str, object]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _metadata(project: str | None) -> dict[str, object]:
    metadata: dict[str, object] = {
        "ideType": "IDE_UNSPECIFIED",
        "platform": "PLATFORM_UNSPECIFIED",
        "pluginType": "GEMINI",
    }
    return {**metadata, "duetProject": project} if project else metadata


_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "User-Agent": f"groundwire/{__version__}",
}


def _post(base_url: str, method: str, body: Mapping[str, object]) -> Request:
    return Request("POST", f"{base_url}/v1internal:{method}", _HEADERS, msgspec.json.encode(body))
