"""read_file: one file for the model to read, whole or by lines.

`current` counts lines from 1 (`start_line`, `end_line`); `classic` from 0 (`offset`, `limit`) and keeps
CR, as "raw file contents" in the classic dialect asks.
"""

from __future__ import annotations

from typing import ClassVar

from groundwire.errors import ToolError
from groundwire.tools.base import (
    Arguments,
    Declaration,
    Dialect,
    ErrorType,
    ToolContext,
    ToolFailure,
    ToolResult,
    invalid,
)
from groundwire.tools.declaring import integer, parameters, string
from groundwire.tools.places import file_place, without_mention
from groundwire.tools.reading import FileContent, Span, read_content
from groundwire.workspace.boundary import WorkspacePath
from groundwire.workspace.ignore import Ignore

_CURRENT = Declaration(
    "read_file",
    "Reads one file and returns its content. Text comes with at most 2000 lines; when something was left "
    "out, the answer says which lines were shown and how to read on with 'start_line' and 'end_line'. "
    "Images (PNG, JPG, GIF, WEBP, SVG, BMP), audio (MP3, WAV, AIFF, AAC, OGG, FLAC) and PDF files can be "
    "read too.",
    parameters(
        required=("file_path",),
        file_path=string("The path to the file to read."),
        start_line=integer("Optional: the first line to read, counted from 1.", minimum=1),
        end_line=integer("Optional: the last line to read, counted from 1 (inclusive).", minimum=1),
    ),
)
_CLASSIC = Declaration(
    "read_file",
    "Reads one file inside the workspace and returns its content. Text comes with at most 2000 lines; "
    "'offset' and 'limit' page through longer files. Images (PNG, JPG, GIF, WEBP, SVG, BMP) and PDF files "
    "are returned as data.",
    parameters(
        required=("path",),
        path=string("The absolute path to the file to read. It must lie inside the workspace."),
        offset=integer("Optional: the line to start from, counted from 0. Use it with 'limit'."),
        limit=integer("Optional: how many lines to read. Without it, up to 2000 lines."),
    ),
)


class ReadFile:
    """Reads one file."""

    writes = False
    aliases: ClassVar = {Dialect.CLASSIC: {"absolute_path": "path", "file_path": "path"}}

    def declaration(self, dialect: Dialect) -> Declaration | None:
        """The tool in `dialect`."""
        return {Dialect.CURRENT: _CURRENT, Dialect.CLASSIC: _CLASSIC}.get(dialect)

    def run(self, arguments: Arguments, context: ToolContext) -> ToolResult:
        """Read the file the arguments name."""
        if context.dialect is Dialect.CLASSIC:
            return _run_classic(arguments, context)
        path = arguments["file_path"]
        if not path.strip():
            raise invalid("The 'file_path' parameter must be non-empty.")
        where = file_place(context, path, before_loop="Failed to resolve path: ")
        start, end = arguments.get("start_line"), arguments.get("end_line")
        if start is not None and end is not None and start > end:
            raise invalid("start_line cannot be greater than end_line")
        if _is_ignored(where, context, without_mention(context.workspace, path)):
            raise invalid(f"File path '{where.absolute}' is ignored by configured ignore patterns.")
        span = Span(int(start or 1) - 1, None if end is None else int(end))
        content = read_content(context.workspace, where, span)
        return ToolResult(_with_banner(content), content.display, _refusal(content))


def _is_ignored(where: WorkspacePath, context: ToolContext, given: str) -> bool:
    ignore = Ignore(context.workspace, git=context.git_ignore, gemini=context.gemini_ignore)
    lexical = context.workspace.relative_to_root(where.lexical)
    if lexical and lexical != where.relative and ignore.ignores(lexical, is_directory=False):
        return True
    return ignore.ignores(where.relative, is_directory=given.endswith("/"))


def _refusal(content: FileContent) -> ToolFailure | None:
    """Gemini CLI reports a binary file as a success; the model should know that it has read nothing."""
    if not content.refused:
        return None
    return ToolFailure(str(content.llm_content), ErrorType.READ_CONTENT_FAILURE)


def _with_banner(content: FileContent) -> object:
    if not content.truncated:
        return content.llm_content
    return (
        "\nIMPORTANT: The file content has been truncated.\n"
        f"{_status(content)}\n\n"
        f"--- FILE CONTENT (truncated) ---\n{content.llm_content}"
    )


def _status(content: FileContent) -> str:
    if content.first > content.last:
        # Gemini CLI says "Showing lines 3002-3001" here, and to go on from there.
        return (
            f"Status: No lines shown: the file has {content.total} total lines.\n"
            f"Action: Use a start_line from 1 to {content.total}."
        )
    return (
        f"Status: Showing lines {content.first}-{content.last} of {content.total} total lines.\n"
        "Action: To read more of the file, you can use the 'start_line' and 'end_line' parameters in a "
        "subsequent 'read_file' call. For example, to read the next section of the file, use start_line: "
        f"{content.last + 1}."
    )


def _run_classic(arguments: Arguments, context: ToolContext) -> ToolResult:
    path = arguments["path"]
    if not path.strip():
        raise invalid("The 'path' parameter must be non-empty.")
    offset, limit = arguments.get("offset"), arguments.get("limit")
    if offset is not None and offset < 0:
        raise invalid("Offset must be a non-negative number")
    if limit is not None and limit <= 0:
        raise invalid("Limit must be a positive number")
    where = file_place(context, path)
    ignore = Ignore(context.workspace, git=False, gemini=context.gemini_ignore)
    if ignore.ignores(where.relative, is_directory=False):
        raise invalid(f"File path '{where.relative}' is ignored by .geminiignore pattern(s).")
    start = int(offset or 0)
    span = Span(start, None if limit is None else start + int(limit))
    try:
        content = read_content(context.workspace, where, span, keep_cr=True)
    except ToolError as error:
        # The classic tools told the model the message itself.
        raise ToolError(error.message, kind=error.type, display=error.display) from None
    text = content.llm_content
    if content.total and content.first > content.last:
        text = f"[No lines shown: the file has {content.total} lines. Use an offset below {content.total}.]"
    elif content.total and content.last < content.total:
        text = (
            f"[File content truncated: showing lines {content.first}-{content.last} of {content.total} total "
            f"lines. Use offset/limit parameters to view more.]\n{text}"
        )
    elif content.shortened:
        text = (
            "[File content partially truncated: some lines exceeded maximum length of 2000 characters.]\n"
            f"{text}"
        )
    cut = content.total > 0 and (content.last < content.total or content.shortened)
    display = content.display if not content.total else "(truncated)" if cut else ""
    return ToolResult(text, display, _refusal(content))


READ_FILE = ReadFile()
