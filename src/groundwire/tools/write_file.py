"""write_file: the whole content of one file, new or overwritten.

An existing file keeps its encoding, its byte order mark, its mode and its line endings.
"""

from __future__ import annotations

import errno
import stat
from dataclasses import dataclass

from groundwire.errors import ToolError
from groundwire.tools.base import (
    Arguments,
    Declaration,
    Dialect,
    ErrorType,
    PlannedWrite,
    ToolContext,
    ToolResult,
    invalid,
)
from groundwire.tools.declaring import parameters, string
from groundwire.tools.line_endings import with_endings_of
from groundwire.tools.node_errors import code_of, node_message
from groundwire.tools.patch import Change
from groundwire.tools.placeholders import omission_placeholders
from groundwire.tools.places import file_place
from groundwire.workspace.boundary import Fingerprint, Workspace, WorkspacePath
from groundwire.workspace.encodings import UTF_8, Encoding, decode
from groundwire.workspace.filetype import is_binary
from groundwire.workspace.textfile import read_bytes

_PLACEHOLDER = (
    "`content` contains an omission placeholder (for example 'rest of methods ...'). "
    "Provide complete file content."
)
_DECLARATION = Declaration(
    "write_file",
    "Writes one file. A file that exists is overwritten, a missing one is created together with its "
    "directories. The user may change `content` before it is written; the answer then says so.",
    parameters(
        required=("file_path", "content"),
        file_path=string("The path to the file to write."),
        content=string(
            "The complete content of the file, word for word. Placeholders for left-out code, such as "
            "'(rest of methods ...)' or 'unchanged code', are refused."
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class _Existing:
    data: bytes
    text: str
    encoding: Encoding
    fingerprint: Fingerprint


class WriteFile:
    """Writes one file."""

    writes = True
    journaled = True

    def declaration(self, dialect: Dialect) -> Declaration | None:
        """The tool in `dialect`."""
        return None if dialect is Dialect.LEGACY else _DECLARATION

    def run(self, arguments: Arguments, context: ToolContext) -> PlannedWrite:
        """Plan the new content of the file the arguments name."""
        if not arguments["file_path"]:
            raise invalid('Missing or empty "file_path"')
        where = file_place(context, arguments["file_path"])
        if _is_directory(context.workspace, where):
            raise invalid(f"Path is a directory, not a file: {where.absolute}")
        content = arguments["content"]
        if omission_placeholders(content):
            raise invalid(_PLACEHOLDER)
        existing = _existing(context.workspace, where)
        old = existing.text if existing else ""
        new = with_endings_of(old, content)
        encoding = existing.encoding if existing else UTF_8
        return PlannedWrite(
            place=where,
            before=existing.data if existing else None,
            after=encoding.encode(new),
            seen=existing.fingerprint if existing else None,
            old_text=old,
            new_text=new,
            finish=lambda: _result(where, old, new, is_new=existing is None, dialect=context.dialect),
            explain=lambda error: _unwritable(where, error),
        )


def _is_directory(workspace: Workspace, where: WorkspacePath) -> bool:
    try:
        return stat.S_ISDIR(workspace.stat(where).st_mode)
    except OSError:
        return False


def _existing(workspace: Workspace, where: WorkspacePath) -> _Existing | None:
    try:
        data, fingerprint = read_bytes(workspace, where)
    except FileNotFoundError:
        return None
    except OSError as error:
        message = node_message(error, "open", where.absolute)
        raise ToolError(
            f"Error checking existing file '{where.absolute}': {message} ({code_of(error)})",
            kind=ErrorType.FILE_WRITE_FAILURE,
        ) from None
    if is_binary(data):
        # Its bytes are all replaced; the text is only for the diff.
        return _Existing(data, data.decode("utf-8", "replace"), UTF_8, fingerprint)
    encoding, text = decode(data)
    return _Existing(data, text, encoding, fingerprint)


def _result(where: WorkspacePath, old: str, new: str, *, is_new: bool, dialect: Dialect) -> ToolResult:
    # Line endings are not part of what changed, so both sides are compared without CR.
    change = (
        Change(old.replace("\r\n", "\n"), new.replace("\r\n", "\n")) if "\r\n" in old else Change(old, new)
    )
    display = change.display(where.absolute, is_new_file=is_new, old_label="Original", new_label="Written")
    said = "Successfully created and wrote to new file" if is_new else "Successfully overwrote file"
    if dialect is Dialect.CLASSIC:
        return ToolResult(f"{said}: {where.lexical}.", display)
    return ToolResult(f"{said}: {where.absolute}. Here is the updated code:\n{change.snippet()}", display)


def _unwritable(where: WorkspacePath, error: OSError) -> ToolError:
    code = code_of(error)
    if error.errno == errno.EACCES:
        message, kind = f"Permission denied writing to file: {where.absolute}", ErrorType.PERMISSION_DENIED
    elif error.errno == errno.ENOSPC:
        message, kind = f"No space left on device: {where.absolute}", ErrorType.NO_SPACE_LEFT
    elif error.errno == errno.EISDIR:
        message, kind = f"Target is a directory, not a file: {where.absolute}", ErrorType.TARGET_IS_DIRECTORY
    else:
        message = f"Error writing to file '{where.absolute}': {node_message(error, 'open', where.absolute)}"
        kind = ErrorType.FILE_WRITE_FAILURE
    return ToolError(f"{message} ({code})", kind=kind)


WRITE_FILE = WriteFile()
