"""The answer to one request, written as HTTP/1.1: whole with its length, or in chunks, or broken off.

An HTTP/1.0 client knows no chunks; for it the end of the body is the end of the connection.
"""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Protocol

Headers = Iterable[tuple[str, str]]


class Line(Protocol):
    """The connection that a reply goes over."""

    full: bool
    """Whether the client has not read enough of what was sent."""

    @property
    def draining(self) -> bool:
        """Whether the server is stopping."""
        ...

    def write(self, data: bytes) -> None:
        """Send, unless the client is gone."""
        ...

    async def drained(self) -> None:
        """Wait until the client has read enough of what was sent."""
        ...

    def cut(self, *, reset: bool = False) -> None:
        """End the connection here and now; with `reset`, so that the client cannot take it for an end."""
        ...


class Reply:
    """The answer to one request: `send` it whole, or `start`, `write` and `end` it; `cut` breaks it off."""

    __slots__ = (
        "_chunked",
        "_connection",
        "_keep_alive",
        "_old",
        "_without_body",
        "ended",
        "started",
        "status",
    )

    def __init__(self, connection: Line, *, keep_alive: bool, old: bool, without_body: bool) -> None:
        self._connection = connection
        self._keep_alive = keep_alive
        self._old = old
        self._without_body = without_body
        self._chunked = False
        self.started = False
        self.ended = False
        self.status = 0

    def send(self, status: int, headers: Headers, body: bytes) -> None:
        """The whole answer."""
        head = self._head(status, headers, f"content-length: {len(body)}\r\n")
        self.ended = True
        self._connection.write(head if self._without_body else head + body)

    def start(self, status: int, headers: Headers) -> None:
        """The head of an answer whose body follows in pieces."""
        # HTTP/1.0 knows no chunks: there the end of the body is the end of the connection.
        self._chunked = not self._old
        self._keep_alive = self._keep_alive and self._chunked
        self._connection.write(
            self._head(status, headers, "transfer-encoding: chunked\r\n" if self._chunked else "")
        )

    async def write(self, data: bytes) -> None:
        """A piece of the body; returns when the client has room for more."""
        if data and not self._without_body:
            self._connection.write(b"%x\r\n%b\r\n" % (len(data), data) if self._chunked else data)
        if self._connection.full:
            await self._connection.drained()

    def end(self) -> None:
        """The body is complete."""
        self.ended = True
        if self._chunked and not self._without_body:
            self._connection.write(b"0\r\n\r\n")

    def cut(self) -> None:
        """Break off, so that the client sees that the end is missing."""
        self.ended = True
        self._keep_alive = False
        self._connection.cut(reset=not self._chunked)

    @property
    def keeps_connection(self) -> bool:
        """Whether the connection may carry another request after this one."""
        return self._keep_alive

    def _head(self, status: int, headers: Headers, framing: str) -> bytes:
        if self._connection.draining:
            self._keep_alive = False
        self.started, self.status = True, status
        lines = "".join([f"{name}: {value}\r\n" for name, value in headers])
        return f"{_STATUS_LINES[status]}{lines}{framing}{self._fate()}\r\n".encode("latin-1")

    def _fate(self) -> str:
        """What becomes of the connection, where the client cannot know it."""
        if not self._keep_alive:
            return "connection: close\r\n"
        return "connection: keep-alive\r\n" if self._old else ""


class _StatusLines(dict[int, str]):
    def __missing__(self, status: int) -> str:
        try:
            phrase = HTTPStatus(status).phrase
        except ValueError:
            phrase = ""
        line = self[status] = f"HTTP/1.1 {status} {phrase}\r\n"
        return line


_STATUS_LINES = _StatusLines()
