"""Answers made from found passages: a list of claims, each tied to the passages it came from.

A claim is a sentence (or a piece of prose between sentences) and the numbers of its sources. Gemini
turns claims into byte offsets, the others into links and annotations, so every offset a client
meets is true of a text that was really written.
"""

from __future__ import annotations

import re
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

MAX_SOURCES = 4
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")


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
    text: str


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
    sources = tuple(
        Found(passage.title, passage.url, passage.text)
        for passage in documents.find(query, MAX_SOURCES)
        if passage.text.strip()
    )
    chosen = style or style_of(query)
    claims = _CLAIMS[chosen](query, sources) if sources else (Claim(f'I found nothing about "{query}".'),)
    return SearchAnswer(query, sources, claims)


def style_of(query: str) -> Style:
    """The style a query gets: always the same one for the same words."""
    return STYLES[sha256(query.encode("utf-8", "surrogatepass")).digest()[0] % len(STYLES)]


def lead(text: str, limit: int = 240) -> str:
    """The first sentence of a passage that says something, headings and list marks removed."""
    for line in text.splitlines():
        plain = line.strip().lstrip("#*->•").strip()
        if plain and not line.lstrip().startswith("#"):
            sentence = _SENTENCE_END.split(plain, maxsplit=1)[0].strip()
            return sentence[:limit]
    return text.strip()[:limit]


def _sentences(query: str, sources: tuple[Found, ...]) -> tuple[Claim, ...]:
    claims: list[Claim] = []
    for number, source in enumerate(sources):
        if claims:
            claims.append(Claim(_joint(claims[-1].text)))
        claims.append(Claim(lead(source.text), (number,)))
    return tuple(claims)


def _merged(query: str, sources: tuple[Found, ...]) -> tuple[Claim, ...]:
    first, *rest = _sentences(query, sources)
    return (Claim(first.text, tuple(range(len(sources)))), *rest)


def _stacked(query: str, sources: tuple[Found, ...]) -> tuple[Claim, ...]:
    first, *rest = _sentences(query, sources)
    others = tuple(range(1, len(sources))) or (0,)
    return (Claim(first.text, (0,), also=others), *rest)


def _listed(query: str, sources: tuple[Found, ...]) -> tuple[Claim, ...]:
    claims = [Claim(f"Here is what I found about {query}:\n")]
    for number, source in enumerate(sources):
        claims += [Claim("\n* "), Claim(lead(source.text), (number,))]
    return tuple(claims)


def _pictured(query: str, sources: tuple[Found, ...]) -> tuple[Claim, ...]:
    claims: list[Claim] = []
    for claim in _sentences(query, sources):
        if claim.sources:
            claims.append(Claim("🔎 e\u0301 "))
        claims.append(claim)
    return tuple(claims)


def _joint(before: str) -> str:
    """What stands between two sentences: nothing after full-width punctuation, a space otherwise."""
    return "" if before.endswith(("。", "！", "？")) else " "


_CLAIMS = {
    "sentences": _sentences,
    "merged": _merged,
    "stacked": _stacked,
    "listed": _listed,
    "pictured": _pictured,
}
