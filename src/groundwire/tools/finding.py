"""Finding files by glob patterns: the walk shared by glob and read_many_files.

Links are reported when they lead to a file inside the root, and nothing outside the root is ever reported,
whatever a pattern says. Files below an ignored directory are looked at only to count them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from groundwire.errors import ToolError
from groundwire.tools.glob_pattern import Glob, GlobState, escape
from groundwire.workspace.boundary import Workspace, WorkspacePath
from groundwire.workspace.ignore import Ignore
from groundwire.workspace.walk import Found, walk

CORE_EXCLUDES = (
    "**/node_modules/**",
    "**/.git/**",
    "**/bower_components/**",
    "**/.svn/**",
    "**/.hg/**",
)
"""What Gemini CLI's glob never looks into."""
_State = tuple[GlobState, GlobState | None]


class FoundFile(NamedTuple):
    """A file that matches; `path` is below the start of the search."""

    path: str
    ignored: bool
    modified_ns: int
    is_link: bool


def find(
    workspace: Workspace,
    start: WorkspacePath,
    patterns: Iterable[str],
    *,
    ignore: Ignore,
    excludes: Iterable[str] = CORE_EXCLUDES,
    ignore_case: bool,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[FoundFile]:
    """Every file below `start` that matches one of the patterns and none of `excludes`."""
    inside = [one for one in (_below(start, pattern) for pattern in patterns) if one is not None]
    wanted = Glob(inside, ignore_case=ignore_case)
    unwanted = Glob(excludes, ignore_case=ignore_case)

    def enter(state: _State, name: str) -> _State | None:
        below = state[0].below(name)
        if below is None:
            return None
        out = state[1].below(name) if state[1] is not None else None
        return None if out is not None and out.takes_everything else (below, out)

    def want(state: _State, name: str) -> object:
        inside, outside = state
        return inside.wants(name) and not (outside is not None and outside.wants(name))

    first: _State = (wanted.start, unwanted.start)
    for found in walk(
        workspace,
        start,
        ignore=ignore,
        state=first,
        enter=enter,
        want=want,
        show_ignored=True,
        cancelled=cancelled,
    ):
        file = _file(workspace, start, found, ignore)
        if file is not None:
            yield file


def _file(workspace: Workspace, start: WorkspacePath, found: Found, ignore: Ignore) -> FoundFile | None:
    try:
        status = found.entry.stat(follow_symlinks=False)
    except OSError:
        return None
    ignored = found.ignored
    is_link = stat.S_ISLNK(status.st_mode)
    if is_link:
        try:
            target = workspace.resolve(os.path.join(start.absolute, found.path))
            if not stat.S_ISREG(workspace.stat(target).st_mode):
                return None
        except (ToolError, OSError):
            return None
        ignored = ignored or ignore.ignores(target.relative, is_directory=False)
    return FoundFile(found.path, ignored, status.st_mtime_ns, is_link)


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
