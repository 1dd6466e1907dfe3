"""Spans of a text that do not overlap, asked quickly: does one contain this place or touch that span?"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable


class Spans:
    """Half-open spans `(start, end)`, in order."""

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        self._spans = sorted(spans)
        self._starts = [start for start, _ in self._spans]

    def around(self, place: int) -> tuple[int, int] | None:
        """The span that contains `place`, or None."""
        index = bisect_right(self._starts, place) - 1
        return self._spans[index] if index >= 0 and place < self._spans[index][1] else None

    def contain(self, place: int) -> bool:
        """Whether some span contains `place`."""
        return self.around(place) is not None

    def touch(self, start: int, end: int) -> bool:
        """Whether some span shares at least one character with `start`…`end`."""
        return self.contain(start) or bisect_left(self._starts, end) > bisect_left(self._starts, start)
