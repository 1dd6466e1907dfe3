"""Base URLs that are safe to send a key to: https anywhere, plain http only to this machine."""

from __future__ import annotations

from urllib.parse import urlsplit

from groundwire.address import is_loopback
from groundwire.errors import InsecureUrl, InvalidConfig

ALLOW_INSECURE = "GROUNDWIRE_ALLOW_INSECURE_HTTP"


def checked_base_url(url: str, *, where: str, allow_insecure: bool) -> str:
    """The URL without its trailing slash; InvalidConfig or InsecureUrl when no key may be sent there."""
    cleaned = url.strip().rstrip("/")
    try:
        parts = urlsplit(cleaned)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise InvalidConfig(f"The base URL from {where} is not a valid address.") from None
    if parts.scheme not in ("http", "https") or not host or not cleaned.isprintable() or " " in cleaned:
        raise InvalidConfig(
            f"The base URL from {where} is not a valid address.",
            hint="It must look like https://host or https://host/path.",
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise InvalidConfig(
            f"The base URL from {where} must not contain a user name, a query or a fragment.",
            hint="It must look like https://host or https://host/path.",
        )
    if parts.scheme == "http" and not allow_insecure and not is_loopback(cleaned):
        raise InsecureUrl(
            f"The base URL from {where} is plain http to {host}, which would send your key in the clear.",
            hint=f"Use https, or allow it with {ALLOW_INSECURE}=1 if you trust the whole way there.",
        )
    return cleaned
