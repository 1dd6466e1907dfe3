"""A query's terms to the pieces worth a closer look, in bounded time however common the terms are.

Scoring a row costs SQLite about a microsecond and a half, so a word that stands in half of all pieces would
take a fifth of a second. Counting rows is thirty times cheaper. So: count first, let the rare terms find the
pieces, and score no more than SCORED_ROWS of them for any one question we ask SQLite.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from groundwire.corpus import storage
from groundwire.corpus.storage import Candidate
from groundwire.corpus.terms import Term

SCORED_ROWS = 6000


def candidates(connection: sqlite3.Connection, terms: Sequence[Term], count: int) -> list[Candidate]:
    """The best pieces that hold any of the terms: `count` of them or somewhat more, if there are as many."""
    counts = {term: storage.row_count(connection, term.match_expression, SCORED_ROWS) for term in terms}
    found: dict[int, Candidate] = {}
    for expression in expressions(counts):
        if len(found) >= count:
            break
        for number, candidate in storage.ranked(connection, expression, count=count, scored=SCORED_ROWS):
            found.setdefault(number, candidate)
    return list(found.values())


def expressions(counts: dict[Term, int]) -> Iterator[str]:
    """What to ask FTS5, given how many pieces hold each term (SCORED_ROWS stands for that many or more).

    All terms are rare in a small corpus, and then the one question is: any of them. Otherwise the first
    question is the strictest; the next is for when that does not find enough.
    """
    rare: list[Term] = []
    budget = SCORED_ROWS
    present = sorted((term for term in counts if counts[term]), key=lambda term: counts[term])
    for term in present:
        if counts[term] > budget or counts[term] >= SCORED_ROWS:
            break
        rare.append(term)
        budget -= counts[term]
    common = present[len(rare) :]
    if rare and common:
        yield f"({_joined(rare, 'OR')}) AND {_joined(common, 'AND')}"
    if rare:
        yield _joined(rare, "OR")
    elif common:
        yield f"context : ({_joined(common, 'AND')})"
        yield _joined(common, "AND")
        if len(common) > 1:
            yield _joined(common, "OR")


def _joined(terms: Iterable[Term], operator: str) -> str:
    return f" {operator} ".join(term.match_expression for term in terms)
