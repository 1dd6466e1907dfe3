"""How text may look on this terminal: whether colours are wanted, whether a line can be drawn anew, and how
much of a text fits into a line."""

from __future__ import annotations

import os
import re
from typing import TextIO
from unicodedata import combining, east_asian_width

_USUAL_COLUMNS = 80
_COLOURS = re.compile(r"\x1b\[\d*m")


def colours_wanted() -> bool:
    """Whether nobody said otherwise, by NO_COLOR (https://no-color.org) or a terminal that has none."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def as_wanted(text: str) -> str:
    """The text with the colours we gave it, or without."""
    return text if colours_wanted() else _COLOURS.sub("", text)


def can_redraw(stream: TextIO) -> bool:
    """Whether a line on the stream can be drawn anew in its place."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def columns(stream: TextIO) -> int:
    """How wide the terminal behind a stream is; another stream may be a file, or another terminal."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_COLUMNS
    except (OSError, ValueError):  # no terminal, or no file at all
        return _USUAL_COLUMNS


def fitting(text: str, most: int, end: str = "") -> str:
    """The text, or as much of its beginning as fits into so many columns, and `end` to show that."""
    room = most
    for index, letter in enumerate(text):
        room -= columns_of(letter)
        if room < 0:
            return fitting(text[:index], most - len(end)) + end if end else text[:index]
    return text


def columns_of(letter: str) -> int:
    """How many columns a letter takes."""
    if combining(letter):
        return 0
    return 2 if east_asian_width(letter) in "WF" else 1
