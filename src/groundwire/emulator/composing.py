"""Answers made from found passages: a list of claims, each tied to the passages it came from.

A claim is a sentence (or a piece of prose between sentences) and the numbers of its sources. Gemini
turns claims into byte offsets, the others into links and annotations, so every offset a client
meets is true of a text that was really written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, Protocol

Style = Literal["sentences", "merged", "stacked", "listed", "pictured"]
STYLES: tuple[Style, ...] = ("sentences", "merged", "stacked", "listed", "pictured")
"""How an answer is phrased:

sentences  one sentence per passage, each with its own source
merged     the first sentence rests on every source at once
stacked    two claims end at the same place, with different sources
listed     an unsourced introduction, then a bullet list
pictured   characters outside the Basic Multilingual Plane and combining marks stand before each claim
"""

MAX_CLAIMS = 4
CANDIDATES = 12


class Passage(Protocol):
    """A found piece of a document."""

    @property
    def title(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def text(self) -> str: ...


class Documents(Protocol):
    """Anything that can be searched for passages."""

    def find(self, query: str, limit: int) -> Sequence[Passage]: ...


@dataclass(frozen=True, slots=True)
class Claim:
    """A piece of the answer's text and the numbers (from 0) of the sources that say so.

    `also` holds a second group of sources supporting the same words, reported separately.
    """

    text: str
    sources: tuple[int, ...] = ()
    also: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A source of an answer."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """What a search gave: the query, its sources, and the answer as claims in order."""

    query: str
    sources: tuple[Found, ...]
    claims: tuple[Claim, ...]

    @property
    def text(self) -> str:
        """The whole answer."""
        return "".join(claim.text for claim in self.claims)


def search_and_compose(query: str, documents: Documents, style: Style | None = None) -> SearchAnswer:
    """Search the documents and phrase an answer; the style follows from the query unless given."""
    passages = _spread([passage for passage in documents.find(query, CANDIDATES) if passage.text.strip()])
    sources = tuple({passage.url: Found(passage.title, passage.url) for passage in passages}.values())
    if not sources:
        return SearchAnswer(query, (), (Claim(f'I found nothing about "{query}".'),))
    numbers = {source.url: number for number, source in enumerate(sources)}
    facts = [Claim(" ".join(passage.text.split()), (numbers[passage.url],)) for passage in passages]
    return SearchAnswer(query, sources, _PHRASING[style or style_of(query)](query, facts, len(sources)))


def _spread(passages: Sequence[Passage]) -> list[Passage]:
    """The best few passages: first the best one of each document, then the rest."""
    firsts = list({passage.url: passage for passage in reversed(passages)}.values())[::-1]
    rest = [passage for passage in passages if passage not in firsts]
    return [*firsts, *rest][:MAX_CLAIMS]


def style_of(query: str) -> Style:
    """The style a query gets: always the same one for the same words."""
    return STYLES[sha256(query.encode("utf-8", "surrogatepass")).digest()[0] % len(STYLES)]


def _sentences(query: str, facts: list[Claim], sources: int) -> tuple[Claim, ...]:
    claims: list[Claim] = []
    for fact in facts:
        if claims:
            claims.append(Claim(_joint(claims[-1].text)))
        claims.append(fact)
    return tuple(claims)


def _merged(query: str, facts: list[Claim], sources: int) -> tuple[Claim, ...]:
    first, *rest = _sentences(query, facts, sources)
    return (Claim(first.text, tuple(range(sources))), *rest)


def _stacked(query: str, facts: list[Claim], sources: int) -> tuple[Claim, ...]:
    first, *rest = _sentences(query, facts, sources)
    others = tuple(number for number in range(sources) if number not in first.sources) or first.sources
    return (Claim(first.text, first.sources, also=others), *rest)


def _listed(query: str, facts: list[Claim], sources: int) -> tuple[Claim, ...]:
    claims = [Claim(f"Here is what I found about {query}:\n")]
    for fact in facts:
        claims += [Claim("\n* "), fact]
    return tuple(claims)


def _pictured(query: str, facts: list[Claim], sources: int) -> tuple[Claim, ...]:
    claims: list[Claim] = []
    for claim in _sentences(query, facts, sources):
        if claim.sources:
            claims.append(Claim("🔎 e\u0301 "))
        claims.append(claim)
    return tuple(claims)


def _joint(before: str) -> str:
    """What stands between two sentences: nothing after full-width punctuation, a space otherwise."""
    return "" if before.endswith(("。", "！", "？")) else " "


_PHRASING = {
    "sentences": _sentences,
    "merged": _merged,
    "stacked": _stacked,
    "listed": _listed,
    "pictured": _pictured,
}
