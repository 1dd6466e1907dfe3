"""grep_search (classic: search_file_content): lines that match a regular expression, found by ripgrep.

A search first runs in parallel. When it finds no more than was asked for, that is the whole answer, and it
is put in order; when it finds more, it is stopped and run again in the order of paths, so that the same
question always has the same answer. Hidden files are searched; what the boundary protects never is.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import ClassVar

from groundwire.errors import ToolError
from groundwire.tools.base import Arguments, Declaration, Dialect, ErrorType, ToolContext, ToolResult, invalid
from groundwire.tools.declaring import boolean, integer, parameters, string
from groundwire.tools.grep_results import (
    JS_SPACE,
    Asked,
    Matches,
    classic_result,
    lines_result,
    names_result,
    nothing_found,
)
from groundwire.tools.node_errors import node_message
from groundwire.tools.places import place
from groundwire.tools.regex_errors import refused_pattern
from groundwire.tools.ripgrep import (
    TIMEOUT_SECONDS,
    Line,
    Query,
    RipgrepFailed,
    RipgrepMissing,
    RipgrepTimedOut,
    matching_lines,
    search,
)
from groundwire.workspace.boundary import WorkspacePath
from groundwire.workspace.ignore import Ignore
from groundwire.workspace.spelling import PROTECTED, is_protected

MOST_MATCHES = 100
MOST_CLASSIC_MATCHES = 1000
_BATCH = 500
_EXCLUDES = (
    "**/node_modules/**",
    "**/.git/**",
    "**/bower_components/**",
    "**/.svn/**",
    "**/.hg/**",
    "**/.vscode/**",
    "**/.idea/**",
    "**/dist/**",
    "**/build/**",
    "**/coverage/**",
    "**/__pycache__/**",
    "*.log",
    "*.tmp",
)
_ABOUT = "Searches the content of files for a regular expression and returns the lines that match."
_INCLUDE = "Optional: a glob pattern that limits which files are searched, such as '*.ts' or 'src/**'."
_CURRENT = Declaration(
    "grep_search",
    f"{_ABOUT} At most 100 matches unless told otherwise.",
    parameters(
        required=("pattern",),
        pattern=string(
            "The regular expression to search for, in Rust's syntax. Use '\\b' to match whole words."
        ),
        dir_path=string("Optional: the directory or file to search. Without it, the root."),
        include_pattern=string(_INCLUDE),
        exclude_pattern=string("Optional: a regular expression; lines that match it are left out."),
        names_only=boolean("Optional: return only the paths of the files that match."),
        case_sensitive=boolean("Optional: whether upper and lower case differ. Defaults to false."),
        fixed_strings=boolean("Optional: take the pattern as plain text. Defaults to false."),
        context=integer("Optional: lines to show around each match.", minimum=0),
        after=integer("Optional: lines to show after each match.", minimum=0),
        before=integer("Optional: lines to show before each match.", minimum=0),
        no_ignore=boolean("Optional: also search files that are usually ignored. Defaults to false."),
        max_matches_per_file=integer("Optional: the most matches to return from one file.", minimum=1),
        total_max_matches=integer("Optional: the most matches to return. Defaults to 100.", minimum=1),
    ),
)
_CLASSIC = Declaration(
    "search_file_content",
    _ABOUT,
    parameters(
        required=("pattern",),
        pattern=string("The regular expression to search for."),
        path=string("Optional: the absolute path of the directory to search. Without it, the root."),
        include=string(_INCLUDE),
    ),
)


@dataclass(frozen=True, slots=True)
class _Search:
    """One search, ready to run."""

    query: Query
    folder: str
    target: str
    options: tuple[str, ...]
    exclude: Query | None
    keep: _Keep
    most: int
    deadline: float
    context: ToolContext


class _Keep:
    """Which files of the result may be shown; asked once per file."""

    def __init__(self, start: WorkspacePath, prefix: str, ignore: Ignore | None) -> None:
        self._start = start
        self._prefix = prefix
        self._ignore = ignore
        self._known: dict[str, bool] = {}

    def __call__(self, path: str) -> bool:
        if path not in self._known:
            relative = self._prefix + path
            protected = relative if self._ignore is not None else relative.replace("node_modules", "")
            self._known[path] = not is_protected(protected) and not (
                self._ignore is not None and self._ignore.ignores(relative, is_directory=False)
            )
        return self._known[path]


class GrepSearch:
    """Searches file contents."""

    writes = False
    aliases: ClassVar = {Dialect.CLASSIC: {"dir_path": "path", "include_pattern": "include"}}

    def declaration(self, dialect: Dialect) -> Declaration | None:
        """The tool in `dialect`."""
        return {Dialect.CURRENT: _CURRENT, Dialect.CLASSIC: _CLASSIC}.get(dialect)

    def run(self, arguments: Arguments, context: ToolContext) -> ToolResult:
        """Search for what the arguments describe."""
        classic = context.dialect is Dialect.CLASSIC
        where = arguments.get("path" if classic else "dir_path") or "."
        query = Query(
            arguments["pattern"],
            fixed_strings=arguments.get("fixed_strings", False),
            case_sensitive=arguments.get("case_sensitive", False),
        )
        try:
            start = _start(context, where)
        except ToolError:
            _refuse_bad_pattern(query, arguments)  # of two mistakes the pattern is named first
            raise
        most = MOST_CLASSIC_MATCHES if classic else int(arguments.get("total_max_matches", MOST_MATCHES))
        include = arguments.get("include" if classic else "include_pattern")
        asked = Asked(arguments["pattern"], where, include, most)
        try:
            prepared = _prepare(arguments, context, start, query, include, most)
            matches = _run(prepared)
            if not classic and 1 <= matches.count <= 3 and not _wants_own_context(arguments):
                matches = _with_context(prepared, matches, 50 if matches.count == 1 else 15)
        except (RipgrepFailed, RipgrepTimedOut, RipgrepMissing) as error:
            raise _failed(error, arguments) from None
        if classic:
            return classic_result(matches, asked)
        if not matches.lines:
            return nothing_found(asked)
        if arguments.get("names_only"):
            return names_result(matches, asked)
        return lines_result(matches, asked, prepared.folder)


def _start(context: ToolContext, path: str) -> WorkspacePath:
    start = place(context, path)
    try:
        mode = context.workspace.stat(start).st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        if isinstance(error, NotADirectoryError):
            message = node_message(error, "stat", start.absolute)
            raise invalid(f"Failed to access path stats for {start.absolute}: {message}") from None
        raise invalid(f"Path does not exist: {start.absolute}") from None
    except OSError as error:
        message = node_message(error, "stat", start.absolute)
        raise invalid(f"Failed to access path stats for {start.absolute}: {message}") from None
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise invalid(f"Path is not a valid directory or file: {start.absolute}")
    return start


def _refuse_bad_pattern(query: Query, arguments: Arguments) -> None:
    try:
        matching_lines(query, [""])
    except (RipgrepFailed, RipgrepTimedOut, RipgrepMissing) as error:
        raise _failed(error, arguments) from None


def _prepare(
    arguments: Arguments,
    context: ToolContext,
    start: WorkspacePath,
    query: Query,
    include: str | None,
    most: int,
) -> _Search:
    is_file = os.path.isfile(start.absolute)
    folder = os.path.dirname(start.absolute) if is_file else start.absolute
    prefix = start.relative.rpartition("/")[0] if is_file else start.relative
    no_ignore = arguments.get("no_ignore", False)
    ignore = (
        None if no_ignore else Ignore(context.workspace, git=context.git_ignore, gemini=context.gemini_ignore)
    )
    excluded = arguments.get("exclude_pattern")
    return _Search(
        query=query,
        folder=folder,
        target=f"./{start.name}" if is_file else ".",
        options=(
            *query.options(),
            *_file_options(context, include, prefix, no_ignore=no_ignore),
            *_line_options(arguments),
        ),
        exclude=Query(excluded, case_sensitive=query.case_sensitive) if excluded else None,
        keep=_Keep(start, prefix + "/" if prefix else "", ignore),
        most=most,
        deadline=time.monotonic() + TIMEOUT_SECONDS,
        context=context,
    )


def _file_options(context: ToolContext, include: str | None, prefix: str, *, no_ignore: bool) -> list[str]:
    """Which files ripgrep looks at."""
    options = ["--hidden"]
    if include:
        options.append(f"--glob={include}")
        # A pattern may be meant from the root as well as from the directory that is searched.
        if prefix and include.startswith(prefix + "/"):
            options.append(f"--glob={include[len(prefix) + 1 :]}")
    if no_ignore:
        options.append("--no-ignore")
    else:
        options += [f"--glob=!{pattern}" for pattern in _EXCLUDES]
        gemini = os.path.join(context.workspace.real_root, ".geminiignore")
        if context.gemini_ignore and os.path.isfile(gemini):
            options.append(f"--ignore-file={gemini}")
    if not context.git_ignore:
        options += ["--no-ignore-vcs", "--no-ignore-exclude"]
    return options + [f"--glob=!{name}" for name in sorted(PROTECTED - {"node_modules"})]


def _line_options(arguments: Arguments) -> list[str]:
    """Which lines ripgrep reports."""
    names = {"context": "context", "after": "after-context", "before": "before-context"}
    options = [f"--{option}={int(arguments[name])}" for name, option in names.items() if arguments.get(name)]
    if arguments.get("names_only"):
        return ["--max-count=1"]
    if arguments.get("max_matches_per_file"):
        options.append(f"--max-count={int(arguments['max_matches_per_file'])}")
    return options


def _wants_own_context(arguments: Arguments) -> bool:
    return bool(arguments.get("names_only")) or any(
        arguments.get(name) is not None for name in ("context", "before", "after")
    )


def _run(prepared: _Search) -> Matches:
    """The first matches in the order of paths, all of them when there are no more than asked for."""
    lines = _collect(prepared, ())
    if sum(not line.is_context for line in lines) > prepared.most:
        lines = _collect(prepared, ("--sort=path",))
    else:
        lines.sort(key=lambda line: (line.path.split("/"), line.number))
    return _capped(lines, prepared.most)


def _collect(prepared: _Search, more: tuple[str, ...]) -> list[Line]:
    """Lines as they come, until one match more than asked for."""
    found: list[Line] = []
    count = 0
    lines = search(
        prepared.folder,
        [*prepared.options, *more],
        [prepared.target],
        cancelled=prepared.context.cancelled,
        deadline=prepared.deadline,
    )
    with closing(lines):
        for line in _filtered(prepared, lines):
            found.append(line)
            count += not line.is_context
            if count > prepared.most:
                break
    return found


def _filtered(prepared: _Search, lines: Iterator[Line]) -> Iterator[Line]:
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


def _without_excluded(prepared: _Search, batch: list[Line]) -> list[Line]:
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


def _with_context(prepared: _Search, matches: Matches, around: int) -> Matches:
    """The few matches again, with the lines around them; only what matched before counts as a match."""
    known = {(line.path, line.number) for line in matches.lines}
    paths = list(dict.fromkeys(f"./{line.path}" for line in matches.lines))
    lines = search(
        prepared.folder,
        [*prepared.options, f"--context={around}", "--sort=path"],
        paths,
        cancelled=prepared.context.cancelled,
        deadline=prepared.deadline,
    )
    with closing(lines):
        found = list(_filtered(prepared, lines))
    marked = [
        Line(line.path, line.number, line.text, is_context=(line.path, line.number) not in known)
        for line in found
    ]
    marked.sort(key=lambda line: (line.path.split("/"), line.number))
    return Matches(marked, matches.limited)


def _failed(error: RipgrepFailed | RipgrepTimedOut | RipgrepMissing, arguments: Arguments) -> ToolError:
    if isinstance(error, RipgrepFailed):
        reason = refused_pattern(error.message, arguments)
        if reason is not None:
            return invalid(reason)
    message = str(error)
    if isinstance(error, RipgrepTimedOut):
        message = (
            f"Operation timed out after {int(TIMEOUT_SECONDS * 1000)}ms. In large repositories, consider "
            "narrowing your search scope by specifying a 'dir_path' or an 'include_pattern'."
        )
    return ToolError(
        f"Error during grep search operation: {message}",
        kind=ErrorType.GREP_EXECUTION_ERROR,
        display=f"Error: {message}",
    )


GREP_SEARCH = GrepSearch()
