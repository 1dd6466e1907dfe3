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

    def reader(self, question: Question, content_type: str) -> Reader:
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


def preferences(question: Question) -> str:
    """Sentences that ask for a language and a region, or nothing."""
    wishes = []
    if question.language:
        wishes.append(f"Answer in this language: {question.language}.")
    if question.region:
        wishes.append(f"Prefer sources from, and facts that hold in, this region: {question.region}.")
    return " ".join(wishes)
