"""Glob patterns, followed one directory at a time.

A pattern is cut into segments at its slashes; `**` stands for any number of directories. While a walk goes
down, a `GlobState` knows which parts of the patterns can still match, so whole directories that cannot
contain a match are never entered. The rules are those of the npm package glob, which Gemini CLI uses: names
that begin with a dot count like any other, braces and extended groups work.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from operator import methodcaller

from groundwire.tools.base import invalid
from groundwire.tools.braces import expand_braces
from groundwire.tools.extglob import ExtendedSegment, has_group
from groundwire.workspace.ignore_rules import NeverMatches, bracket, join_stars

Matches = Callable[[str], object]
DEEP: None = None
"""The segment `**`."""
Segments = tuple[Matches | None, ...]
Position = tuple[int, int]
"""A pattern and a place in it."""
MOST_BRACKETS = 1000
MOST_ALTERNATIVES = 10_000
"""What braces may add to the patterns of one call."""


def escape(text: str) -> str:
    """A pattern that matches exactly `text`."""
    return re.sub(r"([*?\[\]{}()!+@\\])", r"\\\1", text)


class Glob:
    """Several patterns, matched together."""

    def __init__(self, patterns: Iterable[str], *, ignore_case: bool) -> None:
        self.segments = [compiled(pattern, ignore_case=ignore_case) for pattern in _expanded(patterns)]
        self._states: dict[frozenset[Position], GlobState] = {}
        self.start = self.state((index, 0) for index in range(len(self.segments)))

    def state(self, positions: Iterable[Position]) -> GlobState:
        """The state for these positions and those reached from them by `**` standing for nothing."""
        closed = set(positions)
        waiting = list(closed)
        while waiting:
            pattern, at = waiting.pop()
            segments = self.segments[pattern]
            if at < len(segments) and segments[at] is DEEP and (pattern, at + 1) not in closed:
                closed.add((pattern, at + 1))
                waiting.append((pattern, at + 1))
        key = frozenset(closed)
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = GlobState(self, key)
        return found

    def matches(self, path: str) -> bool:
        """Whether the whole path (with `/`) matches."""
        *above, name = path.split("/")
        state: GlobState | None = self.start
        for segment in above:
            state = state.below(segment) if state is not None else None
        return state is not None and bool(state.wants(name))


class GlobState:
    """What can still match inside one directory."""

    def __init__(self, glob: Glob, positions: frozenset[Position]) -> None:
        self._glob = glob
        self._remembered: dict[str, GlobState | None] = {}
        self._deeper: GlobState | None = None
        ends: list[Matches] = []
        self.takes_everything = False
        """Whether every file at any depth below matches."""
        self._steps: list[tuple[Matches, Position]] = []
        self._deep: list[Position] = []
        for pattern, at in positions:
            segments = glob.segments[pattern]
            if at >= len(segments):
                continue
            segment = segments[at]
            last = at == len(segments) - 1
            if segment is DEEP:
                self.takes_everything = self.takes_everything or last
                self._deep.append((pattern, at))
            elif last:
                ends.append(segment)
            else:
                self._steps.append((segment, (pattern, at + 1)))
        self.wants_files = self.takes_everything or bool(ends)
        """Whether any file in this directory itself can match."""
        self.wants: Callable[[str], object] = _any_of(ends) if not self.takes_everything else _always
        """Whether a file of this name in this directory matches."""

    def below(self, name: str) -> GlobState | None:
        """The state inside the directory `name`; None when nothing in there can match."""
        if not self._steps:
            return self._only_deep()
        if name in self._remembered:
            return self._remembered[name]
        reached = [target for matches, target in self._steps if matches(name)]
        state = self._glob.state(self._deep + reached) if reached else self._only_deep()
        if len(self._remembered) < 10_000:
            self._remembered[name] = state
        return state

    def _only_deep(self) -> GlobState | None:
        """The state inside a directory that only `**` leads into; the same for all of them."""
        if self._deep and self._deeper is None:
            self._deeper = self._glob.state(self._deep)
        return self._deeper


def _expanded(patterns: Iterable[str]) -> list[str]:
    """The patterns without braces. A ToolError for what would take longer to read than to search for."""
    given = list(patterns)
    if any(sum(map(pattern.count, "{[(")) > MOST_BRACKETS for pattern in given):
        raise invalid(f"The pattern has more than {MOST_BRACKETS} brackets. Use a simpler one.")
    found: list[str] = []
    for pattern in given:
        found += expand_braces(pattern)
        if len(found) > len(given) + MOST_ALTERNATIVES:
            raise invalid(
                f"The patterns stand for more than {MOST_ALTERNATIVES} patterns. Use wildcards instead."
            )
    return found


def _always(name: str) -> bool:
    return True


def _never(name: str) -> bool:
    return False


def _any_of(matchers: list[Matches]) -> Matches:
    if not matchers:
        return _never
    if len(matchers) == 1:
        return matchers[0]
    return lambda name: any(matches(name) for matches in matchers)


def compiled(pattern: str, *, ignore_case: bool) -> Segments:
    """The segments of one pattern without braces."""
    segments: list[Matches | None] = []
    parts = pattern.split("/")
    for part in parts[:-1]:
        if part == "**":
            if not segments or segments[-1] is not DEEP:
                segments.append(DEEP)
        elif part not in ("", "."):
            segments.append(_segment(part, ignore_case=ignore_case))
    last = parts[-1]
    if last == "**":
        return (*segments, DEEP)
    # A slash at the end asks for a directory, and no file is one.
    segments.append(_never if last in ("", ".") else _segment(last, ignore_case=ignore_case))
    return tuple(segments)


def _segment(text: str, *, ignore_case: bool) -> Matches:
    """A test for one name."""
    if has_group(text):
        return ExtendedSegment(text, ignore_case=ignore_case, bracket=_bracket_or_literal).matches
    if re.fullmatch(r"\*+", text):
        return _always
    suffix = text[1:]
    if text.startswith("*") and not re.search(r"[*?\[\]\\()!+@]", suffix):
        return _ends_with(suffix, ignore_case=ignore_case)
    return re.compile(_regex(text), (re.IGNORECASE if ignore_case else 0) | re.DOTALL).fullmatch


def _ends_with(suffix: str, *, ignore_case: bool) -> Matches:
    """A test for the end of a name. `methodcaller` runs without a frame of Python for each name."""
    if not ignore_case:
        return methodcaller("endswith", suffix)
    spellings = {""}
    for character in suffix.lower():
        cases = {character, character.upper(), *({"\u212a"} if character == "k" else ())}  # the Kelvin sign
        spellings = {before + one for before in spellings for one in cases}
        if len(spellings) > 64 or not character.isascii():
            lowered = suffix.lower()
            return lambda name: name.lower().endswith(lowered)
    return methodcaller("endswith", tuple(spellings))


def _regex(text: str) -> str:
    tokens: list[str] = []
    at = 0
    while at < len(text):
        character = text[at]
        if character == "*":
            if not tokens or tokens[-1] != "*":
                tokens.append("*")
        elif character == "?":
            tokens.append("[^/]")
        elif character == "[":
            token, at = _bracket_or_literal(text, at)
            tokens.append(token)
            continue
        else:
            if character == "\\" and at + 1 < len(text):
                at += 1
            tokens.append(re.escape(text[at]))
        at += 1
    return join_stars(tokens)


def _bracket_or_literal(text: str, at: int) -> tuple[str, int]:
    """The character class at `at`; a bracket that is never closed is a bracket."""
    try:
        return bracket(text, at)
    except NeverMatches:
        return re.escape("["), at + 1
