"""Carrying indentation from the caller's text to the file's.

The lines that matched tell which indentation of the caller stands for which of the file. From these pairs
follows what a new line must start with: the same pair, a common shift, or a change of unit (tabs for
spaces, two spaces for four). When the pairs do not say, nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import gcd


class IndentationMap:
    """What the caller's indentation becomes in the file."""

    def __init__(
        self, pairs: Iterable[tuple[str, str]], given: Iterable[str] = (), file_unit: int | None = None
    ) -> None:
        """`pairs` are (caller's, file's) of matched lines; `given` all indentations the caller wrote."""
        self._pairs = list(dict.fromkeys(pairs))
        self._given = set(given)
        self._file_unit = file_unit
        self._known: dict[str, str | None] = {}
        for ours, theirs in self._pairs:
            self._known[ours] = theirs if self._known.get(ours, theirs) == theirs else None

    @property
    def is_identity(self) -> bool:
        """Whether the caller's indentation is the file's."""
        return all(ours == theirs for ours, theirs in self._pairs)

    @property
    def is_uniform(self) -> bool:
        """Whether one shift, or one change between tabs and spaces, explains all matched lines."""
        return self.is_identity or self._shift() is not None or (self._changes_kind() and self._consistent)

    @property
    def _consistent(self) -> bool:
        return None not in self._known.values()

    def __getitem__(self, indentation: str) -> str | None:
        """The file's form of the caller's `indentation`; None when it cannot be known."""
        if self.is_identity:
            return indentation
        if indentation in self._known:
            return self._known[indentation]
        if not self._consistent:
            return None
        found = self._shifted(indentation)
        if found is None:
            found = self._scaled(indentation)
        if found is None and indentation.endswith(" ") and not indentation.endswith("  "):
            aligned = self[indentation[:-1]]  # one space more than a level aligns, as in ` * comment`
            found = None if aligned is None else aligned + " "
        return found

    # -- one shift for all ------------------------------------------------------------------------------

    def _shift(self) -> tuple[str, str] | None:
        """(what to take off, what to put before) when it is the same for all pairs."""
        shifts = set()
        for ours, theirs in self._pairs:
            if theirs.endswith(ours):
                shifts.add(("", theirs[: len(theirs) - len(ours)]))
            elif ours.endswith(theirs):
                shifts.add((ours[: len(ours) - len(theirs)], ""))
            else:
                return None
        return shifts.pop() if len(shifts) == 1 else None

    def _shifted(self, indentation: str) -> str | None:
        shift = self._shift()
        if shift is None or not indentation.startswith(shift[0]):
            return None
        file_kinds = {kind for _, theirs in self._pairs for kind in theirs}
        deeper = indentation[len(shift[0]) :]
        if file_kinds and not set(deeper) <= file_kinds:
            return None  # tabs would be mixed into spaces, or the other way round
        if self._could_be_scaled(indentation):
            return None
        return shift[1] + deeper

    def _could_be_scaled(self, indentation: str) -> bool:
        """One known depth only: twice as deep can be one level deeper, or levels of another width."""
        depths = [(len(ours), len(theirs)) for ours, theirs in self._pairs]
        if any(theirs not in (2 * ours, ours / 2) or not ours for ours, theirs in depths):
            return False
        step = abs(len(indentation) - depths[0][0])
        return self._file_unit is None or step % self._file_unit != 0

    # -- another unit -----------------------------------------------------------------------------------

    def _changes_kind(self) -> bool:
        ours, theirs = ({kind for pair in self._pairs for kind in pair[side]} for side in (0, 1))
        return len(ours) == len(theirs) == 1 and ours != theirs

    def _scaled(self, indentation: str) -> str | None:
        """A straight line through the known depths, each side measured in its own kind of blank."""
        ours, theirs = ({kind for pair in self._pairs for kind in pair[side]} for side in (0, 1))
        if len(theirs) != 1 or len(ours | set(indentation)) > 1:
            return None
        depths = sorted({(len(a), len(b)) for a, b in self._pairs})
        if len(depths) == 1 and theirs == ours | set(indentation):
            return None  # the same kind of blank at one depth: a shift and another width look alike
        line = self._line(depths)
        if line is None:
            return None
        factor, offset = line
        width = factor * len(indentation) + offset
        return theirs.pop() * int(width) if width >= 0 and width.denominator == 1 else None

    def _line(self, depths: list[tuple[int, int]]) -> tuple[Fraction, Fraction] | None:
        if len(depths) >= 2:
            (a, b), (c, d) = depths[0], depths[-1]
            if a == c:
                return None
            factor = Fraction(d - b, c - a)
        else:
            return self._line_by_units(depths[0])
        offset = depths[0][1] - factor * depths[0][0]
        if factor <= 0 or not _is_plausible(factor):
            return None
        return (factor, offset) if all(factor * x + offset == y for x, y in depths) else None

    def _line_by_units(self, depth: tuple[int, int]) -> tuple[Fraction, Fraction] | None:
        """One depth alone is known: the units of both sides must speak for themselves, and agree with it."""
        steps = gcd(*(abs(len(given) - depth[0]) for given in self._given)) if self._given else 0
        if self._file_unit not in (1, 2, 4, 8) or steps not in (1, 2, 4, 8) or self._file_unit == steps:
            return None
        factor = Fraction(self._file_unit, steps)
        if depth[0] and depth[1] and factor * depth[0] != depth[1]:
            return None
        return factor, depth[1] - factor * depth[0]


def _is_plausible(factor: Fraction) -> bool:
    """Units are one tab, or two, three, four or eight spaces; nothing else turns up in practice."""
    return factor in {Fraction(a, b) for a in (1, 2, 3, 4, 8) for b in (1, 2, 3, 4, 8)}


def unit_of(lines: Iterable[str]) -> int | None:
    """How many blanks the lines go in by, most often; None when none of them goes in."""
    steps: Counter[int] = Counter()
    before = 0
    for line in lines:
        body = line.lstrip(" \t")
        if not body:
            continue
        depth = len(line) - len(body)
        if depth > before:
            steps[depth - before] += 1
        before = depth
    return steps.most_common(1)[0][0] if steps else None
