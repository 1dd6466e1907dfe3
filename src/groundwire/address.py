"""What an address says about safety: its host, and whether it is this machine."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit


def host_of(url: str) -> str:
    """The host (and port) of a URL for messages: never a path, query or password."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.hostname or url[:40]}{port}"
    except ValueError:  # a broken port or bracketed host
        return "an unreadable address"


def with_path(base_url: str, path: str) -> str:
    """The base URL, with this path when it names a host only: `https://proxy.example` mirrors the service."""
    bare = base_url.rstrip("/")
    return bare if urlsplit(bare).path else bare + path


def is_loopback(url: str) -> bool:
    """Whether the URL names this machine: localhost, 127.0.0.0/8 or ::1."""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name, not a number
        return False
