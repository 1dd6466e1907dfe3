"""How one file becomes what a model reads: text within limits, or media as base64 data.

Shared by read_file and read_many_files. Text is decoded with its own encoding and cut into lines at LF
and CR LF only; a line longer than 2,000 characters is shortened, never inside a character.
"""

from __future__ import annotations

import base64
import errno
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from groundwire.errors import ToolError
from groundwire.tools.base import ErrorType
from groundwire.tools.node_errors import node_message
from groundwire.workspace.boundary import Workspace, WorkspacePath
from groundwire.workspace.encodings import decode
from groundwire.workspace.filetype import SAMPLE_BYTES, FileKind, FileType, file_type
from groundwire.workspace.textfile import MOST_BYTES, opened

MOST_LINES = 2000
MOST_LINE_LENGTH = 2000
MOST_SVG_BYTES = 1024 * 1024
AUDIO_FORMATS = "MP3, WAV, AIFF, AAC, OGG, and FLAC"


@dataclass(frozen=True, slots=True)
class Span:
    """Which lines to show: from index `start`, up to but not including `stop`; never more than 2,000."""

    start: int = 0
    stop: int | None = None


WHOLE_FILE = Span()


@dataclass(frozen=True, slots=True)
class FileContent:
    """What is shown of a file. For text, which of how many lines, and whether any was shortened."""

    llm_content: str | dict[str, Any]
    display: str = ""
    first: int = 1
    last: int = 0
    total: int = 0
    shortened: bool = False
    refused: bool = False
    """Whether the text only says that the file is not shown (it is binary, or an SVG above 1 MB)."""

    @property
    def partial(self) -> bool:
        """Whether lines before or after are not shown."""
        return self.total > 0 and (self.first > 1 or self.last < self.total)

    @property
    def truncated(self) -> bool:
        """Whether anything of the text is not shown."""
        return self.partial or self.shortened


Accept = Callable[[FileKind], str | None]
"""Why a file of this kind should not be read; None when it should."""


class NotAsked(Exception):
    """A file of a kind that the caller did not ask for; the argument says so."""


def read_content(
    workspace: Workspace,
    where: WorkspacePath,
    span: Span = WHOLE_FILE,
    *,
    keep_cr: bool = False,
    refuse: Accept = lambda kind: None,
) -> FileContent:
    """The content of the file at `where`. A ToolError in Gemini CLI's words when it cannot be read."""
    try:
        with opened(workspace, where) as file:
            size = file.status.st_size
            kind = file_type(where.name, file.sample(SAMPLE_BYTES))
            reason = refuse(kind.kind)
            if reason is not None:
                raise NotAsked(reason)
            if size > MOST_BYTES:
                raise too_large(where, size)
            refusal = _refusal(where, kind, size)
            if refusal is not None:
                return refusal
            data = file.whole()
    except OSError as error:
        raise unreadable(where, error) from None
    return _shown(where, kind, data, span, keep_cr=keep_cr)


def _refusal(where: WorkspacePath, kind: FileType, size: int) -> FileContent | None:
    """What is said instead of the content of a file that is not shown. Raises ToolError."""
    if kind.kind is FileKind.AUDIO and kind.media_type is None:
        raise unsupported_audio(where)
    if kind.kind is FileKind.BINARY:
        return FileContent(
            f"Cannot display content of binary file: {where.relative}",
            f"Skipped binary file: {where.relative}",
            refused=True,
        )
    if kind.kind is FileKind.SVG and size > MOST_SVG_BYTES:
        return FileContent(
            f"Cannot display content of SVG file larger than 1MB: {where.relative}",
            f"Skipped large SVG file (>1MB): {where.relative}",
            refused=True,
        )
    return None


def _shown(where: WorkspacePath, kind: FileType, data: bytes, span: Span, *, keep_cr: bool) -> FileContent:
    if kind.kind is FileKind.TEXT:
        return text_content(readable(data), where.relative, span, keep_cr=keep_cr)
    if kind.kind is FileKind.SVG:
        return FileContent(readable(data), f"Read SVG as text: {where.relative}")
    encoded = base64.b64encode(data).decode("ascii")
    return FileContent(
        {"inlineData": {"data": encoded, "mimeType": kind.media_type}},
        f"Read {kind.kind} file: {where.relative}",
    )


