"""Which line of the file each line of the old string stands for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Alignment:
    """For each line of the old string the index of its line in the file.

    None where the old string has a line that the file has not: a blank line too many, or the mark
    of an elided middle.
    """

    lines: tuple[int | None, ...]

    @property
    def first(self) -> int:
        """The first line of the file that is meant."""
        return min(line for line in self.lines if line is not None)

    @property
    def last(self) -> int:
        """The last line of the file that is meant."""
        return max(line for line in self.lines if line is not None)


def straight(start: int, count: int) -> Alignment:
    """`count` lines, one after the other, from `start`."""
    return Alignment(tuple(range(start, start + count)))
