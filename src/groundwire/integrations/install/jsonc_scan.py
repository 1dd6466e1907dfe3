"""Where things stand in a JSON text that may hold comments, trailing commas and JSON5's spellings.

The text has been parsed by a real parser before, so this scanner only measures; it judges nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyjson5

_LINE_ENDS = "\n\r\u2028\u2029"


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
        while position < len(text) and text[position] not in _LINE_ENDS:
            position += 1
        return position
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
    while position < len(text):
        character = text[position]
        if character in "\"'":
            position = _string_end(text, position)
            continue
        if character == "/":
            position = max(comment_end(text, position), position + 1)
            continue
        depth += (character in "{[") - (character in "}]")
        position += 1
        if depth == 0:
            break
    return position


def _string_end(text: str, position: int) -> int:
    quote = text[position]
    position += 1
    while position < len(text) and text[position] != quote:
        position += 2 if text[position] == "\\" else 1
    return position + 1


def _name(spelled: str) -> str:
    """A key as it is meant, however it is spelled: in either quotes, or none, with escapes."""
    (name,) = pyjson5.decode(f"{{{spelled}:0}}")
    return str(name)
