"""The body of a request for the Gemini API, cut into its fields without building what is in them."""

from __future__ import annotations

import re

import msgspec
from msgspec import Raw

_ESCAPES = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # both halves
    rb"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|\\."  # any other escape, so that the second backslash of two begins nothing
)

_fields = msgspec.json.Decoder(dict[str, Raw])


def fields_of(body: bytes) -> dict[str, Raw]:
    """The fields of a request and their JSON. Raises msgspec.DecodeError when it is not an object."""
    try:
        return _fields.decode(body)
    except msgspec.DecodeError:
        mended = _mended(body)
        if mended == body:
            raise
    return _fields.decode(mended)


def _mended(body: bytes) -> bytes:
    """The body with halves of characters replaced: JavaScript writes them when it cuts an emoji in two."""
    return _ESCAPES.sub(lambda found: rb"\ufffd" if found["half"] else found[0], body)


def counted(request: dict[str, Raw]) -> dict[str, Raw]:
    """What a countTokens request asks to count: contents alone, or all of a request to generate."""
    for name in ("generateContentRequest", "generate_content_request"):
        if name in request:
            return _fields.decode(request[name])
    return request
