"""One segment of a glob pattern with extended groups: `+(a|b)`, `@(…)`, `?(…)`, `*(…)`, `!(…)`.

The text is followed from a set of positions to the next set, and what was found out about a group is kept, so
the time is bounded by the length of the pattern and the text, whatever the groups contain; there is no
backtracking that could run away.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from groundwire.tools.base import invalid

DEEPEST = 50
"""Groups inside one another."""
Positions = frozenset[int]
_GROUP_SIGNS = "+@?*!"


@dataclass(frozen=True, slots=True)
class _One:
    """Exactly one character."""

    matches: Callable[[str], object]


@dataclass(frozen=True, slots=True)
class _Any:
    """Any run of characters, also none."""


@dataclass(frozen=True, slots=True, eq=False)
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
        self._groups: dict[int, tuple[_Group | None, int]] = {}
        """What was read at each place: one that is never closed is come to again and again."""
        self._sequence, _ = self._parse(segment, 0, depth=0)

    def matches(self, name: str) -> bool:
        """Whether the whole name matches."""
        return len(name) in _Walk(name).ends(self._sequence, frozenset((0,)))

    def _parse(self, text: str, at: int, *, depth: int) -> tuple[_Sequence, int]:
        """Nodes from `at` on, up to the end, or to the `|` or `)` of the group we are inside."""
        if depth > DEEPEST:
            raise invalid(
                f"The pattern has more than {DEEPEST} groups inside one another. Use a simpler one."
            )
        nodes: list[_Node] = []
        while at < len(text) and not (depth and text[at] in "|)"):
            character = text[at]
            if character in _GROUP_SIGNS and text[at + 1 : at + 2] == "(":
                if at not in self._groups:
                    self._groups[at] = self._group(text, at, depth + 1)
                group, end = self._groups[at]
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

    def _group(self, text: str, at: int, depth: int) -> tuple[_Group | None, int]:
        sign = text[at]
        choices: list[_Sequence] = []
        at += 2
        while at <= len(text):
            choice, at = self._parse(text, at, depth=depth)
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


class _Walk:
    """Follows one text through a pattern."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._everywhere = frozenset(range(len(text) + 1))
        self._past: dict[tuple[_Group, int], Positions] = {}
        """Where the choices of a group lead from a position."""
        self._failing: dict[_Group, Positions] = {}
        """From where the rest behind a `!(…)` does not reach the end."""

    def ends(self, sequence: _Sequence, starts: Positions) -> Positions:
        """Every position that can be reached from `starts` through the whole sequence."""
        text = self._text
        for index, node in enumerate(sequence):
            if not starts:
                break
            if isinstance(node, _Group) and node.sign == "!":
                starts = self._around(node, sequence[index + 1 :], starts)
            elif isinstance(node, _Any):
                starts = self._from(min(starts))
            elif isinstance(node, _One):
                starts = frozenset(at + 1 for at in starts if at < len(text) and node.matches(text[at]))
            else:
                starts = self._through(node, starts)
        return starts

    def _around(self, group: _Group, rest: _Sequence, starts: Positions) -> Positions:
        """Past a `!(…)`: everywhere, unless one of the choices and the rest of the pattern would match."""
        if group not in self._failing:
            end = len(self._text)
            self._failing[group] = frozenset(
                at for at in self._everywhere if end not in self.ends(rest, frozenset((at,)))
            )
        failing = self._failing[group]
        allowed = [start for start in starts if self._choices(group, frozenset((start,))) <= failing]
        return self._from(min(allowed)) if allowed else frozenset()

    def _through(self, group: _Group, starts: Positions) -> Positions:
        once = self._choices(group, starts)
        if group.sign == "@":
            return once
        if group.sign == "?":
            return starts | once
        reached = once
        while new := self._choices(group, once) - reached:
            reached |= new
            once = new
        return reached | starts if group.sign == "*" else reached

    def _choices(self, group: _Group, starts: Positions) -> Positions:
        found: Positions = frozenset()
        for start in starts:
            if (group, start) not in self._past:
                one = frozenset((start,))
                self._past[group, start] = frozenset().union(*(self.ends(c, one) for c in group.choices))
            found |= self._past[group, start]
        return found

    def _from(self, first: int) -> Positions:
        return frozenset(range(first, len(self._text) + 1))
