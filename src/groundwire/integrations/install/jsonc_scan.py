"""Where things stand in a JSON text that may hold comments, trailing commas and JSON5's spellings.

The text has been parsed by a real parser before, so this scanner only measures; it judges nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from groundwire.config.files import parse_jsonc

_STRUCTURE = re.compile(r"""["'{}\[\]]|//|/\*""")
_LINE_END = re.compile("[\n\r\u2028\u2029]|$")
_STRING_REST = {quote: re.compile(rf"(?:[^{quote}\\]|\\.)*{quote}", re.DOTALL) for quote in ("'", '"')}


@dataclass(frozen=True, slots=True)
class Member:
    """One `key: value` of an object. `comma` is the place of the comma behind it, if there is one."""

    key: str
    start: int
    value: int
    end: int
    comma: int | None


@dataclass(frozen=True, slots=True)
class ObjectSpan:
    """An object: the places of its braces, and its members."""

    opened: int
    closed: int
    members: tuple[Member, ...]

    def last(self, key: str) -> Member | None:
        """The member of this name that counts: of several, the last one."""
        return next((member for member in reversed(self.members) if member.key == key), None)


def is_space(character: str) -> bool:
    """Whether JSON5 takes the character for white space."""
    return character.isspace() or character == "\ufeff"


def skip(text: str, position: int) -> int:
    """The first place at or after `position` that is neither white space nor comment."""
    while position < len(text):
        if is_space(text[position]):
            position += 1
        elif (after := comment_end(text, position)) > position:
            position = after
        else:
            break
    return position


def comment_end(text: str, position: int) -> int:
    """Where the comment that begins here ends, without its line end; `position` when none begins here."""
    if text.startswith("//", position):
        found = _LINE_END.search(text, position)
        return found.start() if found else len(text)
    if text.startswith("/*", position):
        closed = text.find("*/", position + 2)
        return len(text) if closed < 0 else closed + 2
    return position


def object_at(text: str, position: int) -> ObjectSpan:
    """The object whose opening brace stands at `position`."""
    members: list[Member] = []
    at = skip(text, position + 1)
    while at < len(text) and text[at] != "}":
        key_end = value_end(text, at)
        colon = skip(text, key_end)
        value = skip(text, colon + 1)
        end = value_end(text, value)
        after = skip(text, end)
        comma = after if text[after : after + 1] == "," else None
        members.append(Member(_name(text[at:key_end]), at, value, end, comma))
        at = after if comma is None else skip(text, comma + 1)
    return ObjectSpan(position, at, tuple(members))


def value_end(text: str, position: int) -> int:
    """Where the value (or key) that begins at `position` ends."""
    first = text[position]
    if first in "\"'":
        return _string_end(text, position)
    if first not in "{[":
        while position < len(text) and text[position] not in ",:]}/" and not is_space(text[position]):
            position += 1
        return position
    depth = 0
    while found := _STRUCTURE.search(text, position):
        mark, position = found.group(), found.end()
        if mark in "\"'":
            position = _string_end(text, found.start())
        elif mark in ("//", "/*"):
            position = comment_end(text, found.start())
        else:
            depth += 1 if mark in "{[" else -1
            if depth == 0:
                return position
    return len(text)


def _string_end(text: str, position: int) -> int:
    found = _STRING_REST[text[position]].match(text, position + 1)
    return found.end() if found else len(text)


def _name(spelled: str) -> str:
    """A key as it is meant, however it is spelled: in either quotes, or none, with escapes."""
    (name,) = parse_jsonc(f"{{{spelled}:0}}")
    return name
