"""Blank lines dropped or added: the lines that are not blank follow each other as in the old string."""

from __future__ import annotations

from groundwire.tools.matching.alignment import Alignment
from groundwire.tools.matching.document import Document
from groundwire.tools.matching.keys import Key, key_of
from groundwire.tools.matching.windows import windows


def blank_line_alignments(document: Document, old_lines: list[str]) -> list[Alignment]:
    """Every place where the old string stands when blank lines do not count."""
    filled = [index for index, line in enumerate(old_lines) if line.strip()]
    if len(filled) < 2:
        return []
    wanted = [key_of(Key.SPACING, old_lines[index]) for index in filled]
    keys = document.keys(Key.SPACING)
    starts = windows([keys[index] for index in document.filled], wanted)
    return [align_filled(old_lines, filled, document.filled[start : start + len(filled)]) for start in starts]


def align_filled(old_lines: list[str], filled: list[int], places: list[int]) -> Alignment:
    """The alignment that follows from where the filled lines stand.

    Between two of them, blank lines are aligned one to one when there are equally many on both sides,
    and otherwise not at all.
    """
    lines: list[int | None] = [None] * len(old_lines)
    for index, place in zip(filled, places, strict=True):
        lines[index] = place
    for (index, place), (following, next_place) in zip(
        zip(filled, places, strict=True), zip(filled[1:], places[1:], strict=True), strict=False
    ):
        if following - index == next_place - place:
            for step in range(1, following - index):
                lines[index + step] = place + step
    return Alignment(tuple(lines))
