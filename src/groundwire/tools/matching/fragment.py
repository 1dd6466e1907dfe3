"""Parts of lines: the words and marks of the old string, in the file with other blanks between them."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from groundwire.tools.matching.decision import LineRange, Splice, Uncertain
from groundwire.tools.matching.document import Document
from groundwire.tools.matching.keys import Key, Token, tokens
from groundwire.tools.matching.punctuation import MarkMap
from groundwire.tools.matching.readings import Reading
from groundwire.tools.matching.spacing import merge_tokens
from groundwire.tools.matching.windows import MOST_HITS

_WORD = re.compile(r"\w\w")
FEWEST_CHARACTERS = 8
"""Anything shorter is found by accident."""


class FragmentMatches:
    """Where the tokens of a string stand in a text, whatever the blanks and line ends between them."""

    def __init__(self, document: Document, reading: Reading) -> None:
        self._document = document
        self._reading = reading
        self._ours = tokens(reading.old)
        wanted = " ".join(token.normal for token in self._ours)
        self.spans: list[tuple[int, int]] = []
        """Offsets in the text."""
        if len(wanted) < FEWEST_CHARACTERS or len(self._ours) < 2:
            return
        keys = document.keys(Key.SPACING)
        filled = [index for index, key in enumerate(keys) if key]
        joined = f" {' '.join(keys[index] for index in filled)} "
        starts = list(accumulate((len(keys[index]) + 1 for index in filled), initial=1))
        at = joined.find(f" {wanted} ")
        while at != -1 and len(self.spans) < MOST_HITS:
            begin = self._offset(joined, filled, starts, at + 1, end=False)
            end = self._offset(joined, filled, starts, at + len(wanted), end=True)
            self.spans.append((begin, end))
            at = joined.find(f" {wanted} ", at + 1)

    def _offset(self, joined: str, filled: list[int], starts: list[int], at: int, *, end: bool) -> int:
        """A position in the joined keys as an offset in the text."""
        slot = bisect_right(starts, at) - 1
        ordinal = joined.count(" ", starts[slot], at + 1 if not end else at)
        line = filled[slot]
        token = tokens(self._document.lines[line])[ordinal]
        return self._document.starts[line] + (token.end if end else token.start)

    def place(self, span: tuple[int, int]) -> LineRange:
        """The lines that hold a match."""
        return LineRange(self._document.line_at(span[0]) + 1, self._document.line_at(span[1] - 1) + 1)

    def splice(self, span: tuple[int, int]) -> Splice:
        """A match with the change from old to new made in it."""
        there = self._document.text[span[0] : span[1]]
        theirs, wanted = tokens(there), tokens(self._reading.new)
        marks = MarkMap([(self._reading.old, there)], self._document.text)
        ours = _started(self._ours)
        made = merge_tokens(ours, theirs, _started(wanted), marks.apply)
        self._refuse_new_lines(wanted)
        before, after = self._document.text[: span[0]][-1:], self._document.text[span[1] : span[1] + 1]
        if _WORD.fullmatch(before + made[:1]) or _WORD.fullmatch(made[-1:] + after):
            raise Uncertain("the new text would run into the word beside it")
        return Splice(span[0], span[1], made)

    def _refuse_new_lines(self, wanted: list[Token]) -> None:
        """Line ends in new text that old text has not in the same place: their indentation is unknown."""
        ours = {(token.text, token.blanks) for token in self._ours}
        for token in wanted[1:]:
            if "\n" in token.blanks and (token.text, token.blanks) not in ours:
                raise Uncertain("new_string adds lines, and the indentation of the file's lines is another")


def _started(found: list[Token]) -> list[Token]:
    """The tokens with nothing before the first."""
    if not found:
        return []
    first = found[0]
    return [Token("", first.text, first.normal, first.start), *found[1:]]
