"""Addresses of pages: cleaned for people, compared for equality, named by their host."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

_TRACKING = re.compile(r"(?<=[?&])utm_[a-z_]+=[^&#]*&?")


def is_page(url: object) -> bool:
    """Whether this is a web address: anything else (javascript:, data:, a bare word) is no source."""
    return isinstance(url, str) and url.lower().startswith(("http://", "https://")) and len(url) > 8


def cleaned(url: str) -> str:
    """The address without tracking parameters and text fragments; everything else byte for byte."""
    fragment = url.find("#:~:text=")
    if fragment >= 0:
        url = url[:fragment]
    address, mark, fragment_text = url.partition("#")
    return _TRACKING.sub("", address).rstrip("?&") + mark + fragment_text if "utm_" in address else url


def same_page_key(url: str) -> tuple[str, str, str]:
    """Equal for addresses of one page: host without `www.`, decoded path without its last `/`, query."""
    try:
        parts = urlsplit(cleaned(url))
        return (host(url), unquote(parts.path).rstrip("/"), parts.query)
    except ValueError:  # a broken bracketed host: equal only to itself
        return ("", url, "")


def host(url: str) -> str:
    """The host in lower case without `www.`, or an empty string."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
