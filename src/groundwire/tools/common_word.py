"""Lines found without ripgrep: of a word so common that a few files hold enough, of any word where there are
only few files, and the lines around matches.

Starting a process takes longer than reading thirty files. So a search for plain words first looks here, in
the order of paths, for a few thousandths of a second. Whatever is not plain (another encoding, a binary file,
an ignore file that only ripgrep knows, a repository inside) is left to ripgrep, and so is every search that
neither fills its limit nor comes to its end in that time. What is found here is what ripgrep would find; a
test holds them against each other.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter

from groundwire.errors import ToolError
from groundwire.tools.ripgrep import Line, Query, line_text
from groundwire.workspace.boundary import HANDLES, Workspace, WorkspacePath
from groundwire.workspace.ignore import DirectoryRules, Ignore
from groundwire.workspace.spelling import is_protected
from groundwire.workspace.textfile import read_bytes

WORTH_TRYING = ((0.10, 0.0015), (0.25, 0.003), (1.00, 0.008))
"""When such a part of the matches is not found after so many seconds of work, the word is not that common."""
MOST_SECONDS = 0.025
"""Of waiting for the disk as well."""
MOST_BYTES = 1024 * 1024
"""Of one file."""
MOST_ENTRIES = 2000
"""Of one directory."""
_WORDS = re.compile(r"[A-Za-z0-9_ ,:;=<>/@!%'\"-]+")
"""Letters that mean themselves in a regular expression."""
_PLAIN_TEXT = re.compile(r"[ -~]+")
_PLAIN_NAME = re.compile(r"\*?[A-Za-z0-9_.-]+|\*")
_RIPGREP_ONLY = frozenset((".ignore", ".rgignore", ".jj"))
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_BINARY_BYTES = 64 * 1024
"""Ripgrep's first look at a file: with a zero byte in there it reports nothing of it."""
# To a search that ignores case they are an s and a k.
_LONG_S = "\u017f".encode()
_KELVIN = "\u212a".encode()
_READ = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
)
_LIST = _READ | getattr(os, "O_DIRECTORY", 0)


class _NotPlainError(Exception):
    """Only ripgrep can tell."""


@dataclass(frozen=True, slots=True)
class WordSearch:
    """A search for a plain word below a directory."""

    word: bytes
    case_sensitive: bool
    most: int
    ignore: Ignore
    folders: frozenset[str]
    """Names of directories that are not entered."""
    endings: tuple[str, ...]
    """How the names of files end that are not looked at."""
    name: str = "*"
    """What the names of files must be, or, with a star before it, how they must end."""

    def looks_at(self, name: str) -> bool:
        """Whether a file of that name is searched."""
        fits = name.endswith(self.name[1:]) if self.name.startswith("*") else name == self.name
        return fits and not name.endswith(self.endings)


def is_plain(query: Query) -> bool:
    """Whether the query can be looked for here."""
    plain = _PLAIN_TEXT if query.fixed_strings else _WORDS
    return HANDLES and plain.fullmatch(query.pattern) is not None


def is_plain_name(include: str) -> bool:
    """Whether a pattern for files says nothing but their name, or how it ends."""
    return _PLAIN_NAME.fullmatch(include) is not None


def first_lines(workspace: Workspace, start: WorkspacePath, wanted: WordSearch) -> list[Line] | None:
    """The first matches and one more than asked for; all when there are no more; None when that would take
    longer than ripgrep."""
    started, working = time.monotonic(), time.thread_time()
    try:
        _refuse_rules_above(start.absolute)
        handle = workspace.open_directory(start)
    except (OSError, _NotPlainError):
        return None
    lines: list[Line] = []
    try:
        for path, folder, name in _files(handle, "", wanted.ignore.inside(start.relative), wanted):
            lines += _lines_of(path, _content(name, folder), wanted)
            if len(lines) > wanted.most:
                return lines[: wanted.most + 1]
            if _is_hopeless(len(lines) / wanted.most, time.thread_time() - working):
                return None
            if time.monotonic() - started > MOST_SECONDS:
                return None
    except (OSError, _NotPlainError):
        return None
    finally:
        os.close(handle)
    return lines


