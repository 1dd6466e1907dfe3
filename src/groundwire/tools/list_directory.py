"""list_directory: the names directly inside one directory, directories first."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from groundwire.errors import ToolError
from groundwire.tools.base import Arguments, Declaration, Dialect, ErrorType, ToolContext, ToolResult
from groundwire.tools.collation import collation_key
from groundwire.tools.declaring import FILE_FILTERING, boolean, parameters, string, strings
from groundwire.tools.node_errors import node_message
from groundwire.tools.places import place
from groundwire.workspace.boundary import HANDLES, Workspace, WorkspacePath
from groundwire.workspace.ignore import Ignore
from groundwire.workspace.spelling import is_protected

_ABOUT = (
    "Lists the files and directories directly inside a directory, directories first. Entries that match "
    "one of the `ignore` patterns are left out."
)
_JS_DOT = "[^\n\r\u2028\u2029]"
_IGNORE = strings("Optional: patterns of names to leave out; `*` stands for any text, `?` for one character.")
_CURRENT = Declaration(
    "list_directory",
    _ABOUT,
    parameters(
        required=("dir_path",),
        dir_path=string("The path to the directory to list."),
        ignore=_IGNORE,
        file_filtering_options=FILE_FILTERING,
    ),
)
_CLASSIC = Declaration(
    "list_directory",
    _ABOUT,
    parameters(
        required=("path",),
        path=string("The absolute path to the directory to list. It must lie inside the workspace."),
        ignore=_IGNORE,
        respect_git_ignore=boolean(
            "Optional: leave out what .gitignore rules ignore, in a git repository. Defaults to true."
        ),
        file_filtering_options=FILE_FILTERING,
    ),
)


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    is_directory: bool
    size: int


class ListDirectory:
    """Lists one directory."""

    writes = False
    aliases: ClassVar = {Dialect.CLASSIC: {"dir_path": "path"}}

    def declaration(self, dialect: Dialect) -> Declaration | None:
        """The tool in `dialect`."""
        return {Dialect.CURRENT: _CURRENT, Dialect.CLASSIC: _CLASSIC}.get(dialect)

    def run(self, arguments: Arguments, context: ToolContext) -> ToolResult:
        """List the directory the arguments name."""
        classic = context.dialect is Dialect.CLASSIC
        where = place(context, arguments["path" if classic else "dir_path"])
        try:
            found = _scan(context.workspace, where)
        except NotADirectoryError:
            raise _not_a_directory(where) from None
        except OSError as error:
            message = f"Error listing directory: {node_message(error, 'stat', where.lexical)}"
            raise ToolError(
                message, kind=ErrorType.LS_EXECUTION_ERROR, display="Error: Failed to list directory."
            ) from None
        if not found:
            return ToolResult(f"Directory {where.lexical} is empty.", "Directory is empty.")
        ignore = _ignore(arguments, context)
        entries, ignored = _shown(found, where, context.workspace, ignore, arguments.get("ignore") or ())
        entries.sort(key=lambda entry: (not entry.is_directory, collation_key(entry.name)))
        return _classic(where, entries, ignored) if classic else _current(where, entries, ignored)


def _scan(workspace: Workspace, where: WorkspacePath) -> list[tuple[str, int, int]]:
    """Every name in the directory with the mode and size of what it names, links not followed."""
    if not stat.S_ISDIR(workspace.stat(where).st_mode):
        raise NotADirectoryError
    handle = workspace.open_directory(where) if HANDLES else None
    try:
        found = []
        with os.scandir(where.absolute if handle is None else handle) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):  # gone since a moment
                    status = entry.stat(follow_symlinks=False)
                    found.append((entry.name, status.st_mode, status.st_size))
        return found
    finally:
        if handle is not None:
            os.close(handle)


def _ignore(arguments: Arguments, context: ToolContext) -> Ignore:
    wanted: Mapping[str, bool] = arguments.get("file_filtering_options") or {}
    flat = arguments.get("respect_git_ignore", context.git_ignore)
    git = wanted.get("respect_git_ignore", flat if context.dialect is Dialect.CLASSIC else context.git_ignore)
    gemini = wanted.get("respect_gemini_ignore", context.gemini_ignore)
    return Ignore(context.workspace, git=git, gemini=gemini)


def _shown(
    found: Iterable[tuple[str, int, int]],
    where: WorkspacePath,
    workspace: Workspace,
    ignore: Ignore,
    patterns: Iterable[str],
) -> tuple[list[_Entry], int]:
    """The entries to show, and how many the ignore files or the boundary keep back."""
    left_out = [_name_pattern(pattern) for pattern in patterns]
    rules = ignore.inside(where.relative)
    entries: list[_Entry] = []
    ignored = 0
    for name, mode, size in found:
        hidden = rules.ignores(name, stat.S_ISDIR(mode))
        exists = True
        if not hidden and stat.S_ISLNK(mode):
            hidden, target = _through_link(workspace, f"{where.absolute}/{name}", ignore)
            exists = target is not None
            mode, size = (target.st_mode, target.st_size) if target is not None else (0, 0)
        if hidden:
            ignored += 1
        elif exists and not is_protected(name) and not any(one.fullmatch(name) for one in left_out):
            is_directory = stat.S_ISDIR(mode)
            entries.append(_Entry(name, is_directory, 0 if is_directory else size))
    return entries, ignored


def _through_link(workspace: Workspace, link: str, ignore: Ignore) -> tuple[bool, os.stat_result | None]:
    """Whether a link counts as ignored (it leads out, or to an ignored file), and what it leads to."""
    try:
        target = workspace.resolve(link)
    except ToolError:
        return True, None
    except OSError:
        return False, None  # a circle
    try:
        status = workspace.stat(target)
    except OSError:
        return ignore.ignores(target.relative, is_directory=False), None
    return ignore.ignores(target.relative, stat.S_ISDIR(status.st_mode)), status


def _name_pattern(pattern: str) -> re.Pattern[str]:
    """What JavaScript's `.` matches stands for a star or a question mark.

    What stands between two stars may as well match as early as it can, so it is taken once and for all (an
    atomic group): no pattern can run away.
    """
    pieces = [re.escape(piece).replace(r"\?", _JS_DOT) for piece in pattern.split("*")]
    if len(pieces) == 1:
        return re.compile(pieces[0])
    first, *middle, last = pieces
    between = "".join(f"(?>{_JS_DOT}*?{piece})" for piece in middle if piece)
    return re.compile(f"{first}{between}{_JS_DOT}*{last}")


def _not_a_directory(where: WorkspacePath) -> ToolError:
    return ToolError(
        f"Error: Path is not a directory: {where.lexical}",
        kind=ErrorType.PATH_IS_NOT_A_DIRECTORY,
        display="Error: Path is not a directory.",
    )


def _current(where: WorkspacePath, entries: list[_Entry], ignored: int) -> ToolResult:
    lines = [f"[DIR] {entry.name}" if entry.is_directory else f"{entry.name} ({entry.size} bytes)"
             for entry in entries]  # fmt: skip
    text = f"Directory listing for {where.lexical}:\n" + "\n".join(lines)
    note = f"({ignored} ignored)" if ignored else ""
    summary = f"Found {len(entries)} item(s)." + (f" {note}" if note else "")
    names = [f"[DIR] {entry.name}" if entry.is_directory else entry.name for entry in entries]
    return ToolResult(text + (f"\n\n{note}" if note else ""), {"summary": summary, "files": names})


def _classic(where: WorkspacePath, entries: list[_Entry], ignored: int) -> ToolResult:
    names = [f"[DIR] {entry.name}" if entry.is_directory else entry.name for entry in entries]
    text = f"Directory listing for {where.lexical}:\n" + "\n".join(names)
    display = f"Listed {len(entries)} item(s)."
    if ignored:
        text += f"\n\n({ignored} items were git-ignored)"
        display += f" ({ignored} git-ignored)"
    return ToolResult(text, display)


LIST_DIRECTORY = ListDirectory()
