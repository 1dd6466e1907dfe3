"""What every provider's answer becomes: text, the places in it that are cited, and the sources.

    GroundedAnswer   clean text + Citations (a place, source numbers) + Sources       what a provider said
    WebSearchResult  llmContent, returnDisplay, sources?, error?                      what a caller gets

`mark` writes `[n]` markers into a text, `result` turns an answer into a result, `failure` an error.
Offsets have types: Gemini counts UTF-8 bytes, Python counts characters, and the two differ as soon
as a text is not plain ASCII.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from io import BytesIO
from itertools import accumulate, chain, compress, count, repeat
from operator import itemgetter, le, lt, not_, sub
from typing import Any, NewType, TypeVar, cast, overload
from urllib.parse import urlsplit

import msgspec

from groundwire.errors import GroundwireError

ByteOffset = NewType("ByteOffset", int)
"""A place in a text, counted in UTF-8 bytes."""

CharOffset = NewType("CharOffset", int)
"""A place in a text, counted in characters (code points)."""

_IS_CHARACTER_START = bytes(0 if 0x80 <= byte < 0xC0 else 1 for byte in range(256))
"""For each byte of UTF-8 whether a character starts with it."""


class Source(msgspec.Struct, frozen=True):
    """A page an answer rests on. `wire` is the provider's own record of it, passed through untouched."""

    title: str | None = None
    uri: str | None = None
    wire: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The form every caller gets: `{"web": {"title"?, "uri"?}}`, or the provider's own record."""
        if self.wire is not None:
            return dict(self.wire)
        web = {"title": self.title, "uri": self.uri}
        return {"web": {key: value for key, value in web.items() if value is not None}}

    def line(self) -> str:
        """One line for a source list: `Title (address)`."""
        title = " ".join((self.title or "").split()) or _host(self.uri) or "Untitled"
        return f"{title} ({self.uri or 'No URI'})"


class Citation(msgspec.Struct, frozen=True, gc=False):
    """A place in the text and the sources (numbers from 1, ascending) that support what stands before it."""

    at: CharOffset
    numbers: tuple[int, ...]


class GroundedAnswer(msgspec.Struct, frozen=True):
    """What a provider said: text without any markers, where it is cited, and by what.

    `sources[n - 1]` is the page behind `[n]`. `consulted` are pages the provider looked at without
    citing them. `raw` is the provider's own metadata, kept only when it was asked for.
    """

    text: str
    citations: Sequence[Citation] = ()
    sources: tuple[Source, ...] = ()
    consulted: tuple[Source, ...] = ()
    note: str = ""
    raw: Any = None


