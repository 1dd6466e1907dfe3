"""Laying a change onto the file: a three-way merge of old string, new string and the file's own lines.

Only what differs between old and new string is changed in the file. A line that is the same in both stays
as the file has it, however the caller wrote it. New lines get the file's indentation, marks and line
endings. Whatever would have to be guessed raises `Uncertain`.
"""

from __future__ import annotations

from collections.abc import Iterator

from groundwire.tools.diff import Block, blocks
from groundwire.tools.matching.alignment import Alignment
from groundwire.tools.matching.decision import Reason, Splice, Uncertain
from groundwire.tools.matching.document import Document
from groundwire.tools.matching.indentation import IndentationMap
from groundwire.tools.matching.keys import Key, indentation, key_of
from groundwire.tools.matching.punctuation import MarkMap
from groundwire.tools.matching.readings import Reading
from groundwire.tools.matching.spacing import merge_line


def merge(document: Document, reading: Reading, alignment: Alignment) -> list[Splice]:
    """The splices that make the reading's change at the aligned lines."""
    return _Merge(document, reading, alignment).splices()


class _Merge:
    """One change at one place."""

    def __init__(self, document: Document, reading: Reading, alignment: Alignment) -> None:
        self.document = document
        self.old = reading.old_lines
        self.new = reading.new_lines
        self.alignment = alignment
        self.pairs = [
            (line, document.lines[at])
            for line, at in zip(self.old, alignment.lines, strict=True)
            if at is not None and line.strip()
        ]
        self.indents = IndentationMap(
            ((indentation(ours), indentation(theirs)) for ours, theirs in self.pairs),
            given={indentation(line) for line in self.old + self.new if line.strip()},
            file_unit=document.indentation_unit,
        )
        self.marks = MarkMap(self.pairs, document.text)

    def splices(self) -> list[Splice]:
        """One splice for each stretch that changes."""
        changes = blocks([line.rstrip() for line in self.old], [line.rstrip() for line in self.new])
        if not changes:
            raise Uncertain("old_string and new_string differ only in blanks at line ends", Reason.NO_CHANGE)
        self._refuse_if_done()
        self._refuse_new_blanks(changes)
        made: list[Splice] = []
        for change in changes:
            self._refuse_invisible(change)
            first, last = self._lines_of(change)
            splice = self._splice(first, last, self._replacement(change))
            if splice.text != self.document.text[splice.start : splice.end]:
                made.append(splice)
        if not made:
            raise Uncertain("the file already reads as new_string wants it", Reason.ALREADY_DONE)
        return made

    # -- refusing ---------------------------------------------------------------------------------------

    def _refuse_if_done(self) -> None:
        if all(ours.rstrip() == theirs.rstrip() for ours, theirs in self.pairs):
            return  # the old lines are there; that the new ones stand there too is part of the change
        first = self.alignment.first
        there = [line.rstrip() for line in self.document.lines[first : first + len(self.new)]]
        if self.new and there == [line.rstrip() for line in self.new]:
            raise Uncertain("the file already reads as new_string wants it", Reason.ALREADY_DONE)

    def _refuse_new_blanks(self, changes: list[Block]) -> None:
        """Blanks that only the new string has at the end of a line that stays: a change, or noise."""
        for index, at_new in _staying(changes, len(self.old)):
            at, new = self.alignment.lines[index], self.new[at_new]
            if at is None or not new.startswith(self.old[index]) or new == self.old[index]:
                continue
            if _blanks_behind(new) != _blanks_behind(self.document.lines[at]):
                raise Uncertain("new_string has blanks at the end of a line that else stays as it is")

    def _refuse_invisible(self, change: Block) -> None:
        """A change of blanks or marks only cannot be told from a mistake in them, unless all else agrees."""
        old, new = self.old[change.old_start : change.old_end], self.new[change.new_start : change.new_end]
        if [key_of(Key.SPACING, line) for line in old] != [key_of(Key.SPACING, line) for line in new]:
            return
        there = self._file_lines(change)
        if [line.strip() for line in old] != [line.strip() for line in there] or not self.indents.is_uniform:
            raise Uncertain(
                "the change is one of blanks or marks only, and the file's own differ from old_string's"
            )

    def _file_lines(self, change: Block) -> list[str]:
        ats = self.alignment.lines[change.old_start : change.old_end]
        return ["" if at is None else self.document.lines[at] for at in ats]

    # -- where ------------------------------------------------------------------------------------------

    def _lines_of(self, change: Block) -> tuple[int, int]:
        """The lines of the file that `change` replaces; an empty range is a place to insert at."""
        if change.old_start == change.old_end:
            at = self._insertion_point(change.old_start)
            return at, at
        ats = [at for at in self.alignment.lines[change.old_start : change.old_end] if at is not None]
        complete = len(ats) == change.old_end - change.old_start
        if not complete or ats[-1] - ats[0] + 1 != len(ats):
            raise Uncertain("lines to be replaced are not all in the file as old_string has them")
        return ats[0], ats[-1] + 1

    def _insertion_point(self, position: int) -> int:
        lines = self.alignment.lines
        above = lines[position - 1] if position > 0 else None
        below = lines[position] if position < len(lines) else None
        if above is not None and below is not None and below != above + 1:
            raise Uncertain("blank lines at the place of the insertion are not as old_string has them")
        if above is not None:
            return above + 1
        if below is not None:
            return below
        raise Uncertain("the place of the insertion is between lines the file has not")

    # -- what -------------------------------------------------------------------------------------------

    def _replacement(self, change: Block) -> list[str]:
        old = self.old[change.old_start : change.old_end]
        new = self.new[change.new_start : change.new_end]
        there = self._file_lines(change)
        paired = len(old) == len(new)
        made: list[str] = []
        for index, line in enumerate(new):
            if paired and old[index].strip() != there[index].strip():
                line = merge_line(old[index], there[index], line, self.marks.apply)
            else:
                line = self.marks.apply(line)
            made.append(self._indented(line, new[index], old[index] if paired else None, there, index))
        return made

    def _indented(self, line: str, given: str, old: str | None, there: list[str], index: int) -> str:
        body = line.lstrip()
        if not body:
            return "" if not self.indents.is_identity else line
        mapped = self.indents[indentation(given)]
        if mapped is None and old is not None and _in_place(old, given):
            mapped = indentation(there[index])  # the caller lost indentation; this line stays where it is
        if mapped is None:
            raise Uncertain("the indentation of the new lines cannot be told from old_string's")
        return mapped + body

    # -- line endings -----------------------------------------------------------------------------------

    def _splice(self, first: int, last: int, lines: list[str]) -> Splice:
        document = self.document
        start, end = document.starts[first], document.starts[last]
        endings = [document.ending(at) for at in range(first, last)]
        spare = endings[-1] if endings else self._ending_near(first)
        text = ""
        for index, line in enumerate(lines):
            ending = endings[index] if index < len(endings) else spare
            text += line + (ending or document.usual_ending)
        if last == len(document.lines) and document.text and not document.text.endswith("\n"):
            text = self._at_open_end(text, first, last)
        return Splice(start, end, text)

    def _ending_near(self, at: int) -> str:
        neighbours = [line for line in (at - 1, at) if 0 <= line < len(self.document.lines)]
        return next((self.document.ending(line) for line in neighbours), "")

    def _at_open_end(self, text: str, first: int, last: int) -> str:
        """The last line of the file has no ending: neither will the new last line."""
        if text.endswith("\n"):
            text = text[: -2 if text.endswith("\r\n") else -1]
        return self.document.usual_ending + text if first == last else text


def _staying(changes: list[Block], count: int) -> Iterator[tuple[int, int]]:
    """The lines of the old string that no change touches, each with its line in the new string."""
    reached = shift = 0
    for change in changes:
        yield from ((index, index + shift) for index in range(reached, change.old_start))
        reached, shift = change.old_end, change.new_end - change.old_end
    yield from ((index, index + shift) for index in range(reached, count))


def _blanks_behind(line: str) -> str:
    return line[len(line.rstrip()) :]


def _in_place(old: str, new: str) -> bool:
    """Whether a line was changed where it stands: as deep as before, and starting with the same word."""
    return indentation(old) == indentation(new) and old.split()[:1] == new.split()[:1]
