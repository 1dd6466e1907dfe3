"""One segment of a glob pattern with extended groups: `+(a|b)`, `@(…)`, `?(…)`, `*(…)`, `!(…)`.

The text is followed from a set of positions to the next set, so the time is bounded by the length of the
pattern and the text, whatever the groups contain; there is no backtracking that could run away.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

Positions = frozenset[int]
_GROUP_SIGNS = "+@?*!"


@dataclass(frozen=True, slots=True)
class _One:
    """Exactly one character."""

    matches: Callable[[str], object]


@dataclass(frozen=True, slots=True)
class _Any:
    """Any run of characters, also none."""


@dataclass(frozen=True, slots=True)
class _Group:
    sign: str
    choices: tuple[_Sequence, ...]


_Node = _One | _Any | _Group
_Sequence = tuple["_Node", ...]


def has_group(segment: str) -> bool:
    """Whether the segment uses extended groups."""
    return re.search(r"[+@?*!]\(", segment) is not None and ")" in segment


class ExtendedSegment:
    """A compiled segment."""

    def __init__(
        self, segment: str, *, ignore_case: bool, bracket: Callable[[str, int], tuple[str, int]]
    ) -> None:
        self._flags = re.IGNORECASE if ignore_case else re.NOFLAG
        self._bracket = bracket
        self._sequence, _ = self._parse(segment, 0, inside=False)

    def matches(self, name: str) -> bool:
        """Whether the whole name matches."""
        return len(name) in _ends(self._sequence, name, frozenset((0,)))

    def _parse(self, text: str, at: int, *, inside: bool) -> tuple[_Sequence, int]:
        """Nodes from `at` on, up to the end, or to the `|` or `)` of the group we are inside."""
        nodes: list[_Node] = []
        while at < len(text) and not (inside and text[at] in "|)"):
            character = text[at]
            if character in _GROUP_SIGNS and text[at + 1 : at + 2] == "(":
                group, end = self._group(text, at)
                if group is not None:
                    nodes.append(group)
                    at = end
                    continue
            if character == "*":
                nodes.append(_Any())
                at += 1
            else:
                node, at = self._single(text, at)
                nodes.append(node)
        return tuple(nodes), at

    def _group(self, text: str, at: int) -> tuple[_Group | None, int]:
        sign = text[at]
        choices: list[_Sequence] = []
        at += 2
        while at <= len(text):
            choice, at = self._parse(text, at, inside=True)
            choices.append(choice)
            if at >= len(text):
                return None, at  # never closed: the signs stand for themselves
            at += 1
            if text[at - 1] == ")":
                return _Group(sign, tuple(choices)), at
        return None, at

    def _single(self, text: str, at: int) -> tuple[_One, int]:
        character = text[at]
        if character == "?":
            return _One(bool), at + 1
        if character == "[":
            regex, end = self._bracket(text, at)
            return _One(re.compile(regex, self._flags | re.DOTALL).fullmatch), end
        if character == "\\" and at + 1 < len(text):
            at += 1
        return _One(re.compile(re.escape(text[at]), self._flags).fullmatch), at + 1


def _ends(sequence: _Sequence, text: str, starts: Positions) -> Positions:
    """Every position that can be reached from `starts` through the whole sequence."""
    for index, node in enumerate(sequence):
        if not starts:
            break
        if isinstance(node, _Group) and node.sign == "!":
            starts = _around(node, sequence[index + 1 :], text, starts)
        elif isinstance(node, _Any):
            starts = frozenset(range(min(starts), len(text) + 1))
        elif isinstance(node, _One):
            starts = frozenset(at + 1 for at in starts if at < len(text) and node.matches(text[at]))
        else:
            starts = _through(node, text, starts)
    return starts


def _around(group: _Group, rest: _Sequence, text: str, starts: Positions) -> Positions:
    """Past a `!(…)`: everywhere, unless one of the choices and the rest of the pattern would match."""
    allowed = [
        start
        for start in starts
        if len(text) not in _ends(rest, text, _choices(group, text, frozenset((start,))))
    ]
    return frozenset(range(min(allowed), len(text) + 1)) if allowed else frozenset()


def _through(group: _Group, text: str, starts: Positions) -> Positions:
    once = _choices(group, text, starts)
    if group.sign == "@":
        return once
    if group.sign == "?":
        return starts | once
    reached = once
    while new := _choices(group, text, once) - reached:
        reached |= new
        once = new
    return reached | starts if group.sign == "*" else reached


def _choices(group: _Group, text: str, starts: Positions) -> Positions:
    found: Positions = frozenset()
    for choice in group.choices:
        found |= _ends(choice, text, starts)
    return found
