"""Walking a workspace: every file below a directory, with the ignore rules of each directory at hand.

The walk opens each directory from the handle of the one above it and follows no link, so it stays inside
the root whatever happens meanwhile, and a cycle of links cannot make it run for ever. It holds one handle
per level and no list of what it has seen: its memory does not grow with the tree.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from groundwire.workspace.boundary import HANDLES, Workspace, WorkspacePath
from groundwire.workspace.ignore import DirectoryRules, Ignore

DEEPEST = 400
"""Levels below the start that are walked; deeper ones would run out of handles."""
_OPEN = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
)


class Entries(Iterator[os.DirEntry[str]], Protocol):
    """What `os.scandir` gives."""

    def close(self) -> None:
        """Free what the iterator holds."""


@dataclass(frozen=True, slots=True)
class Level:
    """One directory of the walk."""

    prefix: str
    """Its path below the start of the walk, with a slash; empty at the start."""
    entries: Entries
    rules: DirectoryRules | None
    handle: int | None

    def close(self) -> None:
        """Free what the level holds."""
        self.entries.close()
        if self.handle is not None:
            os.close(self.handle)


class Found(NamedTuple):
    """A file (or link, or special file) that the walk came to. (A tuple: millions of them are made.)"""

    path: str
    """Below the start of the walk."""
    entry: os.DirEntry[str]
    """`entry.stat(follow_symlinks=False)` asks through the directory's own handle."""
    ignored: bool


@dataclass(slots=True)
class Allowance:
    """How much of what is ignored a walk may still look at: files it gives, and directories it enters."""

    left: int

    def take(self) -> bool:
        """Whether one more may be looked at."""
        self.left -= 1
        return self.left >= 0

    @property
    def exceeded(self) -> bool:
        """Whether something was not looked at."""
        return self.left < 0


State = TypeVar("State")
"""What the caller knows about a directory while the walk is in it."""


def walk(
    workspace: Workspace,
    start: WorkspacePath,
    *,
    ignore: Ignore | None,
    state: State,
    enter: Callable[[State, str], State | None],
    want: Callable[[State], Callable[[str], object]],
    ignored: Allowance | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Found]:
    """Every entry that is no directory and that is wanted.

    `state` belongs to the directory `start`; `enter` gives the state of a directory below, or None to
    stay out of it; `want` gives the test for the names of files in a directory. Ignored files are left
    out, and ignored directories not entered, but for what `ignored` allows.
    """
    levels = [_first_level(workspace, start, ignore)]
    states = [state]
    try:
        while levels:
            level = levels[-1]
            rules = None if level.rules is None or level.rules.says_nothing else level.rules
            state = states[-1]
            wanted = want(state)
            prefix = level.prefix
            for entry in level.entries:
                name = entry.name
                if entry.is_dir(follow_symlinks=False):
                    if cancelled():
                        return
                    hidden = rules is not None and rules.ignores(name, True)
                    below = enter(state, name) if ignored is not None or not hidden else None
                    if below is not None and hidden and ignored is not None and not ignored.take():
                        below = None
                    if below is not None and len(levels) < DEEPEST:
                        deeper = _go_into(level, entry, ignore, hidden=hidden)
                        if deeper is not None:
                            levels.append(deeper)
                            states.append(below)
                            break
                elif wanted(name):
                    hidden = rules is not None and rules.ignores(name, False)
                    if not hidden or (ignored is not None and ignored.take()):
                        yield Found(prefix + name, entry, hidden)
            else:
                levels.pop().close()
                states.pop()
    finally:
        for level in levels:
            level.close()


def _first_level(workspace: Workspace, start: WorkspacePath, ignore: Ignore | None) -> Level:
    handle = workspace.open_directory(start) if HANDLES else None
    rules = None if ignore is None else ignore.inside(start.relative)
    return Level("", os.scandir(start.absolute if handle is None else handle), rules, handle)


def _go_into(level: Level, entry: os.DirEntry[str], ignore: Ignore | None, *, hidden: bool) -> Level | None:
    handle = None
    try:
        if level.handle is not None:
            handle = os.open(entry.name, _OPEN, dir_fd=level.handle)
        entries = os.scandir(entry.path if handle is None else handle)
    except OSError:  # it vanished, became a link, or may not be read: there is nothing to show
        if handle is not None:
            os.close(handle)
        return None
    rules = None
    if ignore is not None and level.rules is not None:
        rules = ignore.below(level.rules, entry.name, hidden=hidden, handle=handle)
    return Level(f"{level.prefix}{entry.name}/", entries, rules, handle)
