"""Comparing two sequences of lines: which are kept, which removed, which added, in order.

`compare` is Myers' greedy search, walked in the order in which jsdiff walks it, so that small diffs come
out as Gemini CLI prints them. The search is quadratic in the number of differences; past a budget, lines
that occur only once on both sides are taken as fixed points (patience diff) and what lies between two
of them is compared on its own, so the cost stays close to linear however different the texts are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from io import StringIO

SEARCH_BUDGET = 200_000
"""Steps of the exact search before the cheaper one takes over: about a fifth of a second."""
GAP_BUDGET = 20_000
"""Steps spent on one stretch between two fixed points."""


_STRETCH = 64


class Kind(Enum):
    """What happened to a run of lines."""

    KEPT = " "
    REMOVED = "-"
    ADDED = "+"


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring lines with the same fate: `old[old_start:old_end]` and `new[new_start:new_end]`."""

    kind: Kind
    old_start: int
    old_end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch that was replaced: everything between two kept runs, removals and additions together."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


Leg = tuple[Kind, int]
"""A kind, and how many lines in a row it holds for."""


@dataclass(slots=True)
class _Step:
    """One run of a path through the edit graph, linked to the run before it."""

    kind: Kind
    length: int
    before: _Step | None


def split_lines(text: str) -> list[str]:
    """The lines of `text` with their ends; only LF (and so CR LF) ends a line."""
    return list(StringIO(text, newline="\n"))


def compare(old: Sequence[str], new: Sequence[str]) -> list[Run]:
    """The runs that turn `old` into `new`, from the first line to the last."""
    same = _follow(old, new, 0, 0)
    steps: list[Leg] = [(Kind.KEPT, same)] if same else []
    if same < len(old) or same < len(new):
        rest, other = old[same:], new[same:]
        found = _search(rest, other, SEARCH_BUDGET) if _is_searchable(rest, other) else None
        steps += _steps_of_pairs(_patience(rest, other), len(rest), len(other)) if found is None else found
    return list(_runs(steps))


def blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """What differs between `old` and `new`, as stretches replaced by others."""
    found: list[Block] = []
    for run in compare(old, new):
        if run.kind is Kind.KEPT:
            continue
        if found and found[-1].old_end == run.old_start and found[-1].new_end == run.new_start:
            last = found.pop()
            found.append(Block(last.old_start, run.old_end, last.new_start, run.new_end))
        else:
            found.append(Block(run.old_start, run.old_end, run.new_start, run.new_end))
    return found


