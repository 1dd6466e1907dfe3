"""Server-sent events, read liberally and without I/O: bytes in, events out.

Real servers differ, so everything seen in the wild is accepted: CR, LF and CRLF in any mixture,
`data:` with and without a space, several data lines in one event, comments, a last event without
its blank line, a byte order mark, and chunks that end anywhere, even inside a character.
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


class EventParser:
    """Feed it chunks of bytes; it gives back the events they complete. `close` gives what is left."""

    def __init__(self, limit: int = MAX_BODY_BYTES) -> None:
        self._limit = limit
        self._received = 0
        self._unfinished: list[bytes] = []
        self._name = ""
        self._data: list[str] = []
        self._started = False

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that `chunk` completes."""
        self._received += len(chunk)
        if self._received > self._limit:
            raise BodyTooLarge(f"The answer is larger than {self._limit // (1024 * 1024)} MB.")
        self._unfinished.append(chunk)
        if b"\n" not in chunk and b"\r" not in chunk:
            return []
        return self._lines(b"".join(self._unfinished))

    def close(self) -> list[Event]:
        """The event that was still open when the stream ended, if it had any data."""
        rest = b"".join(self._unfinished)
        self._unfinished = []
        events = self._lines(rest + b"\n") if rest else []
        self._unfinished = []
        return events + self._dispatch()

    def _lines(self, received: bytes) -> list[Event]:
        # A CR at the very end may be the first half of CRLF: keep it for the next chunk.
        held_back = received[-1:] if received.endswith(b"\r") else b""
        lines = _LINE_END.split(received[: len(received) - len(held_back)])
        self._unfinished = [lines.pop() + held_back]
        events: list[Event] = []
        for line in lines:
            events += self._line(line)
        return events

    def _line(self, line: bytes) -> list[Event]:
        if not self._started:
            self._started = True
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line:
            return self._dispatch()
        field, _, value = line.partition(b":")
        text = value.removeprefix(b" ").decode("utf-8", "replace")
        if field == b"data":
            self._data.append(text)
        elif field == b"event":
            self._name = text
        return []

    def _dispatch(self) -> list[Event]:
        name, data = self._name or "message", self._data
        self._name, self._data = "", []
        return [Event(name, "\n".join(data))] if data else []
