"""Exact matches: the old string as it is, line endings aside, replaced literally."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from groundwire.tools.diff import Kind, compare, split_lines
from groundwire.tools.matching.decision import LineRange, Splice
from groundwire.tools.matching.document import Document

MANY = 8


class ExactMatches:
    """Where a string stands in a text when CR LF and LF are the same."""

    def __init__(self, document: Document, old: str) -> None:
        self._document = document
        self._old = old
        text = document.text
        self._returns = "\r\n" in text
        self._plain = text.replace("\r\n", "\n") if self._returns else text
        self._uniform = self._returns and len(text) - len(self._plain) == self._plain.count("\n")
        self.starts = _apart(self._plain, old)
        """Offsets in the text with LF endings; no two matches overlap."""
        if len(self.starts) >= MANY:
            _ = document.starts  # lines are looked up from now on, not counted for each match

    @property
    def overlapping(self) -> list[int]:
        """Where the string stands across a single match: `}}` in `}}}`. Then the place is unclear."""
        if len(self.starts) != 1:
            return []
        again = self._plain.find(self._old, self.starts[0] + 1)
        return [] if again == -1 else [again]

    def place(self, start: int) -> LineRange:
        """The lines of the match that begins at `start`."""
        first = self._document.line_at(self._offset(start))
        end = start + len(self._old.removesuffix("\n"))
        return LineRange(first + 1, max(first, self._document.line_at(self._offset(max(start, end - 1)))) + 1)

    def splice(self, start: int, new: str) -> Splice:
        """The match that begins at `start`, replaced by `new`; each line keeps the ending it had."""
        begin, end = self._offset(start), self._offset(start + len(self._old))
        if self._uniform:
            new = new.replace("\n", "\r\n")
        elif self._returns and "\n" in new:
            new = _with_endings(
                self._document.text[begin:end], self._old, new, self._document.ending_at(begin)
            )
        return Splice(begin, end, new)

    def _offset(self, plain: int) -> int:
        """An offset in the LF text as an offset in the text itself."""
        if not self._returns:
            return plain
        if self._uniform and len(self.starts) < MANY:
            return plain + self._plain.count("\n", 0, plain)
        line = bisect_right(self._plain_starts, plain) - 1
        return self._document.starts[line] + plain - self._plain_starts[line]

    @cached_property
    def _plain_starts(self) -> list[int]:
        """Where each line starts in the LF text."""
        return [0, *accumulate(len(line) + 1 for line in self._plain.split("\n")[:-1])]


def _apart(text: str, old: str) -> list[int]:
    starts: list[int] = []
    at = text.find(old)
    while at != -1:
        starts.append(at)
        at = text.find(old, at + len(old))
    return starts


def _with_endings(there: str, old: str, new: str, usual: str) -> str:
    """`new` with line endings like those of `there`, which is `old` in the file."""
    their_lines, new_lines = split_lines(there), split_lines(new)
    made: list[str] = []
    spare = usual
    for run in compare(split_lines(old), new_lines):
        theirs = their_lines[run.old_start : run.old_end]
        if run.kind is Kind.KEPT:
            made += theirs
        elif run.kind is Kind.ADDED:
            made += (line[:-1] + spare if line.endswith("\n") else line for line in
                     new_lines[run.new_start : run.new_end])  # fmt: skip
        if theirs and theirs[-1].endswith("\n"):
            spare = "\r\n" if theirs[-1].endswith("\r\n") else "\n"
    return "".join(made)
