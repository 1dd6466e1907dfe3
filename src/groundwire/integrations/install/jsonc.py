"""Adding one entry to a JSON text and removing it again; every other byte stays as it is.

Comments, trailing commas, indentation, line ends, a byte order mark and a missing last line end are kept.
`add` only ever inserts. Both functions parse what comes out and compare: the result says exactly one entry
more, or one less, than before; a text that would not is refused.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence

from groundwire.config.files import Unreadable, parse_jsonc
from groundwire.integrations.install.insertion import (
    Added,
    CannotEdit,
    Insertion,
    cut_out,
    end_of_line,
    line_at,
    moved,
    put_in,
)
from groundwire.integrations.install.jsonc_scan import (
    Member,
    ObjectSpan,
    comment_end,
    is_space,
    object_at,
    skip,
)

_INDENTED_KEY = re.compile(r"\n([ \t]+)[\"'\w$]")


def parse(text: str) -> dict[str, object]:
    """What the text says; a blank text says nothing. CannotEdit with the line of a mistake."""
    if is_blank(text):
        return {}
    try:
        return parse_jsonc(text.removeprefix("\ufeff"))
    except Unreadable as trouble:
        raise CannotEdit(trouble.reason, trouble.line) from None


def is_blank(text: str) -> bool:
    """Whether there is nothing but white space and comments."""
    return skip(text, 0) >= len(text)


def look_up(document: object, path: Sequence[str]) -> object:
    """The value at a path, or None."""
    for name in path:
        document = document.get(name) if isinstance(document, Mapping) else None
    return document


def line_of(text: str, path: Sequence[str]) -> int | None:
    """The line on which the entry at `path` begins."""
    span = None if is_blank(text) else object_at(text, skip(text, 0))
    line = None
    for name in path:
        member = span.last(name) if span else None
        if member is None:
            return line
        line = line_at(text, member.start)
        span = object_at(text, member.value) if text[member.value] == "{" else None
    return line


def add(text: str, path: Sequence[str], value: object) -> Added:
    """The text with `value` at `path`, where nothing is yet."""
    before = parse(text)
    expected = with_entry(before, path, value)
    pieces, made = _pieces(text, path, value)
    result, insertions = put_in(text, pieces)
    if not same(parse(result), expected):
        raise CannotEdit("the entry cannot be added without changing what else the file says")
    return Added(result, insertions, made)


def remove(text: str, path: Sequence[str], insertions: Sequence[Insertion] = (), made: int = 1) -> str:
    """The text without the entry at `path`: what was inserted is cut out, and nothing else.

    Where the file was written anew since, the entry is found by its name. An object that was made for the
    entry goes, too, unless something else is in it by now.
    """
    before = parse(text)
    if look_up(before, path) is None:
        return text
    verbatim = [cut_out(text, insertions), _cut_moved(text, insertions)] if insertions else []
    for cut in (path[: len(path) - up] for up in range(made - 1, -1, -1)):
        if not holds_only(look_up(before, cut), path[len(cut) :]):
            continue
        goal = without_entry(before, cut)
        for result in (*verbatim, _cut_member(text, cut)):
            if result is not None and _says(result, goal):
                return result
    raise CannotEdit("the entry cannot be removed without changing what else the file says")


def same(one: object, other: object) -> bool:
    """Whether two documents say the same; not-a-number is itself here."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return type(one) is type(other) and one == other


def _says(text: str, goal: object) -> bool:
    try:
        return same(parse(text), goal)
    except CannotEdit:
        return False


def with_entry(document: Mapping[str, object], path: Sequence[str], value: object) -> dict[str, object]:
    """A document with one entry more."""
    name, *rest = path
    if not rest:
        return {**document, name: value}
    inner = document.get(name, {})
    return {**document, name: with_entry(inner if isinstance(inner, Mapping) else {}, rest, value)}


def without_entry(document: Mapping[str, object], cut: Sequence[str]) -> dict[str, object]:
    """A document without the entry at this path."""
    name, *rest = cut
    if not rest:
        return {key: value for key, value in document.items() if key != name}
    inner = document[name]
    assert isinstance(inner, Mapping)
    return {**document, name: without_entry(inner, rest)}


def holds_only(document: object, chain: Sequence[str]) -> bool:
    """Whether objects lie in each other along these names, with nothing beside them."""
    for name in chain:
        if not isinstance(document, Mapping) or list(document) != [name]:
            return False
        document = document[name]
    return True


# Adding


