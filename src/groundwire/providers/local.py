"""The provider `local`: a person's own documents, no model, no key, no network.

It has the shape of every other provider, so that a search is one flow: `Local` asks with a POST to
`local://corpus` and reads passages as JSON, `CorpusTransport` answers such a request from an open corpus.
The answer is made of the found passages word for word, each cited at its end.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from groundwire.citations import CharOffset, Citation, GroundedAnswer, Source
from groundwire.errors import LocalSearchFailed
from groundwire.providers.base import Question, Reader, WholeBodyReader
from groundwire.transport.base import Request, Response, whole
from groundwire.transport.retry import Refusal

if TYPE_CHECKING:  # the corpus brings SQLite along; naming this provider should not
    from groundwire.corpus import Corpus, Passage, Progress

CORPUS_URL = "local://corpus"
DEFAULT_PASSAGES = 6
FRESH_SECONDS = 10.0


class PassagesWanted(msgspec.Struct, frozen=True):
    """The body of a request: what to look for and how many passages to give at most."""

    query: str
    limit: int = DEFAULT_PASSAGES


class FoundPassage(msgspec.Struct, frozen=True):
    """A passage in a response: its words, its document, and where in the document they stand."""

    text: str
    title: str
    url: str
    start: int
    end: int
    score: float


class FoundPassages(msgspec.Struct, frozen=True):
    """The body of a response: the passages, best first, and what the person should know besides."""

    passages: tuple[FoundPassage, ...]
    note: str = ""


class Local:
    """The provider `local`."""

    label = "The local corpus"
    models = ("passages",)
    failed = LocalSearchFailed

    def __init__(self, *, passages: int = DEFAULT_PASSAGES) -> None:
        self._passages = passages

    def ask(self, question: Question) -> Request:
        """A request for the passages that answer the query."""
        return passages_request(question.query, self._passages)

    def reader(self, question: Question) -> Reader:
        """Reads the passages and composes the answer."""
        return WholeBodyReader(lambda body: compose(read_response(body), keep_raw=question.raw))

    def refused(self, refusal: Refusal) -> LocalSearchFailed:
        """A request that no corpus understands; only a mistake of ours leads here."""
        return LocalSearchFailed(f"The local corpus did not accept the request ({refusal.status}).")


def passages_request(query: str, limit: int = DEFAULT_PASSAGES) -> Request:
    """The request that asks a corpus for passages."""
    body = msgspec.json.encode(PassagesWanted(query, limit))
    return Request("POST", CORPUS_URL, {"content-type": "application/json"}, body)


def read_response(body: bytes) -> FoundPassages:
    """What a response's body says."""
    try:
        return msgspec.json.decode(body, type=FoundPassages)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LocalSearchFailed(
            f"The local corpus answered in a form that cannot be read: {error}"
        ) from error


def compose(found: FoundPassages, *, keep_raw: bool = False) -> GroundedAnswer:
    """The passages as a short Markdown answer: the best as its first paragraph, the others as a list.

    Each passage is cited at its end. Sources are numbered by first appearance, one for each document.
    """
    numbers: dict[str, int] = {}
    sources: list[Source] = []
    citations: list[Citation] = []
    text = ""
    for passage in _without_repeats(found.passages):
        text += "" if not text else "\n\n- " if len(citations) == 1 else "\n- "
        text += " ".join(passage.text.split())
        if passage.url not in numbers:
            sources.append(Source(passage.title, passage.url))
            numbers[passage.url] = len(sources)
        citations.append(Citation(CharOffset(len(text)), (numbers[passage.url],)))
    raw = msgspec.to_builtins(found) if keep_raw else None
    return GroundedAnswer(text, tuple(citations), tuple(sources), note=found.note, raw=raw)


def _without_repeats(passages: Sequence[FoundPassage]) -> list[FoundPassage]:
    """What different documents say in the same words is said once, and empty words not at all."""
    kept: dict[str, FoundPassage] = {}
    for passage in passages:
        words = " ".join(passage.text.split())
        if words:
            kept.setdefault(words.casefold(), passage)
    return list(kept.values())


class CorpusTransport:
    """Answers requests to `local://corpus`. The first request opens the corpus, which then stays open.

    Opening may index for minutes, so it happens in a thread; `open_corpus` passes its argument on as the
    corpus's `progress`. A search that is cancelled meanwhile stops the indexing after the current file.
    A request that comes FRESH_SECONDS or more after the last look at the folder looks again.
    """

    def __init__(
        self,
        open_corpus: Callable[[Callable[[Progress], None]], Corpus],
        *,
        progress: Callable[[Progress], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open_corpus = open_corpus
        self._progress = progress
        self._clock = clock
        self._corpus: Corpus | None = None
        self._looked_at = 0.0
        self._one_at_a_time = threading.Lock()

    async def send(self, request: Request) -> Response:
        """The passages for a request of `passages_request`, as JSON."""
        if (request.method, request.url) != ("POST", CORPUS_URL):
            return Response(404, {}, whole(b""))
        wanted = msgspec.json.decode(request.body, type=PassagesWanted)
        stop = threading.Event()
        try:
            found = await asyncio.to_thread(self._find, wanted, stop)
        finally:
            stop.set()
        return Response(200, {"content-type": "application/json"}, whole(msgspec.json.encode(found)))

    def close(self) -> None:
        """Close the corpus, if it was opened."""
        with self._one_at_a_time:
            if self._corpus is not None:
                self._corpus.close()
            self._corpus = None

    def _find(self, wanted: PassagesWanted, stop: threading.Event) -> FoundPassages:
        with self._one_at_a_time:
            corpus, note = self._up_to_date(self._watching(stop))
        passages = corpus.find(wanted.query, wanted.limit)
        return FoundPassages(tuple(_on_the_wire(passage) for passage in passages), note)

    def _up_to_date(self, watch: Callable[[Progress], None]) -> tuple[Corpus, str]:
        """The corpus as the folder is now, and a note if its index had to be replaced."""
        if self._corpus is None:
            self._corpus = self._open_corpus(watch)
        elif self._clock() - self._looked_at >= FRESH_SECONDS:
            self._corpus.refresh(watch)
        else:
            return self._corpus, ""
        self._looked_at = self._clock()
        replaced = self._corpus.report.rebuilt
        return self._corpus, f"The index of the documents was built anew: {replaced}." if replaced else ""

    def _watching(self, stop: threading.Event) -> Callable[[Progress], None]:
        def watch(progress: Progress) -> None:
            if stop.is_set():
                raise LocalSearchFailed("Indexing was stopped.", hint="The next search goes on from here.")
            if self._progress is not None:
                self._progress(progress)

        return watch


def _on_the_wire(passage: Passage) -> FoundPassage:
    return FoundPassage(
        passage.text, passage.title, passage.url, passage.start, passage.end, score=passage.score
    )
