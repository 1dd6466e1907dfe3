"""JSON from servers we do not control, read without trusting a single type in it."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from groundwire.transport.retry import error_object

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]+")
_TAG = re.compile(r"<[^>]*>")
_HTML_TITLE = re.compile(rb"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_LONGEST_QUOTE = 400


def decoded(body: bytes | str) -> Any:
    """The JSON value, or None when this is not JSON. Half a character in it becomes the sign for that."""
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _decoded_patiently(body)


def _decoded_patiently(body: bytes | str) -> Any:
    """JSON allows half a character, as an escape, and numbers of any length; msgspec does not."""
    try:
        return _in_whole_characters(json.loads(body, parse_constant=_refuse))
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _in_whole_characters(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_in_whole_characters(item) for item in value]
    if isinstance(value, dict):
        return {_in_whole_characters(key): _in_whole_characters(item) for key, item in value.items()}
    return value


def record(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def records(value: Any) -> list[dict[str, Any]]:
    """The objects in the value if it is a list, else nothing."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def told(body: bytes) -> str:
    """What an error body says, in one line fit for a message: no markup, no control characters, not long."""
    error = error_object(body)
    detail = error.get("detail")
    if isinstance(detail, list):
        detail = "; ".join(text(item.get("msg")) if isinstance(item, dict) else text(item) for item in detail)
    words = text(error.get("message")) or text(detail) or text(error.get("error"))
    if not words and not error:
        title = _HTML_TITLE.search(body)
        words = (title.group(1) if title else body[:2000]).decode("utf-8", "replace")
    return quoted(_TAG.sub(" ", words))


def quoted(words: str) -> str:
    """Foreign words made safe to quote in a message of ours."""
    line = " ".join(_CONTROL.sub(" ", words).split())
    return line if len(line) <= _LONGEST_QUOTE else line[:_LONGEST_QUOTE].rstrip() + "…"
