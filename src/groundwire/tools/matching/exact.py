"""Exact matches: the old string as it is, line endings aside, replaced literally."""

from __future__ import annotations

from bisect import bisect_left

from groundwire.tools.diff import Kind, compare, split_lines
from groundwire.tools.matching.decision import LineRange, Splice
from groundwire.tools.matching.document import Document


class ExactMatches:
    """Where a string stands in a text when CR LF and LF are the same."""

    def __init__(self, document: Document, old: str) -> None:
        self._document = document
        self._old = old
        text = document.text
        self._mixed = "\r\n" in text
        self._plain = text.replace("\r\n", "\n") if self._mixed else text
        self._returns = _carriage_returns(text) if self._mixed else []
        self.starts = _apart(self._plain, old)
        """Offsets in the text with LF endings; no two matches overlap."""

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
        if self._mixed:
            new = _with_endings(self._document.text[begin:end], self._old, new, self._ending_at(begin))
        return Splice(begin, end, new)

    def _offset(self, plain: int) -> int:
        """An offset in the LF text as an offset in the text itself."""
        return plain + bisect_left(self._returns, plain) if self._mixed else plain

    def _ending_at(self, offset: int) -> str:
        line = self._document.line_at(offset)
        return self._document.ending(line) or self._document.usual_ending


def _carriage_returns(text: str) -> list[int]:
    """For every CR LF, where its LF stands in the LF text."""
    found: list[int] = []
    at = text.find("\r\n")
    while at != -1:
        found.append(at - len(found))
        at = text.find("\r\n", at + 2)
    return found


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
