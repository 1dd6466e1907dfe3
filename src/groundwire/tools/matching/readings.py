"""What may have been meant by an old and a new string: as given, or with decoration taken off.

Models copy more than the text: the fence of a code block, a viewer's line numbers, one layer of escaping
too many, HTML entities. Each decoration that `old` carries throughout gives one more reading of the pair;
whether a reading is right, the file decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand the strings of a call, line endings as LF."""

    old: str
    new: str
    removed: str = ""
    """What was taken off; empty for the strings as they were given."""
    line: int | None = None
    """Where the old string must stand, when it is a single line that came with its number."""

    @property
    def old_lines(self) -> list[str]:
        """The lines of the old string."""
        return _lines(self.old)

    @property
    def new_lines(self) -> list[str]:
        """The lines of the new string; none when it is empty."""
        return _lines(self.new)


def readings(old: str, new: str) -> list[Reading]:
    """All readings, the literal one first."""
    given = Reading(old, new)
    found = [given]
    for reading in [given, *_unfenced(given)]:
        if reading is not given:
            found.append(reading)
        found += _unnumbered(reading)
        found += _unescaped(reading)
        found += _without_entities(reading)
    # What is blank without its decoration (the number of an empty line) says nothing about its place.
    return [reading for reading in found if reading is given or reading.old.strip()]


def _lines(text: str) -> list[str]:
    if not text:
        return []
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


# -- code fences ----------------------------------------------------------------------------------------

_FENCE = re.compile(r"\s*(?P<fence>`{3,}|~{3,})[^`\n]*\n(?P<body>.*?)\n?[ \t]*(?P=fence)\s*", re.DOTALL)


def _unfenced(reading: Reading) -> Iterator[Reading]:
    fenced = _FENCE.fullmatch(reading.old)
    if fenced is None:
        return
    new = _FENCE.fullmatch(reading.new)
    yield Reading(fenced["body"], new["body"] if new else reading.new, "the code fence")


# -- line numbers ---------------------------------------------------------------------------------------

# "12: x", "12 | x", "12│x", "12→x", "L12: x", "   12<tab>x". The blank after the mark may belong to the text.
_NUMBERED = re.compile(
    r"(?P<mark>[ \t]*L?(?P<number>\d{1,7})(?: ?[|│┃→:]|\t|(?=\s*$)))(?P<text>.*)", re.DOTALL
)


def _unnumbered(reading: Reading) -> Iterator[Reading]:
    numbered = [_NUMBERED.fullmatch(line) for line in reading.old_lines]
    if not numbered or not all(numbered):
        return
    numbers = [int(match["number"]) for match in numbered if match]
    if any(later - earlier != 1 for earlier, later in pairwise(numbers)):
        return
    for blanks in (1, 0):
        try:
            old = [_without_number(line, blanks) for line in reading.old_lines]
            new = [_without_number(line, blanks) if _NUMBERED.fullmatch(line) else line
                   for line in reading.new_lines]  # fmt: skip
        except ValueError:
            continue
        # One line with a number before it can be `1: one` of some table; it must stand where it says.
        line = numbers[0] if len(numbers) == 1 else None
        yield Reading(_joined(old, reading.old), _joined(new, reading.new), "the line numbers", line)


def _without_number(line: str, blanks: int) -> str:
    match = _NUMBERED.fullmatch(line)
    assert match is not None
    text = match["text"]
    if blanks and text:
        if not text.startswith(" "):
            raise ValueError(line)
        return text[1:]
    return text


def _joined(lines: list[str], like: str) -> str:
    return "\n".join(lines) + ("\n" if like.endswith("\n") and lines else "")


# -- escaping -------------------------------------------------------------------------------------------

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MEANING = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\", "/": "/", "`": "`", "$": "$"}


def _unescaped(reading: Reading) -> Iterator[Reading]:
    if "\\" not in reading.old:
        return
    found: list[Reading] = []
    for undo in _UNDO:
        old, new = undo(reading.old), undo(reading.new)
        if old is None or new is None or old == reading.old:
            continue
        if undo is _undo_line_ends and found:
            continue  # escaped throughout, quotes as well: more than line ends were escaped
        # Two rules may agree on the old text and not on the new one; then the file cannot decide, and
        # `find` refuses.
        undone = Reading(old, new, "one layer of escaping")
        if undone not in found:
            found.append(undone)
    yield from found


def _undo_layer(text: str) -> str | None:
    """The text inside a JSON string: nothing in it may stand unescaped that JSON would have escaped."""
    if "\n" in text or re.search(r'(?<!\\)(?:\\\\)*"', text):
        return None
    return _replaced(text, 'ntr"\\/')


def _undo_quotes(kinds: str, text: str) -> str | None:
    """Backslashes before quotes of these kinds; every quote of a kind must have one."""
    if any(quote in text.replace(f"\\{quote}", "") for quote in kinds):
        return None
    return re.sub(rf"\\([{kinds}])", r"\1", text)


def _undo_marks(text: str) -> str | None:
    """Double quotes and backslashes escaped, line ends not; every backslash must start such a pair."""
    if re.search(r'(?<!\\)(?:\\\\)*"', text):
        return None
    return _replaced(text, '"\\')


def _undo_line_ends(text: str) -> str | None:
    """`\\n` and `\\t` written out, everything else as it is."""
    if "\n" in text:
        return None
    return re.sub(r"(?<!\\)\\([nt])", lambda match: _MEANING[match[1]], text)


def _undo_backslashes(text: str) -> str | None:
    """Every backslash doubled, nothing else escaped."""
    if re.search(r"(?<!\\)(?:\\\\)*\\(?!\\)", text):
        return None
    return text.replace("\\\\", "\\")


def _replaced(text: str, allowed: str) -> str | None:
    """Escapes undone; None when the text has one that is not `allowed`."""
    if any(match[1] not in allowed for match in _ESCAPE.finditer(text)):
        return None
    if re.search(r"(?<!\\)(?:\\\\)*\\$", text):
        return None
    return _ESCAPE.sub(lambda match: _MEANING[match[1]], text)


_UNDO: tuple[Callable[[str], str | None], ...] = (
    _undo_layer,
    partial(_undo_quotes, '"'),
    partial(_undo_quotes, "'"),
    partial(_undo_quotes, "\"'"),
    _undo_marks,
    _undo_line_ends,
    _undo_backslashes,
)


# -- HTML entities --------------------------------------------------------------------------------------

_ENTITIES = {
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&#34;": '"',
    "&#39;": "'",
    "&#x27;": "'",
    "&apos;": "'",
}
_ENTITY = re.compile("|".join([*_ENTITIES, "&amp;"]))


def _without_entities(reading: Reading) -> Iterator[Reading]:
    old, new = _undo_entities(reading.old), _undo_entities(reading.new)
    if old is not None and new is not None and old != reading.old:
        yield Reading(old, new, "the HTML entities")


def _undo_entities(text: str) -> str | None:
    if "<" in text or ">" in text:
        return None
    return _ENTITY.sub(lambda match: _ENTITIES.get(match[0], "&"), text)
