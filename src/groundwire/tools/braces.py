"""Brace expansion in glob patterns: `*.{ts,tsx}` is two patterns, `file{1..3}` three."""

from __future__ import annotations

import re

from groundwire.tools.base import invalid

MOST_PATTERNS = 1000
"""More alternatives than this are refused; no honest pattern has them."""
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?|([a-zA-Z])\.\.([a-zA-Z])(?:\.\.(-?\d+))?")


def expand_braces(pattern: str) -> list[str]:
    """The patterns that `pattern` stands for; itself when it has no braces. Raises ToolError."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        if len(done) + len(waiting) > MOST_PATTERNS:
            raise invalid(
                f"The pattern stands for more than {MOST_PATTERNS} patterns. Use a wildcard such as `*`."
            )
        text = waiting.pop()
        opened = _first_group(text)
        if opened is None:
            done.append(text)
            continue
        start, end, choices = opened
        waiting += [text[:start] + choice + text[end:] for choice in reversed(choices[: MOST_PATTERNS + 1])]
    return done


def _first_group(text: str) -> tuple[int, int, list[str]] | None:
    """Where the first group that expands begins and ends, and what it expands to."""
    at = 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        if text[at] == "{" and text[at - 1 : at] != "$":
            found = _group(text, at)
            if found is not None:
                return found
        at += 1
    return None


def _group(text: str, start: int) -> tuple[int, int, list[str]] | None:
    depth = 0
    pieces: list[str] = []
    begin = at = start + 1
    while at < len(text):
        character = text[at]
        if character == "\\":
            at += 1
        elif character == "{":
            depth += 1
        elif character == "}" and depth:
            depth -= 1
        elif character in ",}" and not depth:
            pieces.append(text[begin:at])
            begin = at + 1
            if character == "}":
                choices = pieces if len(pieces) > 1 else _range(pieces[0])
                return (start, at + 1, choices) if choices else None
        at += 1
    return None


def _range(text: str) -> list[str]:
    found = _RANGE.fullmatch(text)
    if found is None:
        return []
    letters = found[4] is not None
    first, last = (ord(found[4]), ord(found[5])) if letters else (int(found[1]), int(found[2]))
    step = abs(int((found[6] if letters else found[3]) or 1)) or 1
    numbers = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    chosen = list(numbers[: MOST_PATTERNS + 1])
    if letters:
        return [chr(number) for number in chosen]
    padded = any(re.fullmatch(r"-?0\d+", side) for side in (found[1], found[2]))
    width = max(len(found[1]), len(found[2])) if padded else 0
    return [f"{number:0{width}d}" if width else str(number) for number in chosen]
