"""From the pieces that hold some of a query's terms to the passages worth quoting. Pure.

FTS5's ranking finds the candidates. Among them we prefer pieces that hold more of the query, rare terms
counting more, and quote of each the sentences that say it. What holds much less of the query than the best
does is left out: one common word in common is no answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from groundwire.corpus.passages import Passage, sentences
from groundwire.corpus.storage import Candidate
from groundwire.corpus.terms import Term, spoken_terms, stem

CONTEXT_SHARE = 0.7
"""A term found only in the title or heading counts this much of one in the text itself."""

LEAST_COVERAGE = 0.55
"""Of the best coverage; a passage with less is left out."""

PASSAGES_OF_ONE_DOCUMENT = 2
"""More are given only when other documents have nothing to say."""

SHORT_SENTENCE = 60
"""A best sentence shorter than this takes the next one of its block along."""


@dataclass(frozen=True, slots=True)
class _Weighed:
    candidate: Candidate
    coverage: float
    quotation: tuple[int, int]
    score: float


def choose(terms: Sequence[Term], candidates: Iterable[Candidate], limit: int) -> list[Passage]:
    """The best passages, best first, at most `limit`."""
    pool = list(candidates)
    if not pool:
        return []
    bodies = [_held(terms, candidate.piece.text) for candidate in pool]
    contexts = [_held(terms, f"{candidate.title}\n{candidate.piece.heading}") for candidate in pool]
    weights = _weights(terms, [body | context for body, context in zip(bodies, contexts, strict=True)])
    top = max(candidate.score for candidate in pool)
    weighed = [_weigh(terms, weights, *each, top=top) for each in zip(pool, bodies, contexts, strict=True)]
    best = max(each.coverage for each in weighed)
    worthy = [each for each in weighed if each.coverage >= LEAST_COVERAGE * best]
    worthy.sort(key=lambda each: -each.score)
    return [_passage(each) for each in _spread(worthy)[:limit]]


def _held(terms: Iterable[Term], text: str) -> frozenset[Term]:
    """The terms that a text holds."""
    words = set(spoken_terms(text))
    return frozenset(
        term
        for term in terms
        if (
            any(word.startswith(term.text) for word in words)
            if term.is_beginning
            else stem(term.text) in words
        )
    )


def _weights(terms: Iterable[Term], held: Sequence[frozenset[Term]]) -> dict[Term, float]:
    """How much each term tells: more when fewer candidates hold it, nothing when none does."""
    counts = {term: sum(term in each for each in held) for term in terms}
    return {term: math.log(2 + len(held) / count) for term, count in counts.items() if count}


def _weigh(
    terms: Sequence[Term],
    weights: dict[Term, float],
    candidate: Candidate,
    body: frozenset[Term],
    context: frozenset[Term],
    *,
    top: float,
) -> _Weighed:
    total = sum(weights.values()) or 1.0
    covered = sum(weights.get(term, 0) for term in body)
    covered += CONTEXT_SHARE * sum(weights.get(term, 0) for term in context - body)
    quotation, quoted = _quotation(terms, weights, candidate)
    coverage = covered / total
    score = coverage + 0.3 * quoted / total + 0.3 * candidate.score / top
    return _Weighed(candidate, coverage, quotation, score)


def _quotation(
    terms: Sequence[Term], weights: dict[Term, float], candidate: Candidate
) -> tuple[tuple[int, int], float]:
    """Where in the piece the sentences stand that hold most of the terms, and the weight they hold."""
    text = candidate.piece.text
    found = list(sentences(text, candidate.piece.lead)) or list(sentences(text))
    if not found:
        return (0, len(text)), 0.0
    held = [_held(terms, text[each.start : each.end]) for each in found]
    values = [sum(weights.get(term, 0) for term in each) for each in held]
    best = max(range(len(found)), key=lambda at: (values[at], -at))
    start, end = found[best].start, found[best].end
    if best + 1 < len(found) and "\n" not in text[end : found[best + 1].start]:
        adds = not held[best + 1] <= held[best]
        if adds or end - start < SHORT_SENTENCE:
            end = found[best + 1].end
    return (start, end), values[best]


def _spread(worthy: Sequence[_Weighed]) -> list[_Weighed]:
    """The same in order, but what exceeds one document's share comes last."""
    seen: dict[int, int] = {}
    early: list[_Weighed] = []
    late: list[_Weighed] = []
    for each in worthy:
        seen[each.candidate.document] = seen.get(each.candidate.document, 0) + 1
        (early if seen[each.candidate.document] <= PASSAGES_OF_ONE_DOCUMENT else late).append(each)
    return early + late


def _passage(each: _Weighed) -> Passage:
    candidate = each.candidate
    start, end = each.quotation
    return Passage(
        text=candidate.piece.text[start:end],
        start=candidate.piece.start + start,
        end=candidate.piece.start + end,
        title=candidate.title,
        url=candidate.url,
        document=candidate.document,
        score=round(each.score, 6),
    )
