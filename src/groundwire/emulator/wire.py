"""What travels between the adapter and the APIs: a Call comes in, a Reply goes out.

A Call is one HTTP request, parsed once and frozen. A Reply is a status, headers and either a body or
a sequence of Chunks, each with the time to wait before it. Nothing here reads or writes a socket.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import msgspec

JSON_TYPE = "application/json; charset=UTF-8"
EVENT_STREAM_TYPE = "text/event-stream"
HTML_TYPE = "text/html; charset=UTF-8"

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Call:
    """One request, as an API sees it. Header names are in lower case, secrets are as they were sent."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""
    json: Any = None
    """The decoded JSON body; None when there is none (or the literal null)."""
    form: Mapping[str, str] = field(default_factory=dict)
    """The fields of a form-encoded body."""
    captures: Mapping[str, str] = field(default_factory=dict)
    """The named parts of the path, from the route that matched."""
    api: str = ""
    """The name of the API that was called."""
    kind: str = ""
    """The kind of job its route does: generate, count, setup, sign-in, token, ..."""
    scenarios: tuple[str, ...] = ()
    """The scenarios this request plays, in the order they apply."""

    @property
    def media_type(self) -> str:
        """The content type alone, in lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def bearer(self) -> str | None:
        """The bearer token, or None when the header is absent or of another kind."""
        kind, _, token = self.headers.get("authorization", "").partition(" ")
        return token.strip() if kind.lower() == "bearer" and token.strip() else None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a streamed body and the seconds to wait before it is sent."""

    data: bytes
    wait: float = 0.0


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. With `chunks` the body is streamed; with `cut` the connection ends without its end."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    chunks: Iterable[Chunk] | None = None
    wait: float = 0.0
    """Seconds before the first byte."""
    cut: bool = False

    def header(self, name: str) -> str | None:
        """The first header of that name (any case), or None."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


def json_reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """A JSON document."""
    return Reply(status, (("content-type", JSON_TYPE), *(headers or {}).items()), _encode(value))


def html_reply(page: str, status: int = 200) -> Reply:
    """An HTML page."""
    return Reply(status, (("content-type", HTML_TYPE),), page.encode())


def redirect(location: str, status: int = 302) -> Reply:
    """A redirect."""
    return Reply(status, (("location", location),))


def event_stream(
    chunks: Iterable[Chunk], headers: Mapping[str, str] | None = None, status: int = 200
) -> Reply:
    """Server-sent events, already framed."""
    return Reply(status, (("content-type", EVENT_STREAM_TYPE), *(headers or {}).items()), chunks=chunks)


def to_json(value: Any) -> bytes:
    """Compact JSON in UTF-8: one line, as an event's data needs it."""
    return _encode(value)


def form_fields(body: bytes) -> dict[str, str]:
    """The fields of a form-encoded body; the last one wins when a name is repeated."""
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