def _pieces(text: str, path: Sequence[str], value: object) -> tuple[list[tuple[int, str]], int]:
    """What to insert where, and how many names of the path are new."""
    eol = end_of_line(text)
    unit = _unit(text)
    start = skip(text, 0)
    if start >= len(text):
        lead = "" if not text.strip("\ufeff") or text.endswith("\n") else eol
        written = _written(_nested(path, value), unit, "", eol)
        return [(len(text), f"{lead}{written}{eol}")], len(path)
    root = span = object_at(text, start)
    for depth, name in enumerate(path):
        member = span.last(name)
        if member is None:
            inline = _stands_on_one_line(text, span, root)
            return _member_pieces(text, span, name, _nested(path[depth + 1 :], value), unit, eol, inline), (
                len(path) - depth
            )
        shown = ".".join(path[: depth + 1])
        if depth == len(path) - 1:
            raise CannotEdit(f"{shown} is there already", line_at(text, member.start))
        if text[member.value] != "{":
            raise CannotEdit(f"{shown} must be an object {{…}}", line_at(text, member.start))
        span = object_at(text, member.value)
    raise AssertionError("a path has at least one name")


def _nested(names: Sequence[str], value: object) -> object:
    for name in reversed(names):
        value = {name: value}
    return value


def _member_pieces(
    text: str, span: ObjectSpan, name: str, value: object, unit: str, eol: str, inline: bool
) -> list[tuple[int, str]]:
    base = _indentation(text, span.opened)
    indent = base + unit
    last = span.members[-1] if span.members else None
    if last is not None and _begins_its_line(text, last.start):
        indent = _indentation(text, last.start)
    if inline:
        member = f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
        between = " "
    else:
        member = f"{json.dumps(name)}: {_written(value, unit, indent, eol)}"
        between = eol + indent
    if last is not None:
        return _behind(text, last, between, member)
    return _inside(text, span, "" if inline else between, member, "" if inline else eol + base)


def _behind(text: str, last: Member, between: str, member: str) -> list[tuple[int, str]]:
    """A member after the last one, and after the comment that ends that one's line."""
    if last.comma is not None:
        return [(_after_comment(text, last.comma + 1), f"{between}{member},")]
    place = _after_comment(text, last.end)
    if place == last.end:
        return [(place, f",{between}{member}")]
    return [(last.end, ","), (place, f"{between}{member}")]


def _inside(text: str, span: ObjectSpan, between: str, member: str, closing: str) -> list[tuple[int, str]]:
    """The only member of an object, after the comments that are in it."""
    place = at = span.opened + 1
    while at < span.closed:
        after = comment_end(text, at)
        place, at = (after, after) if after > at else (place, at + 1)
    has_line_end = "\n" in text[place : span.closed]
    return [(place, f"{between}{member}{'' if has_line_end else closing}")]


def _after_comment(text: str, position: int) -> int:
    """Behind the comments that follow on the same line, when nothing else does; else `position`."""
    at = position
    while at < len(text) and text[at] not in "\r\n":
        after = comment_end(text, at)
        if after == at and not is_space(text[at]):
            return position
        if "\n" in text[at:after]:
            return position
        at = max(after, at + 1)
    return at if text[position:at].strip() else position


def _stands_on_one_line(text: str, span: ObjectSpan, root: ObjectSpan) -> bool:
    """Whether an object's members share a line; an empty one does as the whole text does."""
    looked_at = span if span.members else root
    if not looked_at.members:
        return False
    return "\n" not in text[looked_at.opened : looked_at.closed]


def _begins_its_line(text: str, position: int) -> bool:
    return not text[text.rfind("\n", 0, position) + 1 : position].strip("\ufeff \t")


def _indentation(text: str, position: int) -> str:
    """The white space that begins the line on which `position` stands."""
    begin = text.rfind("\n", 0, position) + 1
    line = text[begin:position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """One step of indentation, as the first indented key has it."""
    found = _INDENTED_KEY.search(text)
    return found.group(1) if found else "  "


def _written(value: object, unit: str, indent: str, eol: str) -> str:
    """The value over several lines; lists of plain values stay on one."""
    if isinstance(value, Mapping) and value:
        inner = indent + unit
        members = (
            f"{inner}{json.dumps(key)}: {_written(one, unit, inner, eol)}" for key, one in value.items()
        )
        return "{" + eol + f",{eol}".join(members) + f"{eol}{indent}}}"
    return json.dumps(value, ensure_ascii=False)


# Removing


def _cut_moved(text: str, insertions: Sequence[Insertion]) -> str | None:
    found = moved(text, insertions)
    return None if found is None else cut_out(text, found)


def _cut_member(text: str, path: Sequence[str]) -> str | None:
    """The text without the member at `path`: its line goes, and a comma that is left over."""
    span = object_at(text, skip(text, 0))
    for name in path[:-1]:
        holder = span.last(name)
        if holder is None or text[holder.value] != "{":
            return None
        span = object_at(text, holder.value)
    member = span.last(path[-1])
    if member is None:
        return None
    before = [other for other in span.members if other.start < member.start]
    begin = member.start
    while begin > 0 and text[begin - 1] in " \t":
        begin -= 1
    if begin > 0 and text[begin - 1] == "\n":
        begin -= 2 if text[begin - 2 : begin] == "\r\n" else 1
    end = member.end if member.comma is None else member.comma + 1
    result = text[:begin] + text[end:]
    if member.comma is None and before and (comma := before[-1].comma) is not None:
        result = result[:comma] + result[comma + 1 :]
    return result