class WebSearchError(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why there is no answer: a sentence, and a stable type to branch on."""

    message: str
    type: str | None = None


class WebSearchResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one search, the same whichever provider answered.

    `to_json()` has exactly the keys `llmContent`, `returnDisplay`, `sources?`, `error?`, and `raw`
    only when the provider's metadata was asked for. `answer` is the same answer in parts, for Python.
    """

    llm_content: str
    return_display: str
    sources: tuple[Source, ...] | None = None
    error: WebSearchError | None = None
    raw: Any = None
    provider: str | None = None
    answer: GroundedAnswer | None = None

    @property
    def ok(self) -> bool:
        """Whether there is an answer."""
        return self.error is None

    def to_json(self) -> dict[str, Any]:
        """The wire form, ready for any JSON encoder."""
        wire: dict[str, Any] = {"llmContent": self.llm_content, "returnDisplay": self.return_display}
        if self.sources is not None:
            wire["sources"] = [source.to_json() for source in self.sources]
        if self.error is not None:
            wire["error"] = msgspec.to_builtins(self.error)
        if self.raw is not None:
            wire["raw"] = self.raw
        return wire

    def json(self) -> str:
        """The wire form as text: what a tool returns."""
        return msgspec.json.encode(self.to_json()).decode()


def chars_from_bytes(text: str, offsets: Sequence[ByteOffset]) -> list[CharOffset]:
    """Where byte offsets into the UTF-8 form of `text` fall, counted in characters, in the same order.

    An offset inside a character moves to the character's start; one past the end moves to the end.
    Linear in the text, however many offsets there are.
    """
    if text.isascii():
        return [CharOffset(min(offset, len(text))) for offset in offsets]
    # One byte of every character is no continuation byte, so counting those bytes counts characters. In bulk
    # and without slices: this runs for every citation of a long answer.
    starts = text.encode("utf-8", "surrogatepass").translate(_IS_CHARACTER_START)
    size = len(starts)
    ordered = sorted(offsets)
    ends = [end if end < size and starts[end] else _character_start(starts, end) for end in ordered]
    counted = accumulate(map(starts.count, repeat(1), [0, *ends], ends))
    places = cast("list[CharOffset]", list(counted))
    if ordered == offsets:
        return places
    place_of = dict(zip(ordered, places, strict=True))
    return [place_of[offset] for offset in offsets]


def _character_start(starts: bytes, place: int) -> int:
    return len(starts) if place >= len(starts) else starts.rindex(1, 0, place)


def mark(
    text: str,
    citations: Sequence[Citation],
    marker: Callable[[int], str] = "[{}]".format,
    *,
    before: str = "",
    after: str = "",
) -> str:
    """`text` with `[n]` markers at the cited places, ascending and without repeats at one place.

    `before` and `after` are put around it here, because each later joining of a long text is a copy of it.
    """
    if isinstance(citations, ByteCitations):
        return citations.marked(marker, before, after)
    places, numbers = _one_each([citation.at for citation in citations], [c.numbers for c in citations])
    pieces = map(text.__getitem__, map(slice, [0, *places], places))
    markers = map(cache(lambda numbers: "".join(map(marker, numbers))), numbers)
    rest = text[places[-1] if places else 0 :]
    return "".join([before, *chain.from_iterable(zip(pieces, markers, strict=True)), rest, after])


class ByteCitations(Sequence[Citation]):
    """Citations as Gemini counts them, in bytes of the text. Characters are counted when somebody looks.

    A long answer with thousands of citations is marked in bytes, without counting its characters first.
    """

    def __init__(self, text: str, offsets: list[ByteOffset], numbers: list[tuple[int, ...]]) -> None:
        self._text = text
        self._offsets = offsets
        self._numbers = numbers

    @cached_property
    def _in_characters(self) -> tuple[Citation, ...]:
        return tuple(map(Citation, chars_from_bytes(self._text, self._offsets), self._numbers))

    def marked(self, marker: Callable[[int], str], before: str, after: str) -> str:
        """The text with its markers, between `before` and `after`."""
        encoded = self._text.encode("utf-8", "surrogatepass")
        size = len(encoded)
        ends = [
            end if end < size and encoded[end] & 0xC0 != 0x80 else _boundary(encoded, end)
            for end in self._offsets
        ]
        places, numbers = _one_each(ends, self._numbers)
        pieces = map(BytesIO(encoded).read, map(sub, places, [0, *places]))  # faster than as many slices
        markers = map(cache(lambda numbers: "".join(map(marker, numbers)).encode()), numbers)
        rest = encoded[places[-1] if places else 0 :]
        around = before.encode("utf-8", "surrogatepass"), after.encode("utf-8", "surrogatepass")
        inside = chain.from_iterable(zip(pieces, markers, strict=True))
        return b"".join([around[0], *inside, rest, around[1]]).decode("utf-8", "surrogatepass")

    def __len__(self) -> int:
        return len(self._offsets)

    @overload
    def __getitem__(self, index: int) -> Citation: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Citation, ...]: ...
    def __getitem__(self, index: int | slice) -> Citation | tuple[Citation, ...]:
        return self._in_characters[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._in_characters == tuple(other)

    def __hash__(self) -> int:
        return hash(self._in_characters)

    def __repr__(self) -> str:
        return repr(self._in_characters)


def _boundary(encoded: bytes, place: int) -> int:
    """The start of the character that `place` is in, or the end when it is past that."""
    if place >= len(encoded):
        return len(encoded)
    while encoded[place] & 0xC0 == 0x80:
        place -= 1
    return place


_Place = TypeVar("_Place", bound=int)


def _one_each(
    places: list[_Place], numbers: list[tuple[int, ...]]
) -> tuple[list[_Place], list[tuple[int, ...]]]:
    """Places in the order of the text, each once, and for each all the numbers that stand there.

    In bulk, because a long answer has thousands; servers send them in order, with few repeats.
    """
    if not all(map(le, places, places[1:])):
        pairs = sorted(zip(places, numbers, strict=True), key=itemgetter(0))
        places, numbers = [place for place, _ in pairs], [here for _, here in pairs]
    is_first = [True, *map(lt, places, places[1:])] if places else []
    if all(is_first):
        return places, numbers
    kept = list(compress(numbers, is_first))
    slots = list(accumulate(is_first))  # for each place the number of places up to it
    for index in compress(count(), map(not_, is_first)):
        slot = slots[index] - 1
        kept[slot] = tuple(sorted({*kept[slot], *numbers[index]}))
    return list(compress(places, is_first)), kept


def limited(answer: GroundedAnswer, max_sources: int) -> GroundedAnswer:
    """The answer with its first `max_sources` sources only; markers of the others are dropped."""
    kept = (
        Citation(citation.at, tuple(number for number in citation.numbers if number <= max_sources))
        for citation in answer.citations
    )
    return msgspec.structs.replace(
        answer,
        sources=answer.sources[:max_sources],
        citations=tuple(citation for citation in kept if citation.numbers),
        consulted=(),
    )


def result(query: str, answer: GroundedAnswer, *, provider: str | None = None) -> WebSearchResult:
    """The result that tells `answer` to a model, a person and a program."""
    if not answer.text or answer.text.isspace():
        return WebSearchResult(
            llm_content=f'No search results or information found for query: "{query}"',
            return_display="No information found.",
            raw=answer.raw,
            provider=provider,
            answer=answer,
        )
    header = f'Web search results for "{query}":\n\n'
    return WebSearchResult(
        llm_content=mark(answer.text, answer.citations, before=header, after=_below(answer)),
        return_display=f'Search results for "{query}" returned.',
        sources=answer.sources or None,
        raw=answer.raw,
        provider=provider,
        answer=answer,
    )


def _below(answer: GroundedAnswer) -> str:
    """What follows the text: the numbered source list, pages consulted but not cited, a note."""
    sections = []
    if answer.sources:
        lines = [f"[{number}] {source.line()}" for number, source in enumerate(answer.sources, start=1)]
        sections.append("\n".join(["Sources:", *lines]))
    if answer.consulted:
        sections.append(
            "\n".join(["Also consulted:", *(f"- {source.line()}" for source in answer.consulted)])
        )
    if answer.note:
        sections.append(answer.note)
    return "".join(f"\n\n{section}" for section in sections)


def failure(error: GroundwireError, *, provider: str | None = None) -> WebSearchResult:
    """The result that tells an error: same shape, `llmContent` starting with `Error: `."""
    message = str(error)
    return WebSearchResult(
        llm_content=f"Error: {message}",
        return_display=error.message,
        error=WebSearchError(message=message, type=error.code),
        provider=provider,
    )


def _host(uri: str | None) -> str:
    try:
        return (urlsplit(uri or "").hostname or "").removeprefix("www.")
    except ValueError:  # an address with a broken bracketed host
        return ""
