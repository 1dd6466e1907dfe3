"""Keys of a line: two lines with the same key are the same line at that tolerance.

Tolerances from strict to loose: trailing blanks do not count; leading ones neither; typographic
punctuation counts as its ASCII form; blanks count only between two words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

_FOLDED = {
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201b": "'", "\u2032": "'",
    "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u201f": '"', "\u2033": '"', "\u00ab": '"', "\u00bb": '"',
    "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2015": "-", "\u2212": "-",
    "\u2026": "...",
    "\u00a0": " ", "\u2002": " ", "\u2003": " ", "\u2007": " ", "\u2008": " ", "\u2009": " ", "\u200a": " ",
    "\u202f": " ", "\u3000": " ",
    "\u200b": "", "\u2060": "", "\ufeff": "", "\u00ad": "",
}  # fmt: skip
_FOLD_TABLE = str.maketrans(_FOLDED)
_PAIR_OF_DASHES = re.compile(r"(?<!-)--(?!-)")
_TOKEN = re.compile(r"\w+|\.{3}|--(?!-)|[^\w\s]")


class Key(Enum):
    """How much two lines may differ and still be the same."""

    TRAILING = auto()
    TRIMMED = auto()
    FOLDED = auto()
    SPACING = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a mark of a line, and the blanks before it."""

    blanks: str
    text: str
    normal: str
    start: int

    @property
    def end(self) -> int:
        """Where the token ends in its line."""
        return self.start + len(self.text)


def fold(text: str) -> str:
    """`text` with typographic marks as ASCII; a typed pair of hyphens stands for one dash."""
    typed = _PAIR_OF_DASHES.sub("-", text) if "--" in text else text
    return typed if typed.isascii() else typed.translate(_FOLD_TABLE)


def is_typographic(character: str) -> bool:
    """Whether folding changes this character."""
    return character in _FOLDED


def ascii_form(character: str) -> str:
    """What folding makes of one character."""
    return _FOLDED.get(character, character)


def key_of(key: Key, line: str) -> str:
    """The key of one line."""
    if key is Key.TRAILING:
        return line.rstrip()
    if key is Key.TRIMMED:
        return line.strip()
    if key is Key.FOLDED:
        return fold(line).strip()
    if line.isascii():
        found = _TOKEN.findall(line)
        return " ".join(["-" if token == "--" else token for token in found] if "--" in line else found)  # noqa: S105
    return " ".join(token.normal for token in tokens(line))


def tokens(text: str) -> list[Token]:
    """The words and marks of `text`, which may span lines."""
    found: list[Token] = []
    reached = 0
    for match in _TOKEN.finditer(text):
        normal = fold(match.group())
        if not normal or normal.isspace():
            continue
        found.append(Token(text[reached : match.start()], match.group(), normal, match.start()))
        reached = match.end()
    return found


def indentation(line: str) -> str:
    """The blanks a line starts with; empty for a blank line."""
    return line[: len(line) - len(line.lstrip())] if line.strip() else ""
