"""glob: files by pattern, those changed in the last day first."""

from __future__ import annotations

import os
import time
from typing import ClassVar

from groundwire.errors import ToolError
from groundwire.tools import finding
from groundwire.tools.base import Arguments, Declaration, Dialect, ErrorType, ToolContext, ToolResult, invalid
from groundwire.tools.collation import collation_key
from groundwire.tools.declaring import boolean, parameters, string
from groundwire.tools.finding import Findings, FoundFile, find, literal_if_it_exists
from groundwire.tools.node_errors import node_message
from groundwire.tools.places import place
from groundwire.workspace.boundary import WorkspacePath
from groundwire.workspace.ignore import Ignore

DAY_NS = 24 * 60 * 60 * 10**9
_ABOUT = (
    "Finds files whose path matches a glob pattern (such as `src/**/*.ts` or `**/*.md`) and returns their "
    "absolute paths, the newest first. Quick also in large trees."
)
_PATTERN = string("The glob pattern to match against, for example '**/*.py' or 'docs/*.md'.")
_CASE = boolean("Optional: whether upper and lower case differ. Defaults to false.")
_GIT = boolean("Optional: leave out what .gitignore rules ignore, in a git repository. Defaults to true.")
_CURRENT = Declaration(
    "glob",
    _ABOUT,
    parameters(
        required=("pattern",),
        pattern=_PATTERN,
        dir_path=string("Optional: the directory to search in. Without it, the root."),
        case_sensitive=_CASE,
        respect_git_ignore=_GIT,
        respect_gemini_ignore=boolean("Optional: leave out what .geminiignore ignores. Defaults to true."),
    ),
)
_CLASSIC = Declaration(
    "glob",
    _ABOUT,
    parameters(
        required=("pattern",),
        pattern=_PATTERN,
        path=string("Optional: the absolute path of the directory to search in. Without it, the root."),
        case_sensitive=_CASE,
        respect_git_ignore=_GIT,
    ),
)


class GlobTool:
    """Finds files by pattern."""

    writes = False
    aliases: ClassVar = {Dialect.CLASSIC: {"dir_path": "path"}}

    def declaration(self, dialect: Dialect) -> Declaration | None:
        """The tool in `dialect`."""
        return {Dialect.CURRENT: _CURRENT, Dialect.CLASSIC: _CLASSIC}.get(dialect)

    def run(self, arguments: Arguments, context: ToolContext) -> ToolResult:
        """Find the files the arguments describe."""
        classic = context.dialect is Dialect.CLASSIC
        start = _start(context, arguments.get("path" if classic else "dir_path") or ".")
        pattern = arguments["pattern"]
        if not pattern.strip():
            raise invalid("The 'pattern' parameter cannot be empty.")
        try:
            found = _find(arguments, context, start, pattern)
        except OSError as error:
            message = f"Error during glob search operation: {node_message(error, 'scandir', start.absolute)}"
            raise ToolError(
                message,
                kind=ErrorType.GLOB_EXECUTION_ERROR,
                display="Error: An unexpected error occurred.",
            ) from None
        shown = found.shown
        ignored = found.ignored_count(len(shown))
        if not shown:
            return ToolResult(_none_found(pattern, start, ignored, classic=classic), "No files found")
        paths = newest_first(shown, start, time.time_ns(), strictly=classic)
        note = f" ({ignored} additional files were {'git-' if classic else ''}ignored)" if ignored else ""
        text = (
            f'Found {len(paths)} file(s) matching "{pattern}" within {start.absolute}{note}, '
            "sorted by modification time (newest first):\n" + "\n".join(paths)
        )
        if len(found.files) >= finding.MOST_FOUND:
            text += f"\n(The search stopped after {len(found.files)} files. Use a narrower pattern.)"
        return ToolResult(text, f"Found {len(paths)} matching file(s)")


def _start(context: ToolContext, path: str) -> WorkspacePath:
    start = place(context, path)
    if not os.path.exists(start.absolute):
        raise invalid(f"Search path does not exist {start.absolute}")
    if not os.path.isdir(start.absolute):
        raise invalid(f"Search path is not a directory: {start.absolute}")
    return start


def _find(arguments: Arguments, context: ToolContext, start: WorkspacePath, pattern: str) -> Findings:
    ignore = Ignore(
        context.workspace,
        git=arguments.get("respect_git_ignore", context.git_ignore),
        gemini=arguments.get("respect_gemini_ignore", context.gemini_ignore),
    )
    return find(
        context.workspace,
        start,
        [literal_if_it_exists(start, pattern)],
        ignore=ignore,
        ignore_case=not arguments.get("case_sensitive", False),
        cancelled=context.cancelled,
    )


def newest_first(files: list[FoundFile], start: WorkspacePath, now_ns: int, *, strictly: bool) -> list[str]:
    """Absolute paths: those of the last day newest first, then the others by name.

    `strictly` sorts all of them by time, as the classic glob does.
    """
    prefix = start.absolute.rstrip("/") + "/"
    recent = [file for file in files if strictly or now_ns - file.modified_ns < DAY_NS]
    older = [] if strictly else [file for file in files if now_ns - file.modified_ns >= DAY_NS]
    # Node.js compares microseconds. Where they are equal any order is as good, and this one is cheap.
    recent.sort(key=lambda file: (-(file.modified_ns // 1_000), file.path))
    older.sort(key=lambda file: collation_key(file.path))
    return [prefix + file.path for file in (*recent, *older)]


def _none_found(pattern: str, start: WorkspacePath, ignored: str, *, classic: bool) -> str:
    message = f'No files found matching pattern "{pattern}" within {start.absolute}'
    if classic:
        return message + "." + (f" ({ignored} files were git-ignored)" if ignored else "")
    return message + (f" ({ignored} files were ignored)" if ignored else "")


GLOB = GlobTool()
