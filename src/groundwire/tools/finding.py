"""Finding files by glob patterns: the walk shared by glob and read_many_files.

Links are reported when they lead to a file inside the root, and nothing outside the root is ever reported,
whatever a pattern says. Files below an ignored directory are looked at only to count them, and not for long:
a build folder may hold many times the files of its project.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from typing import NamedTuple

from groundwire.errors import ToolError
from groundwire.tools.glob_pattern import Glob, GlobState, escape
from groundwire.workspace.boundary import Workspace, WorkspacePath
from groundwire.workspace.ignore import Ignore
from groundwire.workspace.walk import Allowance, walk

CORE_EXCLUDES = (
    "**/node_modules/**",
    "**/.git/**",
    "**/bower_components/**",
    "**/.svn/**",
    "**/.hg/**",
)
"""What Gemini CLI's glob never looks into."""
MOST_FOUND = 200_000
"""A search stops here: nobody reads more, and memory stays bounded in a tree of any size."""
MOST_IGNORED = 1000
"""Ignored files and directories that are looked at to count them."""
_State = tuple[GlobState, GlobState | None]


class FoundFile(NamedTuple):
    """A file that matches; `path` is below the start of the search."""

    path: str
    ignored: bool
    modified_ns: int
    is_link: bool


class Findings(NamedTuple):
    """The files that match, and whether the ignored ones among them are all there."""

    files: list[FoundFile]
    all_counted: bool

    @property
    def shown(self) -> list[FoundFile]:
        """Those that are not ignored."""
        return [file for file in self.files if not file.ignored]

    def ignored_count(self, shown: int) -> str:
        """How many are ignored, in words; nothing when there are none."""
        ignored = len(self.files) - shown
        if self.all_counted:
            return str(ignored) if ignored else ""
        return f"more than {ignored}" if ignored else "an unknown number of"


def find(
    workspace: Workspace,
    start: WorkspacePath,
    patterns: Iterable[str],
    *,
    ignore: Ignore,
    excludes: Iterable[str] = CORE_EXCLUDES,
    ignore_case: bool,
    cancelled: Callable[[], bool] = lambda: False,
) -> Findings:
    """Every file below `start` that matches one of the patterns and none of `excludes` (`MOST_FOUND`)."""
    inside = [one for one in (_below(start, pattern) for pattern in patterns) if one is not None]
    wanted = Glob(inside, ignore_case=ignore_case)
    unwanted = Glob(excludes, ignore_case=ignore_case)
    first: _State = (wanted.start, unwanted.start)
    found: list[FoundFile] = []
    allowance = Allowance(MOST_IGNORED)
    for path, entry, ignored in walk(
        workspace,
        start,
        ignore=ignore,
        state=first,
        enter=_enter,
        want=_wanted,
        ignored=allowance,
        cancelled=cancelled,
    ):
        if len(found) >= MOST_FOUND:
            break
        if ignored and not entry.is_symlink():
            found.append(FoundFile(path, True, 0, is_link=False))  # only counted: its time is not asked for
            continue
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue  # gone since a moment
        if not stat.S_ISLNK(status.st_mode):
            found.append(FoundFile(path, ignored, status.st_mtime_ns, is_link=False))
            continue
        target = _target(workspace, os.path.join(start.absolute, path))
        if target is not None:
            ignored = ignored or ignore.ignores(target.relative, is_directory=False)
            found.append(FoundFile(path, ignored, status.st_mtime_ns, is_link=True))
    return Findings(found, all_counted=not allowance.exceeded)


def _enter(state: _State, name: str) -> _State | None:
    inside, outside = state
    below = inside.below(name)
    if below is None:
        return None
    out = outside.below(name) if outside is not None else None
    return None if out is not None and out.takes_everything else (below, out)


def _wanted(state: _State) -> Callable[[str], object]:
    inside, outside = state
    if outside is None or not outside.wants_files:
        return inside.wants
    return lambda name: inside.wants(name) and not outside.wants(name)


def _target(workspace: Workspace, link: str) -> WorkspacePath | None:
    """The file inside the root that a link leads to."""
    try:
        target = workspace.resolve(link)
        return target if stat.S_ISREG(workspace.stat(target).st_mode) else None
    except (ToolError, OSError):
        return None


def _below(start: WorkspacePath, pattern: str) -> str | None:
    """The pattern relative to `start`; None when it points elsewhere (`../x`, `/etc/*`)."""
    if pattern.startswith("/"):
        prefix = start.absolute.rstrip("/") + "/"
        if not pattern.startswith(prefix):
            return None
        pattern = pattern[len(prefix) :]
    segments: list[str] = []
    for segment in pattern.split("/"):
        if segment == "..":
            if not segments or segments[-1] == "**":
                return None
            segments.pop()
        elif segment != ".":
            segments.append(segment)
    return "/".join(segments)


def literal_if_it_exists(start: WorkspacePath, pattern: str) -> str:
    """The pattern, escaped when a file of just that name exists (`a[1].txt`, `app/[slug]/page.tsx`)."""
    if "\0" in pattern or not any(character in pattern for character in "*?[]{}()!+@"):
        return pattern
    return escape(pattern) if os.path.lexists(os.path.join(start.absolute, pattern.lstrip("/"))) else pattern