def readable(data: bytes) -> str:
    """The text of `data` for a reader: bytes that are no character show as U+FFFD."""
    encoding, text = decode(data)
    return data.decode("utf-8", "replace") if encoding.errors == "surrogateescape" else text


def text_content(text: str, relative: str, span: Span, *, keep_cr: bool = False) -> FileContent:
    """The lines of `text` that `span` asks for."""
    lines = (text if keep_cr else text.replace("\r\n", "\n")).split("\n")
    total = len(lines)
    stop = min(span.start + MOST_LINES, total if span.stop is None else span.stop, total)
    start = min(span.start, total)
    chosen = lines[start:stop]
    shown = chosen
    if chosen and max(map(len, chosen)) > MOST_LINE_LENGTH // 2:
        shown = [shorten(line) for line in chosen]
    shortened = shown != chosen
    display = ""
    if start > 0 or stop < total:
        display = f"Read lines {start + 1}-{stop} of {total} from {relative}"
        display += " (some lines were shortened)" if shortened else ""
    elif shortened:
        display = f"Read all {total} lines from {relative} (some lines were shortened)"
    return FileContent("\n".join(shown), display, start + 1, stop, total, shortened)


def shorten(line: str) -> str:
    """The line itself, or its first 2,000 UTF-16 units (Gemini CLI counts those) and a note."""
    if len(line) <= MOST_LINE_LENGTH // 2:
        return line
    cut = line
    if not line.isascii():
        units = line.encode("utf-16-le", "surrogatepass")
        if len(units) <= 2 * MOST_LINE_LENGTH:
            return line
        cut = units[: 2 * MOST_LINE_LENGTH].decode("utf-16-le", "ignore")
    elif len(line) <= MOST_LINE_LENGTH:
        return line
    return cut[:MOST_LINE_LENGTH] + "... [truncated]"


def too_large(where: WorkspacePath, size: int) -> ToolError:
    """The error of a file above the limit."""
    return ToolError(
        f"File size exceeds the 20MB limit: {where.absolute} ({size / (1024 * 1024):.2f}MB)",
        kind=ErrorType.FILE_TOO_LARGE,
        llm_content="File size exceeds the 20MB limit.",
        display="File size exceeds the 20MB limit.",
    )


def unsupported_audio(where: WorkspacePath) -> ToolError:
    """The error of a sound file in a format that Gemini does not take."""
    return ToolError(
        f"Unsupported audio file format for {where.absolute}. Supported audio formats are {AUDIO_FORMATS}.",
        kind=ErrorType.READ_CONTENT_FAILURE,
        llm_content="Could not read audio file because its format is not supported. "
        f"Supported audio formats are {AUDIO_FORMATS}.",
        display=f"Unsupported audio file format: {where.relative}",
    )


def unreadable(where: WorkspacePath, error: OSError) -> ToolError:
    """The error of a file the disk does not give us."""
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
        return ToolError(
            f"File not found: {where.absolute}",
            kind=ErrorType.FILE_NOT_FOUND,
            llm_content="Could not read file because no file was found at the specified path.",
            display="File not found.",
        )
    if error.errno == errno.EISDIR:
        return ToolError(
            f"Path is a directory, not a file: {where.absolute}",
            kind=ErrorType.TARGET_IS_DIRECTORY,
            llm_content="Could not read file because the provided path is a directory, not a file.",
            display="Path is a directory.",
        )
    message = node_message(error, "open", where.absolute)
    return ToolError(
        f"Error reading file {where.absolute}: {message}",
        kind=ErrorType.READ_CONTENT_FAILURE,
        llm_content=f"Error reading file {where.relative}: {message}",
        display=f"Error reading file {where.relative}: {message}",
    )