def _is_searchable(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the exact search can end within its budget: lines that occur on one side only cost it most."""
    end = 0
    for left, right in zip(reversed(old), reversed(new), strict=False):
        if left != right:
            break
        end += 1
    there, here = Counter(old[: len(old) - end]), Counter(new[: len(new) - end])
    one_sided = (there - here).total() + (here - there).total()
    return one_sided**2 <= SEARCH_BUDGET * 2


def _runs(steps: list[Leg]) -> Iterator[Run]:
    at_old = at_new = 0
    for kind, length in steps:
        old_end = at_old + (length if kind is not Kind.ADDED else 0)
        new_end = at_new + (length if kind is not Kind.REMOVED else 0)
        yield Run(kind, at_old, old_end, at_new, new_end)
        at_old, at_new = old_end, new_end


# -- the exact search -----------------------------------------------------------------------------------


def _search(old: Sequence[str], new: Sequence[str], budget: int) -> list[Leg] | None:
    """The shortest way from `old` to `new`; None when it costs more than `budget` steps.

    Paths end at (x, y): x lines of `old` and y lines of `new` are behind them; the diagonal is x - y.
    A path at the edge of the graph makes the diagonals beyond it pointless.
    """
    size_old, size_new = len(old), len(new)
    x = _follow(old, new, 0, 0)
    ends: dict[int, tuple[int, _Step | None]] = {0: (x, _Step(Kind.KEPT, x, None) if x else None)}
    if x == size_old == size_new:
        return _unwind(ends[0][1])
    low, high = -size_new - 1, size_old + 1
    for distance in range(1, size_old + size_new + 1):
        first, last = _clamp(low, -distance, up=True), _clamp(high, distance, up=False)
        budget -= (last - first) // 2 + 1
        if budget < 0:
            return None
        for diagonal in range(first, last + 1, 2):
            end = _extend(ends, diagonal, size_old, size_new)
            if end is None:
                ends.pop(diagonal, None)
                continue
            x, step = end
            kept = _follow(old, new, x, x - diagonal)
            if kept:
                x, step = x + kept, _Step(Kind.KEPT, kept, step)
            if x >= size_old and x - diagonal >= size_new:
                return _unwind(step)
            ends[diagonal] = (x, step)
            if x >= size_old:
                high = min(high, diagonal - 1)
            if x - diagonal >= size_new:
                low = max(low, diagonal + 1)
    return None


def _clamp(edge: int, distance: int, *, up: bool) -> int:
    """The outermost diagonal with the parity of `distance` that does not pass `edge`."""
    outer = max(edge, distance) if up else min(edge, distance)
    if (outer - distance) % 2:
        outer += 1 if up else -1
    return outer


def _extend(
    ends: dict[int, tuple[int, _Step | None]], diagonal: int, size_old: int, size_new: int
) -> tuple[int, _Step] | None:
    """The better of removing one more line and adding one more line, where either is possible."""
    removing, adding = ends.get(diagonal - 1), ends.get(diagonal + 1)
    can_add = adding is not None and 0 <= adding[0] - diagonal - 1 < size_new
    can_remove = removing is not None and removing[0] < size_old
    if can_add and adding is not None and not (can_remove and removing and removing[0] >= adding[0]):
        return adding[0], _longer(adding[1], Kind.ADDED)
    if can_remove and removing is not None:
        return removing[0] + 1, _longer(removing[1], Kind.REMOVED)
    return None


def _longer(step: _Step | None, kind: Kind) -> _Step:
    if step is not None and step.kind is kind:
        return _Step(kind, step.length + 1, step.before)
    return _Step(kind, 1, step)


def _follow(old: Sequence[str], new: Sequence[str], x: int, y: int) -> int:
    """How many lines are equal from (x, y) on."""
    start = x
    size_old, size_new = len(old), len(new)
    while x < size_old and y < size_new and old[x] == new[y]:
        x += 1
        y += 1
        if x - start == _STRETCH:
            # A long equal stretch: comparing slices is much faster than comparing lines one by one.
            while x + _STRETCH <= size_old and old[x : x + _STRETCH] == new[y : y + _STRETCH]:
                x, y = x + _STRETCH, y + _STRETCH
    return x - start


def _unwind(step: _Step | None) -> list[Leg]:
    steps: list[Leg] = []
    while step is not None:
        steps.append((step.kind, step.length))
        step = step.before
    steps.reverse()
    return steps


# -- the cheaper search ---------------------------------------------------------------------------------


def _patience(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of kept lines, increasing on both sides; close to the most there can be."""
    pairs: list[tuple[int, int]] = []
    waiting = [(0, len(old), 0, len(new))]
    while waiting:
        a, b, c, d = waiting.pop()
        while a < b and c < d and old[a] == new[c]:
            pairs.append((a, c))
            a, c = a + 1, c + 1
        while a < b and c < d and old[b - 1] == new[d - 1]:
            b, d = b - 1, d - 1
            pairs.append((b, d))
        if a == b or c == d:
            continue
        anchors = _anchors(old, new, a, b, c, d)
        if not anchors:
            pairs.extend(_gap(old, new, a, b, c, d))
            continue
        at_old, at_new = a, c
        for x, y in [*anchors, (b, d)]:
            waiting.append((at_old, x, at_new, y))
            if x < b:
                pairs.append((x, y))
            at_old, at_new = x + 1, y + 1
    pairs.sort()
    return pairs


def _anchors(old: Sequence[str], new: Sequence[str], a: int, b: int, c: int, d: int) -> list[tuple[int, int]]:
    """The longest increasing chain of lines that occur exactly once in both stretches."""
    count_old, count_new = Counter(old[a:b]), Counter(new[c:d])
    place = {new[y]: y for y in range(c, d) if count_new[new[y]] == 1}
    single = [(x, place[old[x]]) for x in range(a, b) if count_old[old[x]] == 1 and old[x] in place]
    tails: list[int] = []
    links: list[int] = []
    holders: list[int] = []
    for index, (_, y) in enumerate(single):
        slot = bisect_left(tails, y)
        links.append(holders[slot - 1] if slot else -1)
        if slot == len(tails):
            tails.append(y)
            holders.append(index)
        else:
            tails[slot], holders[slot] = y, index
    chain: list[tuple[int, int]] = []
    index = holders[-1] if holders else -1
    while index >= 0:
        chain.append(single[index])
        index = links[index]
    return chain[::-1]


def _gap(old: Sequence[str], new: Sequence[str], a: int, b: int, c: int, d: int) -> list[tuple[int, int]]:
    """Kept pairs of a stretch without fixed points: exact when small, none when that would cost much."""
    common = set(old[a:b]) & set(new[c:d])
    xs = [x for x in range(a, b) if old[x] in common]
    ys = [y for y in range(c, d) if new[y] in common]
    if not xs:
        return []
    steps = _search([old[x] for x in xs], [new[y] for y in ys], GAP_BUDGET)
    if steps is None:
        return []
    pairs: list[tuple[int, int]] = []
    for run in _runs(steps):
        if run.kind is Kind.KEPT:
            pairs += zip(xs[run.old_start : run.old_end], ys[run.new_start : run.new_end], strict=True)
    return pairs


def _steps_of_pairs(pairs: list[tuple[int, int]], size_old: int, size_new: int) -> list[Leg]:
    steps: list[Leg] = []
    at_old = at_new = 0
    for x, y in [*pairs, (size_old, size_new)]:
        if x > at_old:
            steps.append((Kind.REMOVED, x - at_old))
        if y > at_new:
            steps.append((Kind.ADDED, y - at_new))
        if x < size_old:
            if steps and steps[-1][0] is Kind.KEPT:
                steps[-1] = (Kind.KEPT, steps[-1][1] + 1)
            else:
                steps.append((Kind.KEPT, 1))
        at_old, at_new = x + 1, y + 1
    return steps
