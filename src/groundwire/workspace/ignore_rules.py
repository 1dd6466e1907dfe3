"""The rules of one ignore file, compiled: gitignore's syntax and git's matching, byte for byte.

Rules without a slash are judged by name alone, and judged once per name; rules with a slash by the path
below the file's directory. The last rule that matches decides. Git compares bytes, so names that are not
ASCII are compared as their UTF-8 bytes (each byte one character); that is what `as_bytes` is for.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

_MOST_REMEMBERED = 50_000
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t\\n\\r\\x0b\\x0c",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}


class NeverMatches(Exception):
    """A pattern git accepts and never matches: an open bracket, a backslash at the end."""


@dataclass(frozen=True, slots=True)
class _Rule:
    regex: str
    negated: bool
    only_directories: bool
    by_name: bool


class IgnoreRules:
    """What one ignore file says about the paths below its directory."""

    def __init__(self, content: bytes) -> None:
        rules = [rule for line in _lines(content) if (rule := _parse(line)) is not None]
        self._negated = [rule.negated for rule in rules]
        self._by_name = _Matcher([(at, rule) for at, rule in enumerate(rules) if rule.by_name])
        self._by_path = _Matcher([(at, rule) for at, rule in enumerate(rules) if not rule.by_name])
        self._remembered: dict[tuple[str, bool], int] = {}

    def __bool__(self) -> bool:
        return bool(self._negated)

    def verdict(self, path: str, name: str, is_directory: bool) -> bool | None:
        """True: ignored; False: expressly not ignored; None: no rule speaks. `path` is below the file."""
        at = self._named(name, is_directory)
        if self._by_path:
            at = max(at, self._by_path.last(path, is_directory))
        return None if at < 0 else not self._negated[at]

    def _named(self, name: str, is_directory: bool) -> int:
        if not self._by_name:
            return -1
        key = (name, is_directory)
        found = self._remembered.get(key)
        if found is None:
            if len(self._remembered) >= _MOST_REMEMBERED:
                self._remembered.clear()
            found = self._remembered[key] = self._by_name.last(name, is_directory)
        return found


class _Matcher:
    """Rules as one alternation, the last rule first: the first alternative that matches is the answer."""

    def __init__(self, numbered: list[tuple[int, _Rule]]) -> None:
        self._for_directories = _alternation(numbered)
        self._for_files = _alternation([(at, rule) for at, rule in numbered if not rule.only_directories])
        self._any = bool(numbered)

    def __bool__(self) -> bool:
        return self._any

    def last(self, text: str, is_directory: bool) -> int:
        """The number of the last rule that matches, or -1."""
        regex, numbers = self._for_directories if is_directory else self._for_files
        if regex is None:
            return -1
        found = regex.fullmatch(as_bytes(text))
        return -1 if found is None or found.lastindex is None else numbers[found.lastindex - 1]


def _alternation(numbered: list[tuple[int, _Rule]]) -> tuple[re.Pattern[str] | None, list[int]]:
    if not numbered:
        return None, []
    backwards = numbered[::-1]
    regex = "|".join(f"({rule.regex})" for _, rule in backwards)
    return re.compile(regex, re.DOTALL), [at for at, _ in backwards]


def as_bytes(text: str) -> str:
    """`text` with every byte of its file name as one character; ASCII is its own bytes."""
    return text if text.isascii() else os.fsencode(text).decode("latin-1")


def _lines(content: bytes) -> list[str]:
    """The lines that can hold a rule, as git reads them: a mark skipped, CR before LF dropped."""
    text = content.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    lines = (line.removesuffix("\r").partition("\0")[0] for line in text.split("\n"))
    return [line for line in lines if line and not line.startswith("#")]


def _parse(line: str) -> _Rule | None:
    pattern = _without_trailing_spaces(line)
    negated = pattern.startswith("!")
    pattern = pattern[1:] if negated else pattern
    only_directories = pattern.endswith("/")
    pattern = pattern[:-1] if only_directories else pattern
    by_name = "/" not in pattern
    try:
        # A leading slash only anchors the pattern.
        regex = translate(pattern if by_name else pattern.removeprefix("/"), paths=not by_name)
    except NeverMatches:
        return None
    return _Rule(regex, negated, only_directories, by_name) if pattern else None


def _without_trailing_spaces(line: str) -> str:
    """Spaces at the end do not count, unless a backslash holds them."""
    at = 0
    end = 0
    while at < len(line):
        if line[at] == "\\":
            at += 1
            end = min(at + 1, len(line))
        elif line[at] != " ":
            end = at + 1
        at += 1
    return line[:end]


_STAR = "*"
_ANYTHING = ".*"
_ANY_DIRECTORIES = "(?:.*/)?"


def translate(pattern: str, *, paths: bool) -> str:
    """A wildmatch pattern as a regular expression for `fullmatch`. With `paths`, `**` crosses slashes."""
    tokens: list[str] = []
    at = 0
    wild_before = False
    while at < len(pattern):
        character = pattern[at]
        if character == "*":
            run = len(pattern[at:]) - len(pattern[at:].lstrip("*"))
            # Git cuts the literal beginning off before it matches, so a `**` that is the pattern's first
            # wildcard counts as one at the start of a segment, wherever it stands.
            at_start = at == 0 or pattern[at - 1] == "/" or not wild_before
            token, used = _stars(pattern[at + run :], run, deep=paths and at_start)
            tokens.append(token)
            at += used
            wild_before = True
        elif character == "?":
            tokens.append("[^/]")
            at += 1
            wild_before = True
        elif character == "[":
            token, at = bracket(pattern, at)
            tokens.append(token)
            wild_before = True
        else:
            wild_before = wild_before or character == "\\"
            at, literal = _literal(pattern, at)
            tokens.append(re.escape(literal))
            at += 1
    return join_stars(tokens)


def _stars(after: str, run: int, *, deep: bool) -> tuple[str, int]:
    """What a run of stars before `after` means, and how much of the pattern it covers."""
    if run > 1 and deep:
        if after.startswith("/"):
            return _ANY_DIRECTORIES, run + 1
        if not after or after.startswith("\\/"):
            return _ANYTHING, run
    return _STAR, run


def join_stars(tokens: list[str]) -> str:
    """One regular expression out of single-character tokens and stars, with no runaway backtracking.

    What stands between two stars may as well match as early as it can, so it is taken once and for all
    (an atomic group); only the text after the last star has to be looked for.
    """
    out: list[str] = []
    at = 0
    while at < len(tokens):
        if tokens[at] != _STAR:
            out.append(tokens[at])
            at += 1
            continue
        end = at + 1
        while end < len(tokens) and tokens[end] not in (_STAR, _ANYTHING, _ANY_DIRECTORIES):
            end += 1
        chunk = "".join(tokens[at + 1 : end])
        out.append(f"[^/]*{chunk}" if end == len(tokens) else f"(?>[^/]*?{chunk})")
        at = end
    return "".join(out)


def bracket(pattern: str, start: int) -> tuple[str, int]:
    """The character class that begins at `start`, and where the pattern goes on."""
    at = start + 1
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    inside: list[str] = []
    previous = ""
    while True:
        if at >= len(pattern):
            raise NeverMatches
        character = pattern[at]
        following = pattern[at + 1 : at + 2]
        if character == "-" and previous and following and following != "]":
            at, end = _literal(pattern, at + 1)
            if previous <= end:
                inside.append(f"{re.escape(previous)}-{re.escape(end)}")
            previous = ""
        elif character == "[" and following == ":":
            close = pattern.find("]", at + 2)
            if close < 0:
                raise NeverMatches
            if close > at + 2 and pattern[close - 1] == ":":
                inside.append(_named_class(pattern[at + 2 : close - 1]))
                at, previous = close, ""
            else:
                inside.append("\\[")
                previous = "["
        else:
            at, previous = _literal(pattern, at)
            inside.append(re.escape(previous))
        at += 1
        if pattern[at : at + 1] == "]":
            return _class(inside, negated), at + 1


def _literal(pattern: str, at: int) -> tuple[int, str]:
    if pattern[at] == "\\":
        at += 1
        if at >= len(pattern):
            raise NeverMatches
    return at, pattern[at]


def _named_class(name: str) -> str:
    if name not in _CLASSES:
        raise NeverMatches
    return _CLASSES[name]


def _class(inside: list[str], negated: bool) -> str:
    members = "".join(inside)
    if negated:
        return f"[^/{members}]"
    return f"(?!/)[{members}]" if members else "(?!)"
