"""The mistakes of language models in an edit call: how each one damages a call that would have been right.

A mistake is a function from an Edit to the strings the model sends first, or None where it cannot be made.
What the model sends after a refusal is always right, so a toolset is judged by three things: does it see
what was meant, does it refuse what it cannot know, and does its refusal cost the model many turns. Most
damage is done to lines that stay or to both strings alike: there it can be told what was meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from groundwire.evaluation.edits import Edit


@dataclass(frozen=True, slots=True)
class Strings:
    """What a model sends as the old and the new text."""

    old: str
    new: str


Mistake = Callable[[Edit], Strings | None]

_SMART = str.maketrans({"'": "\u2019", "-": "\u2010"})


# -- indentation and blanks -----------------------------------------------------------------------------


def indentation(edit: Edit) -> Strings | None:
    """The common indentation is missing in both strings."""
    inner = _indented_part(edit)
    common = _common_indentation(inner)
    return _both(inner, lambda line: line[len(common) :] if line.strip() else line) if common else None


def too_deep(edit: Edit) -> Strings | None:
    """Both strings are indented four blanks too deep."""
    return _both(edit, lambda line: f"    {line}" if line.strip() else line)


def tabs(edit: Edit) -> Strings | None:
    """Tabs where the file indents with blanks, or blanks where it indents with tabs."""

    def turned(line: str) -> str:
        indent = line[: len(line) - len(line.lstrip())]
        other = indent.replace("\t", "    ") if "\t" in indent else indent.replace("    ", "\t")
        return other + line[len(indent) :]

    return _both(edit, turned)


def trailing_blanks(edit: Edit) -> Strings | None:
    """Two blanks at the end of the lines that stay."""
    return _context(edit, lambda line: f"{line}  " if line.strip() else line)


def crlf(edit: Edit) -> Strings | None:
    """Lines that end in CR LF, in both strings."""
    return _different(edit, edit.old.replace("\n", "\r\n"), edit.new.replace("\n", "\r\n"))


# -- decoration -----------------------------------------------------------------------------------------


def quotes(edit: Edit) -> Strings | None:
    """Typographic quotes in the lines that stay."""

    def prettified(line: str) -> str:
        return re.sub(r'"([^"]*)"', "\u201c\\1\u201d", line).translate(_SMART if "'" in line else {})

    return _context(edit, prettified)


def escaped(edit: Edit) -> Strings | None:
    """Both strings escaped once too often, as the inside of a JSON string."""
    old, new = (json.dumps(text, ensure_ascii=False)[1:-1] for text in (edit.old, edit.new))
    return _different(edit, old, new)


def fence(edit: Edit) -> Strings | None:
    """Both strings in a Markdown fence."""
    return Strings(f"```\n{edit.old}\n```", f"```\n{edit.new}\n```")


def line_numbers(edit: Edit) -> Strings | None:
    """Both strings with the line numbers of a view, as `view` of the legacy editor shows them."""

    def numbered(text: str) -> str:
        return "\n".join(f"{edit.first_line + at:6}\t{line}" for at, line in enumerate(text.split("\n")))

    return Strings(numbered(edit.old), numbered(edit.new))


# -- content --------------------------------------------------------------------------------------------


def typo(edit: Edit) -> Strings | None:
    """One letter wrong in a line that stays."""
    return _context(edit, _mistyped, most=1)


def typo_in_change(edit: Edit) -> Strings | None:
    """One letter wrong in a line that is to be changed: what was meant cannot be known for certain."""
    removed = _first_changed(edit.removed, _mistyped)
    if removed is None:
        return None
    return Strings("\n".join((*edit.above, *removed, *edit.below)), edit.new)


def stale(edit: Edit) -> Strings | None:
    """A line that stays, as an older version of the file had it: one word of it was another word then."""

    def older(line: str) -> str:
        words = re.findall(r"[A-Za-z_]{4,}", line)
        return line.replace(words[-1], f"old_{words[-1]}", 1) if words else line

    return _context(edit, older, most=1)


def too_short(edit: Edit) -> Strings | None:
    """Only the lines that change; without the lines around them, they may be there more than once."""
    if not edit.removed or not "".join(edit.removed).strip():
        return None
    return _different(edit, "\n".join(edit.removed), "\n".join(edit.added))


def elided(edit: Edit) -> Strings | None:
    """A placeholder instead of the new text's last lines."""
    return Strings(edit.old, "\n".join((*edit.above, *edit.added, "// rest of code ...")))


