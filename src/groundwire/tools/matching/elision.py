"""An elided middle: `...` on a line of its own stands for lines that stay as they are.

The mark must be in both strings, unchanged. Every part that changes must stand in the file exactly once,
parts without changes must follow in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from groundwire.tools.diff import blocks
from groundwire.tools.matching.alignment import Alignment
from groundwire.tools.matching.decision import Uncertain
from groundwire.tools.matching.document import Document
from groundwire.tools.matching.keys import Key, key_of
from groundwire.tools.matching.readings import Reading
from groundwire.tools.matching.windows import windows

_ELISION = re.compile(
    r"\s*(?:#|//|--|;|%|/\*|<!--|\{/\*|\*)?\s*"
    r"[\[(<{]?\s*(?:\.{3,}|…)(?:[\w ,'’-]{0,60}(?:\.{3,}|…))?\s*[\])>}]?\s*(?:\*/\}?|-->)?\s*"
)

FEWEST_CHARACTERS = 8
"""A part with a change that has fewer characters is found by accident."""


def is_elision(line: str) -> bool:
    """Whether a line is nothing but a mark for lines left out."""
    return len(line) < 120 and _ELISION.fullmatch(line) is not None


def elision_alignments(document: Document, reading: Reading) -> list[Alignment]:
    """The place of a string with an elided middle: one alignment, or none."""
    old = reading.old_lines
    marks = [index for index, line in enumerate(old) if is_elision(line)]
    parts = list(_parts(old, marks))
    if not marks or len(parts) < 2:
        return []
    changed = _changed_lines(reading)
    if changed is None or any(mark in changed for mark in marks):
        return []
    keys = document.keys(Key.SPACING)
    hits = {
        part: windows(keys, [key_of(Key.SPACING, line) for line in old[part[0] : part[1]]]) for part in parts
    }
    if not all(hits.values()):
        return []
    fixed = {part: starts[0] for part, starts in hits.items() if len(starts) == 1}
    touched = [part for part in parts if any(part[0] <= line < part[1] for line in changed)]
    if any(part not in fixed for part in touched):
        raise Uncertain("a part beside the elided lines stands in the file more than once")
    if any(_is_slight(old[part[0] : part[1]]) for part in touched):
        raise Uncertain("too little of the changed lines is beside the elided ones")
    chosen = _in_order(parts, hits, fixed)
    if chosen is None:
        return []
    alignment = _aligned(len(old), parts, chosen)
    _check_that_lines_are_left_out(document, old, marks, alignment)
    return [alignment]


def _check_that_lines_are_left_out(
    document: Document, old: list[str], marks: list[int], alignment: Alignment
) -> None:
    """Uncertain, when the dots may stand for themselves."""
    meant = set(alignment.lines)
    if any(
        is_elision(document.lines[at]) for at in range(alignment.first, alignment.last) if at not in meant
    ):
        raise Uncertain("the file itself has a line of dots there, so old_string may mean that line")
    written = {old[mark].strip() for mark in marks}
    if any(line.strip() in written for line in document.lines):
        raise Uncertain("the file itself has such lines of dots, so old_string may mean one of them")
    if any(_is_a_body(old, mark) for mark in marks):
        raise Uncertain("the line of dots may be the whole body of a function")


def _is_a_body(old: list[str], mark: int) -> bool:
    """Whether the mark may be Python's `...`: a statement that is a whole block, or all but its docstring."""
    before = next((line for line in reversed(old[:mark]) if line.strip()), "").rstrip()
    after = next((line for line in old[mark + 1 :] if line.strip()), None)
    if old[mark].strip() != "..." or after is None or _indentation(after) >= _indentation(old[mark]):
        return False
    below_a_docstring = before.endswith(('"""', "'''")) and _indentation(before) == _indentation(old[mark])
    return below_a_docstring or before.endswith(":")


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_slight(lines: list[str]) -> bool:
    return sum(len(line.strip()) for line in lines) < FEWEST_CHARACTERS


def _parts(old: list[str], marks: list[int]) -> Iterator[tuple[int, int]]:
    """The stretches between the marks, blank lines at their ends left off."""
    for start, end in zip([-1, *marks], [*marks, len(old)], strict=True):
        first, last = start + 1, end
        while first < last and not old[first].strip():
            first += 1
        while last > first and not old[last - 1].strip():
            last -= 1
        if first < last:
            yield first, last


def _changed_lines(reading: Reading) -> set[int] | None:
    """Lines of the old string that change, and those on both sides of an insertion."""
    old, new = reading.old_lines, reading.new_lines
    if [line for line in old if is_elision(line)] != [line for line in new if is_elision(line)]:
        return None
    changed: set[int] = set()
    for block in blocks([line.rstrip() for line in old], [line.rstrip() for line in new]):
        if block.old_start == block.old_end:
            beside = {block.old_start - 1, block.old_start} & set(range(len(old)))
            changed |= {line for line in beside if not is_elision(old[line])}
        changed |= set(range(block.old_start, block.old_end))
    return changed


def _in_order(
    parts: list[tuple[int, int]], hits: dict[tuple[int, int], list[int]], fixed: dict[tuple[int, int], int]
) -> list[int] | None:
    """A start for each part, each after the one before; parts found several times take the nearest."""
    if not fixed:
        return None
    anchor = next(index for index, part in enumerate(parts) if part in fixed)
    chosen = {anchor: fixed[parts[anchor]]}
    for index in range(anchor - 1, -1, -1):
        size = parts[index][1] - parts[index][0]
        before = [start for start in hits[parts[index]] if start + size <= chosen[index + 1]]
        if not before:
            return None
        chosen[index] = before[-1]
    for index in range(anchor + 1, len(parts)):
        size = parts[index - 1][1] - parts[index - 1][0]
        after = [start for start in hits[parts[index]] if start >= chosen[index - 1] + size]
        if not after:
            return None
        chosen[index] = after[0]
    return [chosen[index] for index in range(len(parts))]


def _aligned(size: int, parts: list[tuple[int, int]], starts: list[int]) -> Alignment:
    lines: list[int | None] = [None] * size
    for (first, last), start in zip(parts, starts, strict=True):
        for index in range(first, last):
            lines[index] = start + index - first
    return Alignment(tuple(lines))
