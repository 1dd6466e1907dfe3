"""What was put into a text, so that it can be cut out again: pieces, and where each stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Insertion(NamedTuple):
    """A piece of text that we put in, and where it begins in the text that resulted."""

    at: int
    text: str


class Added(NamedTuple):
    """A text with one entry more. `made` counts the names of the entry's path that were not there before."""

    text: str
    insertions: tuple[Insertion, ...]
    made: int


class CannotEdit(Exception):
    """A text that cannot be changed as wished: the reason, and the line where it shows."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def put_in(text: str, pieces: Iterable[tuple[int, str]]) -> tuple[str, tuple[Insertion, ...]]:
    """The text with pieces put in at places of the old text, which are given in rising order."""
    result, reached, insertions = "", 0, []
    for place, piece in pieces:
        result += text[reached:place]
        insertions.append(Insertion(len(result), piece))
        result += piece
        reached = place
    return result + text[reached:], tuple(insertions)


def cut_out(text: str, insertions: Sequence[Insertion]) -> str | None:
    """The text without these pieces, or None when one of them no longer stands at its place."""
    for place, piece in sorted(insertions, reverse=True):
        if not text.startswith(piece, place):
            return None
        text = text[:place] + text[place + len(piece) :]
    return text


def moved(text: str, insertions: Sequence[Insertion]) -> tuple[Insertion, ...] | None:
    """The same pieces where they stand after the text before them changed; None when that is not certain."""
    largest = max(insertions, key=lambda insertion: len(insertion.text))
    found = text.find(largest.text)
    if found < 0 or text.find(largest.text, found + 1) >= 0:
        return None
    return tuple(Insertion(place + found - largest.at, piece) for place, piece in insertions)


def line_at(text: str, position: int) -> int:
    """The number of the line on which a position stands, counted from 1."""
    return text.count("\n", 0, position) + 1


def end_of_line(text: str) -> str:
    """How this text ends its lines, judged by the first one."""
    found = text.find("\n")
    return "\r\n" if found > 0 and text[found - 1] == "\r" else "\n"
