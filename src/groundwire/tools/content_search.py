"""Running a content search to the end: in order, within its limit, without what may not be shown.

The same question always has the same answer: the first matches in the order of paths. Ripgrep can search in
that order only with one thread. So a search is run in parallel first: when it finds no more than was asked
for, that is the whole answer and is put in order here; when it soon finds more, one run in order finds
enough as soon. Files of any size are searched; only when that takes most of the time there is, or more memory
than there may be, the search is made again without the large ones, and says so.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from groundwire.tools.grep_results import JS_SPACE, Matches
from groundwire.tools.ripgrep import (
    WITHOUT_LARGE_FILES,
    Line,
    Query,
    RipgrepOutOfMemory,
    RipgrepTimedOut,
    matching_lines,
    search,
)
from groundwire.workspace.boundary import Workspace
from groundwire.workspace.ignore import Ignore
from groundwire.workspace.spelling import is_protected

IN_ORDER = ("--sort=path",)
IN_PARALLEL = (f"--threads={max(4, min(os.cpu_count() or 1, 12))}",)
WHOLE_FOLDER = "."
"""The target of a search that names no file."""
WITH_LARGE_FILES = 2 / 3
"""The part of the time after which large files are given up."""
_BATCH = 500
"""Lines that are held against the exclude pattern at once."""


@dataclass(frozen=True, slots=True)
class ContentSearch:
    """One search, ready to run."""

    query: Query
    folder: str
    target: str
    options: tuple[str, ...]
    exclude: Query | None
    keep: Callable[[str], bool]
    most: int
    deadline: float
    cancelled: Callable[[], bool]
    at_once: Callable[[], list[Line] | None] = lambda: None
    """The lines, where they can be found without ripgrep."""
    around_at_once: Callable[[Sequence[Line], int], list[Line] | None] = lambda lines, around: None
    """Lines with those around them, where that needs no ripgrep."""


class Shown:
    """Which files of the result may be shown; asked once per file.

    Ripgrep follows no link, but it opens directories by name: a link put in place of one while it searches
    could lead it out. What it found there is not shown.
    """

    def __init__(self, workspace: Workspace, prefix: str, ignore: Ignore | None) -> None:
        self._root = workspace.real_root.rstrip(os.sep)
        self._prefix = prefix
        self._ignore = ignore
        self._known: dict[str, bool] = {}

    def __call__(self, path: str) -> bool:
        if path not in self._known:
            relative = self._prefix + path
            absolute = f"{self._root}/{relative}"
            inside = os.path.realpath(absolute) == absolute
            self._known[path] = inside and not self._is_kept_back(relative)
        return self._known[path]

    def _is_kept_back(self, relative: str) -> bool:
        if self._ignore is not None:
            return is_protected(relative) or self._ignore.ignores(relative, is_directory=False)
        # A search that ignores nothing also looks at dependencies.
        return any(is_protected(name) for name in relative.split("/") if name != "node_modules")


def first_matches(prepared: ContentSearch) -> Matches:
    """The first matches in the order of paths, all of them when there are no more than asked for."""
    if prepared.target != WHOLE_FOLDER:
        return _first_matches(prepared)
    now = time.monotonic()
    in_time = now + (prepared.deadline - now) * WITH_LARGE_FILES
    try:
        return _first_matches(replace(prepared, deadline=in_time))
    except (RipgrepTimedOut, RipgrepOutOfMemory):
        smaller = replace(prepared, options=(*prepared.options, *WITHOUT_LARGE_FILES), at_once=lambda: None)
        return replace(_first_matches(smaller), without_large=True)


def _first_matches(prepared: ContentSearch) -> Matches:
    lines = prepared.at_once()
    if lines is None:
        lines = _collect(prepared, IN_PARALLEL)
        if sum(not line.is_context for line in lines) > prepared.most:
            lines = _collect(prepared, IN_ORDER)
        else:
            lines.sort(key=lambda line: (line.path.split("/"), line.number))
    return _capped(lines, prepared.most)


def _collect(prepared: ContentSearch, more: tuple[str, ...]) -> list[Line]:
    """Lines as they come, up to one match more than asked for."""
    found: list[Line] = []
    count = 0
    lines = search(
        prepared.folder,
        [*prepared.options, *more],
        [prepared.target],
        cancelled=prepared.cancelled,
        deadline=prepared.deadline,
    )
    with closing(lines):
        for line in _filtered(prepared, lines):
            found.append(line)
            count += not line.is_context
            if count > prepared.most:
                return found
    return found


def _filtered(prepared: ContentSearch, lines: Iterator[Line]) -> Iterator[Line]:
    """The lines of files that may be shown, without those that the exclude pattern matches."""
    kept = (line for line in lines if prepared.keep(line.path))
    if prepared.exclude is None:
        yield from kept
        return
    batch: list[Line] = []
    for line in kept:
        batch.append(line)
        if len(batch) == _BATCH:
            yield from _without_excluded(prepared, batch)
            batch = []
    yield from _without_excluded(prepared, batch)


def _without_excluded(prepared: ContentSearch, batch: list[Line]) -> list[Line]:
    if prepared.exclude is None or not batch:
        return batch
    texts = [line.text.rstrip(JS_SPACE) for line in batch]
    dropped = matching_lines(prepared.exclude, texts, deadline=prepared.deadline)
    return [line for index, line in enumerate(batch) if index not in dropped]


def _capped(lines: list[Line], most: int) -> Matches:
    count = 0
    for index, line in enumerate(lines):
        count += not line.is_context
        if count > most:
            return Matches(lines[:index], limited=True)
    return Matches(lines)


def with_context(prepared: ContentSearch, matches: Matches, around: int) -> Matches:
    """The few matches again, with the lines around them; only what matched before counts as a match."""
    at_once = None if prepared.exclude else prepared.around_at_once(matches.lines, around)
    if at_once is not None:
        return replace(matches, lines=at_once)
    known = {(line.path, line.number) for line in matches.lines}
    paths = list(dict.fromkeys(f"./{line.path}" for line in matches.lines))
    lines = search(
        prepared.folder,
        [*prepared.options, f"--context={around}", "--sort=path"],
        paths,
        cancelled=prepared.cancelled,
        deadline=prepared.deadline,
    )
    with closing(lines):
        found = list(_filtered(prepared, lines))
    marked = [
        Line(line.path, line.number, line.text, is_context=(line.path, line.number) not in known)
        for line in found
    ]
    marked.sort(key=lambda line: (line.path.split("/"), line.number))
    return replace(matches, lines=marked)
