"""From the pieces that hold some of a query's terms to the passages worth quoting. Pure.

FTS5's ranking finds the candidates. Among them we prefer pieces that hold more of the query, rare terms
counting more, and quote of each the sentences that say it. What holds much less of the query than the best
does is left out: one common word in common is no answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from groundwire.corpus.passages import Passage, sentences
from groundwire.corpus.storage import Candidate
from groundwire.corpus.terms import Term, fold, held_terms

CONTEXT_SHARE = 0.7
"""A term found only in the title or heading counts this much of one in the text itself."""

LEAST_COVERAGE = 0.55
"""Of the best coverage; a passage with less is left out."""

PASSAGES_OF_ONE_DOCUMENT = 2
"""More are given only when other documents have nothing to say."""

SHORT_SENTENCE = 60
"""A best sentence shorter than this takes the next one of its block along."""


CLOSER_LOOK = 4
"""For each passage wanted, this many pieces are read sentence by sentence."""


@dataclass(frozen=True, slots=True)
class _Weighed:
    candidate: Candidate
    coverage: float
    score: float
    quotation: tuple[int, int] = (0, 0)


def choose(terms: Sequence[Term], candidates: Sequence[Candidate], limit: int) -> list[Passage]:
    """The best passages, best first, at most `limit`."""
    if not candidates:
        return []
    bodies = [held_terms(terms, candidate.piece.text) for candidate in candidates]
    contexts = [
        held_terms(terms, f"{candidate.title}\n{candidate.piece.heading}") for candidate in candidates
    ]
    weights = _weights(terms, [body | context for body, context in zip(bodies, contexts, strict=True)])
    top = max(candidate.score for candidate in candidates)
    weighed = [
        _weigh(weights, candidate, body, context, top)
        for candidate, body, context in zip(candidates, bodies, contexts, strict=True)
    ]
    best = max(each.coverage for each in weighed)
    worthy = [each for each in weighed if each.coverage >= LEAST_COVERAGE * best]
    worthy.sort(key=lambda each: -each.score)
    quoted = [_quote(terms, weights, each) for each in worthy[: CLOSER_LOOK * limit]]
    quoted.sort(key=lambda each: -each.score)
    return [_passage(each) for each in _spread(quoted)[:limit]]


def _weights(terms: Iterable[Term], held: Sequence[frozenset[Term]]) -> dict[Term, float]:
    """How much each term tells: more when fewer candidates hold it, nothing when none does."""
    counts = {term: sum(term in each for each in held) for term in terms}
    return {term: math.log(2 + len(held) / count) for term, count in counts.items() if count}


def _weigh(
    weights: dict[Term, float],
    candidate: Candidate,
    body: frozenset[Term],
    context: frozenset[Term],
    top: float,
) -> _Weighed:
    """The share of the query that a piece holds, and FTS5's opinion for the rest."""
    covered = _sum(weights, body) + CONTEXT_SHARE * _sum(weights, context - body)
    coverage = covered / (sum(weights.values()) or 1.0)
    return _Weighed(candidate, coverage, score=coverage + 0.3 * candidate.score / top)


def _quote(terms: Sequence[Term], weights: dict[Term, float], weighed: _Weighed) -> _Weighed:
    """The same piece with the sentence of it that holds most of the terms, and the next one if that adds."""
    piece = weighed.candidate.piece
    found = list(sentences(piece.text, piece.lead)) or list(sentences(piece.text))
    if not found:
        return replace(weighed, quotation=(0, len(piece.text)))
    held = [held_terms(terms, piece.text[each.start : each.end]) for each in found]
    values = [_sum(weights, each) for each in held]
    best = max(range(len(found)), key=lambda at: (values[at], -at))
    start, end = found[best].start, found[best].end
    if best + 1 < len(found) and "\n" not in piece.text[end : found[best + 1].start]:
        adds = not held[best + 1] <= held[best]
        if adds or end - start < SHORT_SENTENCE:
            end = found[best + 1].end
    share = values[best] / (sum(weights.values()) or 1.0)
    extra = 0.3 * share + 0.2 * _share_side_by_side(terms, piece.text[start:end])
    return replace(weighed, quotation=(start, end), score=weighed.score + extra)


def _share_side_by_side(terms: Sequence[Term], text: str) -> float:
    """Of the words that follow each other in the query, the share that do so in the text."""
    pairs = [
        f"{one.text} {two.text}" for one, two in pairwise(terms) if not one.is_unspaced | two.is_unspaced
    ]
    folded = fold(text)
    return sum(pair in folded for pair in pairs) / len(pairs) if pairs else 0.0


def _sum(weights: dict[Term, float], terms: Iterable[Term]) -> float:
    return sum(weights.get(term, 0.0) for term in terms)


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
