"""The nearest candidates: where in the file something like the old string stands, and how it differs."""

from __future__ import annotations

from collections import Counter

from groundwire.tools.diff import Kind, compare
from groundwire.tools.matching.decision import Candidate, LineRange
from groundwire.tools.matching.document import Document
from groundwire.tools.matching.keys import Key, key_of, tokens
from groundwire.tools.matching.windows import places_of

MOST_CANDIDATES = 3
MOST_PLACES = 200
MOST_LINES = 12
MOST_CHARACTERS = 160
_SEARCHED_LINES = 200_000


def nearest(document: Document, old_lines: list[str]) -> tuple[Candidate, ...]:
    """Up to three places that share the most with `old_lines`, the best first."""
    if not old_lines or not document.lines:
        return ()
    starts = _by_equal_lines(document, old_lines) or _by_common_words(document, old_lines)
    return tuple(candidate(document, start, old_lines) for start in starts[:MOST_CANDIDATES])


def candidate(document: Document, start: int, old_lines: list[str]) -> Candidate:
    """The lines from `start` on, set against `old_lines`."""
    first = max(0, start)
    last = max(first + 1, min(len(document.lines), start + len(old_lines)))
    there = document.lines[first:last]
    shown: list[str] = []
    for run in compare([line.rstrip() for line in old_lines], [line.rstrip() for line in there]):
        if run.kind is Kind.REMOVED:
            shown += ("- " + line for line in old_lines[run.old_start : run.old_end])
        else:
            mark = "+ " if run.kind is Kind.ADDED else "  "
            shown += (mark + line for line in there[run.new_start : run.new_end])
    return Candidate(LineRange(first + 1, last), _shortened(shown))


def _shortened(shown: list[str]) -> str:
    """The lines that differ with one around them, each cut to a readable length."""
    near = {index + step for index, line in enumerate(shown) if line[0] in "+-" for step in (-1, 0, 1)} & set(
        range(len(shown))
    )
    kept = sorted(near)[:MOST_LINES]
    lines: list[str] = []
    for before, index in zip([-1, *kept], kept, strict=False):
        if index > before + 1:
            lines.append("  ...")
        line = shown[index]
        lines.append(line if len(line) <= MOST_CHARACTERS else line[:MOST_CHARACTERS] + "...")
    if kept and kept[-1] < len(shown) - 1:
        lines.append("  ...")
    return "\n".join(lines)


def _by_equal_lines(document: Document, old_lines: list[str]) -> list[int]:
    """Each line of the file that is also a line of the old string votes for a start."""
    keys = document.keys(Key.SPACING)
    wanted = [key_of(Key.SPACING, line) for line in old_lines]
    places = places_of(keys, [key for key in wanted if key])
    votes: Counter[int] = Counter()
    for index, key in enumerate(wanted):
        found = places.get(key, [])
        if not found or len(found) > MOST_PLACES:
            continue
        for place in found:
            votes[place - index] += len(key)
    ranked = sorted(votes, key=lambda start: (-votes[start], start))
    best = [start for start in ranked if votes[start] * 2 >= votes[ranked[0]]]
    return _distinct(best, len(old_lines))


def _by_common_words(document: Document, old_lines: list[str]) -> list[int]:
    """No line is equal: the lines that share the most words with the longest line of the old string."""
    index = max(range(len(old_lines)), key=lambda at: len(old_lines[at].strip()))
    words = {token.normal for token in tokens(old_lines[index]) if len(token.normal) > 1}
    if not words:
        return []
    scores: list[tuple[int, int]] = []
    for at, key in enumerate(document.keys(Key.SPACING)[:_SEARCHED_LINES]):
        common = len(words.intersection(key.split(" ")))
        if common * 2 >= len(words):
            scores.append((-common, at - index))
    return _distinct([start for _, start in sorted(scores)[:20]], len(old_lines))


def _distinct(starts: list[int], size: int) -> list[int]:
    """The starts without those that lie within another place."""
    kept: list[int] = []
    for start in starts:
        if all(abs(start - other) >= max(1, size // 2) for other in kept):
            kept.append(start)
        if len(kept) == MOST_CANDIDATES:
            break
    return kept
