"""What a provider is: a plain object that turns a question into a Request and a response into an answer.

Nothing here or in the providers touches the network. A `Reader` is fed the bytes of a response as
they arrive: `feed` gives text to show at once, `finish` the grounded answer, so a whole JSON body
and a stream of events are read the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from groundwire.citations import GroundedAnswer
from groundwire.errors import BodyTooLarge, SearchFailed
from groundwire.transport.base import MAX_BODY_BYTES, Request
from groundwire.transport.retry import Refusal

_EVENT_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
_LONGEST_FIELD = len(b"retry:")
_LONGEST_LEAD = 4096


@dataclass(frozen=True, slots=True)
class Question:
    """A cleaned query and how it should be answered."""

    query: str
    model: str
    stream: bool = False
    language: str | None = None
    region: str | None = None
    raw: bool = False


class Reader(Protocol):
    """Reads one response."""

    def feed(self, chunk: bytes) -> str:
        """Text that can be shown after this chunk."""
        ...

    def rest(self) -> str:
        """Text that was still held back when the response ended. Called once, before `finish`."""
        ...

    def finish(self) -> GroundedAnswer:
        """The answer, when the response has ended. Raises SearchFailed when there is none."""
        ...


class Provider(Protocol):
    """Someone who can answer a query."""

    @property
    def label(self) -> str:
        """The name a person reads in messages."""
        ...

    @property
    def models(self) -> tuple[str, ...]:
        """Models to ask, in order: the next one is tried when the one before cannot answer."""
        ...

    @property
    def failed(self) -> type[SearchFailed]:
        """The error that names this provider."""
        ...

    def ask(self, question: Question) -> Request:
        """The request that asks it."""
        ...

    def reader(self, question: Question) -> Reader:
        """A reader for the response."""
        ...

    def refused(self, refusal: Refusal) -> SearchFailed:
        """What an error status means, in words for the person who asked."""
        ...


class WholeBodyReader:
    """A reader for answers that come in one piece: gathers the bytes, then judges them once."""

    def __init__(self, judge: Callable[[bytes], GroundedAnswer], limit: int = MAX_BODY_BYTES) -> None:
        self._judge = judge
        self._limit = limit
        self._body = bytearray()

    def feed(self, chunk: bytes) -> str:
        """Keep the chunk; a whole body has nothing to show before its end."""
        self._body += chunk
        if len(self._body) > self._limit:
            raise BodyTooLarge(f"The answer is larger than {self._limit // (1024 * 1024)} MB.")
        return ""

    def rest(self) -> str:
        """Nothing: what a whole body says is said by its answer."""
        return ""

    def finish(self) -> GroundedAnswer:
        """The answer in the gathered body."""
        return self._judge(bytes(self._body))


class ByContent:
    """A reader that looks at the first bytes: events go to one reader, everything else to another.

    Servers and the proxies before them get content types wrong, so the content decides.
    """

    def __init__(self, *, events: Reader, whole: Reader) -> None:
        self._events = events
        self._whole = whole
        self._first = b""
        self._chosen: Reader | None = None

    def feed(self, chunk: bytes) -> str:
        """Hand the chunk on, once it is clear to whom."""
        if self._chosen is not None:
            return self._chosen.feed(chunk)
        self._first += chunk
        start = self._first.lstrip(b"\xef\xbb\xbf \t\r\n")
        if len(start) < _LONGEST_FIELD and len(self._first) < _LONGEST_LEAD:
            return ""
        return self._choose().feed(self._first)

    def rest(self) -> str:
        """What the chosen reader held back."""
        shown = self._choose().feed(self._first) if self._chosen is None else ""
        return shown + self._choose().rest()

    def finish(self) -> GroundedAnswer:
        """The chosen reader's answer."""
        return self._choose().finish()

    def _choose(self) -> Reader:
        if self._chosen is None:
            start = self._first.lstrip(b"\xef\xbb\xbf \t\r\n")
            self._chosen = self._events if start.startswith(_EVENT_FIELDS) else self._whole
        return self._chosen


def broke_off(body: bytes) -> bool:
    """Whether a body that is not JSON is the beginning of some: it was cut, not made by somebody else."""
    return not body.strip() or body.lstrip().startswith((b"{", b"["))


def preferences(question: Question) -> str:
    """Sentences that ask for a language and a region, or nothing."""
    wishes = []
    if question.language:
        wishes.append(f"Answer in this language: {question.language}.")
    if question.region:
        wishes.append(f"Prefer sources from, and facts that hold in, this region: {question.region}.")
    return " ".join(wishes)
