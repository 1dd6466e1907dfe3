"""One mistyped letter in a line that does not change, with every other line as in the file.

A typo is told from another name by its kind: one letter wrong, missing, doubled or swapped inside a word of
four letters or more, giving a word the file does not have, nor as a part of another word; or one mark of
punctuation missing or too many. Digits never count as typos: `x1` and `x2` are two things.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from groundwire.tools.diff import blocks
from groundwire.tools.matching.alignment import Alignment
from groundwire.tools.matching.blank_lines import align_filled
from groundwire.tools.matching.document import Document
from groundwire.tools.matching.keys import Key, key_of
from groundwire.tools.matching.readings import Reading
from groundwire.tools.matching.windows import places_of

FEWEST_LINES = 3
"""The mistyped line and two that pin its place."""
MOST_PLACES = 400
"""A line that stands in the file more often pins nothing."""
SHORTEST_WORD = 4
FEWEST_LETTERS = 8
"""In a line with fewer letters, `}` and `};` for one, a mark more or less is another line."""
_LOOSE_MARKS = set(",;:.()[]{}'\"`")
_SUBWORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Slip:
    """The one place where two texts differ: `ours` has `wrote` at `at`, `theirs` has `meant` there."""

    at: int
    wrote: str
    meant: str


def typo_alignments(document: Document, reading: Reading) -> list[Alignment]:
    """Every place where all lines match but one, and that one is mistyped and stays unchanged."""
    old = reading.old_lines
    filled = [index for index, line in enumerate(old) if line.strip()]
    if len(filled) < FEWEST_LINES:
        return []
    wanted = [key_of(Key.SPACING, old[index]) for index in filled]
    keys = document.keys(Key.SPACING)
    there = [keys[index] for index in document.filled]
    changing = _changing(reading)
    found: list[Alignment] = []
    for start in _starts(there, wanted):
        wrong = [index for index, key in enumerate(wanted) if there[start + index] != key]
        if len(wrong) != 1 or filled[wrong[0]] in changing:
            continue
        if is_typo(wanted[wrong[0]], there[start + wrong[0]], document.text):
            found.append(align_filled(old, filled, document.filled[start : start + len(filled)]))
    return found


def _changing(reading: Reading) -> set[int]:
    old = [line.rstrip() for line in reading.old_lines]
    changes = blocks(old, [line.rstrip() for line in reading.new_lines])
    return {line for block in changes for line in range(block.old_start, block.old_end)}


def _starts(there: list[str], wanted: list[str]) -> list[int]:
    """Starts worth a look. With one line wrong, one of the two rarest lines is right."""
    places = places_of(there, wanted)
    by_rarity = sorted(
        (index for index in range(len(wanted)) if places[wanted[index]]),
        key=lambda index: len(places[wanted[index]]),
    )
    starts: set[int] = set()
    for index in by_rarity[:2]:
        if len(places[wanted[index]]) <= MOST_PLACES:
            starts.update(place - index for place in places[wanted[index]])
    return sorted(start for start in starts if 0 <= start <= len(there) - len(wanted))


def is_typo(ours: str, theirs: str, text: str) -> bool:
    """Whether the key `ours` is the key `theirs` mistyped, in a file that holds `text`."""
    slip = _slip(ours.replace(" ", ""), theirs.replace(" ", ""))
    if slip is None or any(character.isdigit() for character in slip.wrote + slip.meant):
        return False
    letters = [character.isalpha() for character in slip.wrote + slip.meant]
    if not any(letters):
        one_mark = not (slip.wrote and slip.meant) and slip.wrote + slip.meant in _LOOSE_MARKS
        return one_mark and len(re.findall(r"[^\W\d_]", theirs)) >= FEWEST_LETTERS
    return _is_mistyped_word(ours, theirs, text)


def _is_mistyped_word(ours: str, theirs: str, text: str) -> bool:
    """Exactly one word differs, is long enough, and what was written is no word of the file."""
    mine, its = ours.split(), theirs.split()
    if len(mine) != len(its):
        # A letter became a mark, or a mark a letter, and the words fell apart there.
        return True
    different = [(a, b) for a, b in zip(mine, its, strict=True) if a != b]
    if len(different) != 1:
        return False
    wrote, meant = different[0]
    if re.search(rf"(?<!\w){re.escape(wrote)}(?!\w)", text):
        return False
    slip = _slip(wrote, meant)
    if slip is None or _is_known_part(wrote, slip, text):
        return False
    inside = [match for match in _SUBWORD.finditer(meant) if match.start() <= slip.at <= match.end()]
    longest = max((len(match.group()) for match in inside), default=0)
    if longest < SHORTEST_WORD:
        return False
    at_end = slip.at >= min(len(wrote), len(meant))
    return not (at_end and len(wrote) != len(meant))  # `item` and `items` are two things


def _is_known_part(wrote: str, slip: Slip, text: str) -> bool:
    """Whether the part of the word that was mistyped is a part of words in the file: `sync` is no `async`."""
    parts = (match[0] for match in _SUBWORD.finditer(wrote) if match.start() <= slip.at <= match.end())
    for part in parts:
        low, capital, high = re.escape(part.lower()), re.escape(part.capitalize()), re.escape(part.upper())
        known = rf"(?<![^\W\d_]){low}(?![a-z])|{capital}(?![a-z])|(?<![A-Z]){high}(?![A-Z])"
        if re.search(known, text):
            return True
    return False


def _slip(ours: str, theirs: str) -> Slip | None:
    """The single slip between two texts; None when they are equal or further apart."""
    at = 0
    shorter = min(len(ours), len(theirs))
    while at < shorter and ours[at] == theirs[at]:
        at += 1
    if len(ours) == len(theirs):
        if at == len(ours):
            return None
        if ours[at + 1 :] == theirs[at + 1 :]:
            return Slip(at, ours[at], theirs[at])
        swapped = ours[at : at + 2] == theirs[at : at + 2][::-1] and ours[at + 2 :] == theirs[at + 2 :]
        return Slip(at, ours[at : at + 2], theirs[at : at + 2]) if swapped else None
    if len(ours) == len(theirs) + 1 and ours[at + 1 :] == theirs[at:]:
        return Slip(at, ours[at], "")
    if len(theirs) == len(ours) + 1 and theirs[at + 1 :] == ours[at:]:
        return Slip(at, "", theirs[at])
    return None