STRING_MISTAKES: dict[str, Mistake] = {
    function.__name__.replace("_", "-"): function
    for function in (
        indentation, too_deep, tabs, trailing_blanks, crlf, quotes, escaped, fence, line_numbers,
        typo, typo_in_change, stale, too_short, elided,
    )
}  # fmt: skip
"""Mistakes in the strings of an edit, by name."""

CALL_MISTAKES = {
    "wrong-path": "A letter of the file's name is wrong.",
    "other-dialect": "The parameters are those of the other toolset.",
    "whole-file": "The whole file is written again instead of edited.",
}
"""Mistakes in the call itself, by name; `replay.py` makes them."""

EXACT = "exact"
VARIANTS = (EXACT, *STRING_MISTAKES, *CALL_MISTAKES)
"""Every way to replay a fix: without a mistake, and with each of them."""


def described(variant: str) -> str:
    """A sentence about a variant."""
    if variant == EXACT:
        return "The fix as it should be called."
    if variant in CALL_MISTAKES:
        return CALL_MISTAKES[variant]
    return (STRING_MISTAKES[variant].__doc__ or "").strip()


# -- how ------------------------------------------------------------------------------------------------


def _different(edit: Edit, old: str, new: str) -> Strings | None:
    return Strings(old, new) if (old, new) != (edit.old, edit.new) else None


def _both(edit: Edit, damage: Callable[[str], str]) -> Strings | None:
    old, new = ("\n".join(map(damage, text.split("\n"))) for text in (edit.old, edit.new))
    return _different(edit, old, new)


def _context(edit: Edit, damage: Callable[[str], str], most: int | None = None) -> Strings | None:
    """The damage done to the lines that stay, in both strings; to at most so many of them."""
    left = len(edit.above) + len(edit.below) if most is None else most
    lines: list[str] = []
    for line in (*edit.above, *edit.below):
        damaged = damage(line) if left else line
        left -= damaged != line
        lines.append(damaged)
    above, below = lines[: len(edit.above)], lines[len(edit.above) :]
    return _different(
        edit, "\n".join((*above, *edit.removed, *below)), "\n".join((*above, *edit.added, *below))
    )


def _mistyped(line: str) -> str:
    """The line with two letters of its longest word exchanged."""
    words = sorted(re.findall(r"[A-Za-z]{5,}", line), key=len)
    for word in reversed(words):
        for at in range(1, len(word) - 2):
            if word[at] != word[at + 1]:
                return line.replace(word, word[:at] + word[at + 1] + word[at] + word[at + 2 :], 1)
    return line


def _first_changed(lines: tuple[str, ...], damage: Callable[[str], str]) -> tuple[str, ...] | None:
    for at, line in enumerate(lines):
        if damage(line) != line:
            return (*lines[:at], damage(line), *lines[at + 1 :])
    return None


def _indented_part(edit: Edit) -> Edit:
    """The edit with only the indented lines around it, as a model quotes the inside of a block."""
    first = next((at for at in range(len(edit.above), 0, -1) if _is_flush(edit.above[at - 1])), 0)
    last = next((at for at, line in enumerate(edit.below) if _is_flush(line)), len(edit.below))
    return Edit(
        edit.path, edit.above[first:], edit.removed, edit.added, edit.below[:last], edit.first_line + first
    )


def _is_flush(line: str) -> bool:
    return bool(line) and not line[0].isspace()


def _common_indentation(edit: Edit) -> str:
    lines = [line for line in f"{edit.old}\n{edit.new}".split("\n") if line.strip()]
    indents = [line[: len(line) - len(line.lstrip())] for line in lines]
    shortest = min(indents, key=len, default="")
    return shortest if all(indent.startswith(shortest) for indent in indents) else ""
