"""Adding one table to a TOML text and removing it again; every other byte stays as it is.

The table is written at the end of the text. As with JSON, what comes out is parsed and compared before it
is given back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from groundwire.config.files import Unreadable, line_of_key, parse_toml
from groundwire.integrations.install.insertion import (
    Added,
    CannotEdit,
    Insertion,
    cut_out,
    end_of_line,
    moved,
    put_in,
)
from groundwire.integrations.install.jsonc import holds_only, look_up, same, with_entry, without_entry

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_DELIMITER = re.compile(r'"""|\'\'\'')


def parse(text: str) -> dict[str, object]:
    """What the text says. CannotEdit with the line of a mistake."""
    try:
        return parse_toml(text.removeprefix("\ufeff"))
    except Unreadable as trouble:
        raise CannotEdit(trouble.reason, trouble.line) from None


def line_of(text: str, path: Sequence[str]) -> int | None:
    """The line on which the table at `path` begins."""
    return line_of_key(text, path)


def add(text: str, path: Sequence[str], value: object) -> Added:
    """The text with the table `value` at `path`, where nothing is yet."""
    before = parse(text)
    if look_up(before, path) is not None:
        raise CannotEdit(f"{'.'.join(path)} is there already", line_of(text, path))
    result, insertions = put_in(text, [(len(text), _table(text, path, value))])
    try:
        fits = same(parse(result), with_entry(before, path, value))
    except CannotEdit:
        fits = False
    if not fits:
        raise CannotEdit(
            f"{path[0]} is written in a form that takes no further table; write [{path[0]}.NAME] tables",
            line_of(text, path[:1]),
        )
    made = sum(look_up(before, path[: depth + 1]) is None for depth in range(len(path)))
    return Added(result, insertions, made)


def remove(text: str, path: Sequence[str], insertions: Sequence[Insertion] = (), made: int = 1) -> str:
    """The text without the table at `path` and the tables inside it.

    `made` is not needed here: a table that is only a part of a name has no text of its own.
    """
    before = parse(text)
    if look_up(before, path) is None:
        return text
    # A table that is there only as a part of our table's name is gone with it.
    lengths = [n for n in range(1, len(path) + 1) if holds_only(look_up(before, path[:n]), path[n:])]
    goals = [without_entry(before, path[:length]) for length in lengths]
    shifted = moved(text, insertions) if insertions else None
    candidates = (
        cut_out(text, insertions) if insertions else None,
        cut_out(text, shifted) if shifted else None,
        "".join(section for name, section in _sections(text) if name[: len(path)] != tuple(path)),
    )
    for result in candidates:
        if result is not None and any(_says(result, goal) for goal in goals):
            return result
    raise CannotEdit("the table cannot be removed without changing what else the file says")


def _says(text: str, goal: object) -> bool:
    try:
        return same(parse(text), goal)
    except CannotEdit:
        return False


def _table(text: str, path: Sequence[str], value: object) -> str:
    assert isinstance(value, Mapping)
    eol = end_of_line(text)
    before = "" if not text.strip("\ufeff \t\r\n") else eol if text.endswith("\n") else eol * 2
    names = ".".join(name if _BARE.fullmatch(name) else json.dumps(name) for name in path)
    lines = [f"[{names}]", *(f"{key} = {json.dumps(one, ensure_ascii=False)}" for key, one in value.items())]
    return before + "".join(line + eol for line in lines)


def _sections(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The text in pieces, each from the line of a table's name to before the next one's, with that name."""
    name: tuple[str, ...] = ()
    body = text.removeprefix("\ufeff")
    piece = text[: len(text) - len(body)]
    inside = ""  # the delimiter of a string over several lines, while in one
    for line in body.splitlines(keepends=True):
        if not inside and line.lstrip().startswith("["):
            header = _header(line)
            if header is not None:
                yield name, piece
                name, piece = header, ""
        piece += line
        for found in _DELIMITER.finditer(line):
            inside = "" if inside == found.group() else inside or found.group()
    yield name, piece


def _header(line: str) -> tuple[str, ...] | None:
    """The name a line gives to the table below it; None when the line only looks like that."""
    try:
        document: object = parse_toml(line)
    except Unreadable:
        return None
    names = []
    while isinstance(document, (dict, list)) and document:
        if isinstance(document, list):
            document = document[0]
            continue
        ((name, document),) = document.items()
        names.append(name)
    return tuple(names)
