"""grep_search (classic: search_file_content): lines that match a regular expression, found by ripgrep.

Hidden files are searched; what the boundary protects never is. One to three matches come with the lines
around them, unless the call asks for its own context.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from groundwire.characters import is_sayable
from groundwire.errors import ToolError
from groundwire.tools.base import Arguments, Declaration, Dialect, ErrorType, ToolContext, ToolResult, invalid
from groundwire.tools.common_word import WordSearch, first_lines, is_plain, is_plain_name, lines_around
from groundwire.tools.content_search import WHOLE_FOLDER, ContentSearch, Shown, first_matches, with_context
from groundwire.tools.declaring import boolean, integer, parameters, string
from groundwire.tools.grep_results import (
    Asked,
    classic_result,
    lines_result,
    names_result,
    nothing_found,
    with_remark,
)
from groundwire.tools.node_errors import node_message
from groundwire.tools.places import place
from groundwire.tools.regex_errors import refused_pattern
from groundwire.tools.ripgrep import (
    TIMEOUT_SECONDS,
    Line,
    Query,
    RipgrepError,
    RipgrepFailed,
    RipgrepTimedOut,
    matching_lines,
)
from groundwire.workspace.boundary import WorkspacePath
from groundwire.workspace.ignore import Ignore
from groundwire.workspace.spelling import PROTECTED

MOST_MATCHES = 100
MOST_CLASSIC_MATCHES = 1000
MOST_PATTERN_BYTES = 100_000
"""Linux takes 128 KB in one argument of a program, other systems more."""
_FOLDERS_LEFT_OUT = (
    "node_modules",
    ".git",
    "bower_components",
    ".svn",
    ".hg",
    ".vscode",
    ".idea",
    "dist",
    "build",
    "coverage",
    "__pycache__",
)
_ENDINGS_LEFT_OUT = (".log", ".tmp")
# Directories by their name alone: ripgrep looks them up at once and never enters them.
EXCLUDES = (*(f"{name}/" for name in _FOLDERS_LEFT_OUT), *(f"*{ending}" for ending in _ENDINGS_LEFT_OUT))
"""What ripgrep is told to leave out, as Gemini CLI does."""
_PLAIN_ARGUMENTS = frozenset(
    (
        "pattern",
        "dir_path",
        "path",
        "include",
        "include_pattern",
        "case_sensitive",
        "fixed_strings",
        "total_max_matches",
    )
)
_PATTERNS = ("pattern", "include_pattern", "include", "exclude_pattern")
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
        _refuse_unsayable(arguments)
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
            matches = first_matches(prepared)
            if not classic and 1 <= matches.count <= 3 and not _wants_own_context(arguments):
                matches = with_context(prepared, matches, 50 if matches.count == 1 else 15)
        except RipgrepError as error:
            raise _failed(error, arguments) from None
        if classic:
            result = classic_result(matches, asked)
        elif not matches.lines:
            result = nothing_found(asked)
        elif arguments.get("names_only"):
            result = names_result(matches, asked)
        else:
            result = lines_result(matches, asked, prepared.folder)
        return with_remark(result) if matches.without_large else result


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


def _refuse_unsayable(arguments: Arguments) -> None:
    for name in _PATTERNS:
        if not is_sayable(arguments.get(name) or ""):
            raise invalid(f"{name} holds half a character or NUL, which no search can be given.")
        if len((arguments.get(name) or "").encode("utf-8", "surrogateescape")) > MOST_PATTERN_BYTES:
            raise invalid(f"{name} is longer than {MOST_PATTERN_BYTES:,} bytes. Use a part of it.")


def _refuse_bad_pattern(query: Query, arguments: Arguments) -> None:
    try:
        matching_lines(query, [""])
    except RipgrepError as error:
        raise _failed(error, arguments) from None


def _prepare(
    arguments: Arguments,
    context: ToolContext,
    start: WorkspacePath,
    query: Query,
    include: str | None,
    most: int,
) -> ContentSearch:
    is_file = os.path.isfile(start.absolute)
    folder = os.path.dirname(start.absolute) if is_file else start.absolute
    prefix = start.relative.rpartition("/")[0] if is_file else start.relative
    no_ignore = arguments.get("no_ignore", False)
    ignore = (
        None if no_ignore else Ignore(context.workspace, git=context.git_ignore, gemini=context.gemini_ignore)
    )
    excluded = arguments.get("exclude_pattern")
    return ContentSearch(
        query=query,
        folder=folder,
        target=f"./{start.name}" if is_file else WHOLE_FOLDER,
        options=(
            *query.options(),
            *_file_options(context, include, prefix, no_ignore=no_ignore),
            *_line_options(arguments),
        ),
        exclude=Query(excluded, case_sensitive=query.case_sensitive) if excluded else None,
        keep=Shown(context.workspace, prefix + "/" if prefix else "", ignore),
        most=most,
        deadline=time.monotonic() + TIMEOUT_SECONDS,
        cancelled=context.cancelled,
        at_once=partial(_at_once, arguments, context, start, query, ignore, include, most),
        around_at_once=partial(_around_at_once, context, prefix),
    )


def _at_once(
    arguments: Arguments,
    context: ToolContext,
    start: WorkspacePath,
    query: Query,
    ignore: Ignore | None,
    include: str | None,
    most: int,
) -> list[Line] | None:
    """The lines of a search that asks for nothing but plain words, when they are found soon."""
    gemini = os.path.join(context.workspace.real_root, ".geminiignore")
    if (
        ignore is None
        or not context.git_ignore
        or not set(arguments) <= _PLAIN_ARGUMENTS
        or not is_plain(query)
        or not is_plain_name(include or "*")
        or os.path.lexists(gemini)
    ):
        return None
    word = query.pattern.encode()
    left_out = frozenset(_FOLDERS_LEFT_OUT)
    wanted = WordSearch(word, query.case_sensitive, most, ignore, left_out, _ENDINGS_LEFT_OUT, include or "*")
    return first_lines(context.workspace, start, wanted)


def _around_at_once(
    context: ToolContext, prefix: str, lines: Sequence[Line], around: int
) -> list[Line] | None:
    return lines_around(context.workspace, context.workspace.resolve(prefix or "."), lines, around)


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
        options += [f"--glob=!{pattern}" for pattern in EXCLUDES]
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
        # One match per file is enough, unless that one may be left out again.
        return [] if arguments.get("exclude_pattern") else ["--max-count=1"]
    if arguments.get("max_matches_per_file"):
        options.append(f"--max-count={int(arguments['max_matches_per_file'])}")
    return options


def _wants_own_context(arguments: Arguments) -> bool:
    return bool(arguments.get("names_only")) or any(
        arguments.get(name) is not None for name in ("context", "before", "after")
    )


def _failed(error: RipgrepError, arguments: Arguments) -> ToolError:
    if isinstance(error, RipgrepFailed):
        reason = refused_pattern(str(error), arguments)
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
