"""Server-sent events, read liberally and written strictly, without I/O.

Real servers differ, so everything seen in the wild is accepted: CR, LF and CRLF in any mixture,
`data:` with and without a space, several data lines in one event, comments, a last event without
its blank line, a byte order mark, and chunks that end anywhere, even inside a character.

Real clients differ too, and each deviation breaks one of them, so what is written is as plain as can be:
`data: `, one line of JSON, a blank line; no comments, no end marker.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from groundwire.errors import BodyTooLarge
from groundwire.transport.base import MAX_BODY_BYTES

_LINE_END = re.compile(rb"\r\n|\n|\r")


class Event(NamedTuple):
    """One event: its name (`message` when the server gives none) and its data."""

    name: str
    data: str


class RawEvent(NamedTuple):
    """One event as the bytes it came in; data lines are joined by LF."""

    name: bytes
    data: bytes


class EventParser:
    """Feed it chunks of bytes; it gives back the events they complete. `close` gives what is left."""

    def __init__(self, limit: int = MAX_BODY_BYTES) -> None:
        self._limit = limit
        self._received = 0
        self._raw = RawEventParser(limit)

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that `chunk` completes."""
        self._received += len(chunk)
        if self._received > self._limit:
            raise _too_large(self._limit)
        return [_decoded(event) for event in self._raw.feed(chunk)]

    def close(self) -> list[Event]:
        """The event that was still open when the stream ended, if it had any data."""
        return [_decoded(event) for event in self._raw.close()]


class RawEventParser:
    """The same over bytes, for who hands events on: a stream may be of any length, one event may not."""

    def __init__(self, limit: int = MAX_BODY_BYTES) -> None:
        self._limit = limit
        self._held = 0
        self._unfinished: list[bytes] = []
        self._name = b""
        self._data: list[bytes] = []
        self._started = False

    def feed(self, chunk: bytes) -> list[RawEvent]:
        """The events that `chunk` completes."""
        if not (self._unfinished or self._data or self._name):
            event = _whole_event(chunk)
            if event is not None:
                self._started = True
                return [event]
        self._held += len(chunk)
        if self._held > self._limit:
            raise _too_large(self._limit)
        self._unfinished.append(chunk)
        if b"\n" not in chunk and b"\r" not in chunk:
            return []
        return self._lines(b"".join(self._unfinished))

    def close(self) -> list[RawEvent]:
        """The event that was still open when the stream ended, if it had any data."""
        rest = b"".join(self._unfinished)
        events = self._lines(rest + b"\n") if rest else []
        self._unfinished, self._held = [], 0
        return events + self._dispatch()

    def _lines(self, received: bytes) -> list[RawEvent]:
        # A CR at the very end may be the first half of CRLF: keep it for the next chunk.
        held_back = received[-1:] if received.endswith(b"\r") else b""
        lines = _LINE_END.split(received[: len(received) - len(held_back)])
        rest = lines.pop() + held_back
        self._unfinished = [rest] if rest else []
        events: list[RawEvent] = []
        for line in lines:
            events += self._line(line)
        self._held = len(rest) + sum(map(len, self._data)) + len(self._name)
        return events

    def _line(self, line: bytes) -> list[RawEvent]:
        if not self._started:
            self._started = True
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line:
            return self._dispatch()
        field, _, value = line.partition(b":")
        if field == b"data":
            self._data.append(value.removeprefix(b" "))
        elif field == b"event":
            self._name = value.removeprefix(b" ")
        return []

    def _dispatch(self) -> list[RawEvent]:
        name, data = self._name or b"message", self._data
        self._name, self._data = b"", []
        return [RawEvent(name, b"\n".join(data))] if data else []


def _whole_event(chunk: bytes) -> RawEvent | None:
    """The one event that is the whole chunk: how most servers send them, and the quick way to read one."""
    if not chunk.startswith(b"data: ") or not chunk.endswith((b"\n\n", b"\r\n\r\n")):
        return None
    data = chunk[6:].rstrip(b"\r\n")
    return None if b"\n" in data or b"\r" in data else RawEvent(b"message", data)


def _decoded(event: RawEvent) -> Event:
    return Event(event.name.decode("utf-8", "replace"), event.data.decode("utf-8", "replace"))


def _too_large(limit: int) -> BodyTooLarge:
    return BodyTooLarge(f"The answer is larger than {limit // (1024 * 1024)} MB.")


def as_event(document: bytes) -> bytes:
    """A JSON document as one event, in the form that every real client reads."""
    return b"data: " + one_line(document) + b"\n\n"


def one_line(document: bytes) -> bytes:
    """A JSON document as one line of valid UTF-8, whatever its reader takes for the end of a line.

    In valid JSON a line end stands between tokens only. Python's `splitlines`, which httpx reads events with,
    ends lines at three more characters; inside the strings of JSON they can be written as escapes.
    """
    if b"\n" in document or b"\r" in document:
        document = document.replace(b"\r", b" ").replace(b"\n", b" ")
    if document.isascii():
        return document
    try:
        document.decode()
    except UnicodeDecodeError:
        document = document.decode("utf-8", "replace").encode()
    for character, escape in _LINE_ENDS_ELSEWHERE:
        if character in document:
            document = document.replace(character, escape)
    return document


_LINE_ENDS_ELSEWHERE = (
    ("\u2028".encode(), rb"\u2028"),
    ("\u2029".encode(), rb"\u2029"),
    ("\u0085".encode(), rb"\u0085"),
)
