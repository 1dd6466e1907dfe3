"""A text as lines: each line's own ending is kept, and lines are compared by keys of growing tolerance."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from groundwire.tools.matching.indentation import unit_of
from groundwire.tools.matching.keys import Key, key_of

UNIT_SAMPLE = 5000
"""Lines that are asked how deep the text indents."""


class Document:
    """The file's text, split at LF and CR LF only; anything else that looks like a line end is text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._keys: dict[Key, list[str]] = {}

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their endings."""
        lines = self.text.split("\n")
        last = lines.pop()
        if "\r" in self.text:
            lines = [line[:-1] if line.endswith("\r") else line for line in lines]
        if last:
            lines.append(last)
        return lines

    @cached_property
    def starts(self) -> list[int]:
        """Where each line starts in the text, and after them the length of the text."""
        lengths = [len(line) + 1 for line in self.text.split("\n")]
        starts = [0, *accumulate(lengths)][: len(self.lines)]
        return [*starts, len(self.text)]

    def ending(self, line: int) -> str:
        """The ending of one line; empty for a last line without one."""
        return self.text[self.starts[line] + len(self.lines[line]) : self.starts[line + 1]]

    @cached_property
    def usual_ending(self) -> str:
        """The ending most lines have."""
        crlf = self.text.count("\r\n")
        return "\r\n" if crlf * 2 > self.text.count("\n") else "\n"

    def line_at(self, offset: int) -> int:
        """The index of the line that holds the character at `offset`."""
        if "starts" in self.__dict__:  # worked out already: then looking up is faster than counting
            return max(0, min(bisect_right(self.starts, offset) - 1, len(self.lines) - 1))
        line = self.text.count("\n", 0, offset)
        return line - 1 if line and offset == len(self.text) and self.text.endswith("\n") else line

    def ending_at(self, offset: int) -> str:
        """The ending of the line that holds the character at `offset`, or the usual one."""
        end = self.text.find("\n", offset)
        if end == -1:
            return self.usual_ending
        return "\r\n" if end and self.text[end - 1] == "\r" else "\n"

    def keys(self, key: Key) -> list[str]:
        """The keys of all lines."""
        if key not in self._keys:
            self._keys[key] = self._all_keys(key)
        return self._keys[key]

    def _all_keys(self, key: Key) -> list[str]:
        if key is Key.TRAILING:
            return [line.rstrip() for line in self.lines]
        if key is Key.TRIMMED:
            return [line.strip() for line in self.lines]
        if key is Key.FOLDED and self.text.isascii() and "--" not in self.text:
            return self.keys(Key.TRIMMED)
        return [key_of(key, line) for line in self.lines]

    @cached_property
    def indentation_unit(self) -> int | None:
        """How deep the text indents a level, in blanks of its own kind."""
        return unit_of(self.lines[:UNIT_SAMPLE])

    @cached_property
    def filled(self) -> list[int]:
        """The indices of the lines that are not blank."""
        return [index for index, line in enumerate(self.lines) if line and not line.isspace()]