def lines_around(
    workspace: Workspace, start: WorkspacePath, matches: Sequence[Line], around: int
) -> list[Line] | None:
    """The matches with so many lines before and after each, in the order of the matches' files; None when
    only ripgrep can tell."""
    numbers: dict[str, set[int]] = {}
    for match in matches:
        numbers.setdefault(match.path, set()).add(match.number)
    try:
        return [
            line for path, found in numbers.items() for line in _around(workspace, start, path, found, around)
        ]
    except (OSError, ToolError, _NotPlainError):
        return None


def _around(
    workspace: Workspace, start: WorkspacePath, path: str, found: set[int], around: int
) -> Iterator[Line]:
    place = workspace.resolve(f"{start.relative}/{path}" if start.relative else path)
    if workspace.stat(place).st_size > MOST_BYTES:
        raise _NotPlainError
    lines = _as_ripgrep_reads(read_bytes(workspace, place)[0]).split(b"\n")
    if not lines[-1]:
        lines.pop()
    near = {near for number in found for near in range(number - around, number + around + 1)}
    for number in sorted(near):
        if 1 <= number <= len(lines):
            yield Line(path, number, line_text(lines[number - 1]), is_context=number not in found)


def _is_hopeless(part: float, worked: float) -> bool:
    """Whether too small a part of the matches was found for the work done so far."""
    return any(part < needed and worked > seconds for needed, seconds in WORTH_TRYING)


def _refuse_rules_above(folder: str) -> None:
    while True:
        if any(os.path.lexists(os.path.join(folder, name)) for name in _RIPGREP_ONLY):
            raise _NotPlainError
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _files(
    handle: int, prefix: str, rules: DirectoryRules, wanted: WordSearch
) -> Iterator[tuple[str, int, str]]:
    """The path, the directory and the name of each file that is searched, in the order of paths."""
    with os.scandir(handle) as found:
        entries = sorted(islice(found, MOST_ENTRIES + 1), key=attrgetter("name"))
    names = {entry.name for entry in entries}
    # Names that are not UTF-8 are in another order as text than as bytes.
    if len(entries) > MOST_ENTRIES or names & _RIPGREP_ONLY or not _is_utf8("".join(names)):
        raise _NotPlainError
    if prefix and ".git" in names:
        raise _NotPlainError
    for entry in entries:
        name = entry.name
        is_directory = entry.is_dir(follow_symlinks=False)
        if is_protected(name) or rules.ignores(name, is_directory):
            continue
        if not is_directory:
            if entry.is_file(follow_symlinks=False) and wanted.looks_at(name):
                yield prefix + name, handle, name
        elif name not in wanted.folders:
            below = os.open(name, _LIST, dir_fd=handle)
            try:
                deeper = wanted.ignore.below(rules, name, hidden=False, handle=below)
                yield from _files(below, f"{prefix}{name}/", deeper, wanted)
            finally:
                os.close(below)


def _is_utf8(text: str) -> bool:
    return text.isascii() or not any("\udc80" <= character <= "\udcff" for character in text)


def _content(name: str, folder: int) -> bytes:
    descriptor = os.open(name, _READ, dir_fd=folder)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
            raise _NotPlainError
        return os.read(descriptor, status.st_size)
    finally:
        os.close(descriptor)


def _as_ripgrep_reads(data: bytes) -> bytes:
    """The text of a file, empty for a binary one."""
    if data.startswith(_UTF_16):
        raise _NotPlainError
    zero = data.find(b"\0")
    if data.startswith(codecs.BOM_UTF8):
        # Ripgrep decodes what has a mark, and so repairs what is not UTF-8.
        if zero >= 0 or not _decodes(data):
            raise _NotPlainError
        return data[len(codecs.BOM_UTF8) :]
    if zero >= _BINARY_BYTES:
        raise _NotPlainError
    return b"" if zero >= 0 else data


def _decodes(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _lines_of(path: str, data: bytes, wanted: WordSearch) -> Iterator[Line]:
    word = wanted.word
    data = _as_ripgrep_reads(data)
    searched = data
    if not wanted.case_sensitive:
        word, searched = word.lower(), data.lower()
        if (b"s" in word and _LONG_S in data) or (b"k" in word and _KELVIN in data):
            raise _NotPlainError
    place = searched.find(word)
    number, counted = 1, 0
    while place >= 0:
        start = data.rfind(b"\n", 0, place) + 1
        end = data.find(b"\n", place)
        end = len(data) if end < 0 else end
        number += data.count(b"\n", counted, start)
        counted = start
        yield Line(path, number, line_text(data[start:end]), is_context=False)
        place = searched.find(word, end)
