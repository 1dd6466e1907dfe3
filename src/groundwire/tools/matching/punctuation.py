"""Typographic marks in new text: kept when the file has them there too, turned back when they are noise.

The matched lines show what the caller's marks stand for in the file (`“` for `"`). New text is translated
by that. A mark about which the matched lines are silent, or disagree, makes the edit uncertain.
"""

from __future__ import annotations

from collections.abc import Iterable

from groundwire.tools.matching.decision import Uncertain
from groundwire.tools.matching.keys import ascii_form, is_typographic, tokens

QUOTES = "\"'"
"""Whoever prettifies one kind of quote does so with the other."""


class MarkMap:
    """What the caller's quotes, dashes and blanks stand for in the file."""

    def __init__(self, pairs: Iterable[tuple[str, str]], file_text: str) -> None:
        """`pairs` are (caller's line, file's line), equal but for blanks and typographic marks."""
        self._meant: dict[str, set[str]] = {}
        self._file_text = file_text
        self._prettified: set[str] = set()
        for ours, theirs in pairs:
            if ours != theirs and not (ours.isascii() and theirs.isascii()):
                self._learn(ours, theirs)

    def _learn(self, ours: str, theirs: str) -> None:
        for mine, its in zip(tokens(ours), tokens(theirs), strict=False):
            if mine.text == its.text and not is_typographic(mine.text):
                continue
            if mine.normal == its.normal:
                self._meant.setdefault(mine.text, set()).add(its.text)
                if is_typographic(mine.text) and not is_typographic(its.text):
                    self._prettified.add(its.text)

    def apply(self, text: str) -> str:
        """`text` with the caller's marks as the file writes them."""
        if not self._meant:
            return text
        return "".join(self._translated(character) for character in text)

    def _translated(self, character: str) -> str:
        meant = self._meant.get(character)
        if meant is not None and len(meant) > 1:
            raise Uncertain(f"the file writes {character!r} in several ways here")
        if is_typographic(character):
            return self._from_typographic(character, meant)
        if meant is None or character in meant:
            return character
        if character in self._file_text:
            raise Uncertain(f"the file has both {character!r} and {next(iter(meant))!r}")
        return next(iter(meant))

    def _from_typographic(self, character: str, meant: set[str] | None) -> str:
        if meant is not None:
            return next(iter(meant))
        if not self._prettified:
            return character
        plain = ascii_form(character)
        alike = QUOTES if plain in QUOTES else plain
        if character in self._file_text or not self._prettified & set(alike):
            raise Uncertain(f"whether {character!r} is meant cannot be told")
        return plain
