"""Reading files: bytes within a limit, and text that keeps its bytes.

`read_text` gives a `TextFile`: its text (byte order mark removed, every line ending as it is on disk)
together with all that is needed to write changed text back in the same encoding. Writing itself is
in `atomic`.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass

from groundwire.errors import ToolError
from groundwire.workspace.boundary import Fingerprint, Workspace, WorkspacePath
from groundwire.workspace.encodings import Encoding, decode
from groundwire.workspace.filetype import SAMPLE_BYTES, is_binary

MOST_BYTES = 20 * 1024 * 1024
"""Gemini CLI reads no file above 20 MB; neither do we."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """The text of a file, and how to write other text in its place without changing anything else."""

    text: str
    """Decoded, without byte order mark; line endings exactly as they are on disk."""
    data: bytes
    """The bytes the text came from."""
    encoding: Encoding
    fingerprint: Fingerprint

    @property
    def has_crlf(self) -> bool:
        """Whether any line ends in CR LF."""
        return "\r\n" in self.text

    def encode(self, text: str) -> bytes:
        """`text` as bytes in this file's encoding, mark included. A ToolError when it has no bytes there."""
        return self.encoding.encode(text)


def read_bytes(
    workspace: Workspace, place: WorkspacePath, most: int = MOST_BYTES
) -> tuple[bytes, Fingerprint]:
    """The bytes of a regular file and its fingerprint. OSError from the disk; EFBIG above `most`."""
    descriptor = workspace.open_file(place)
    try:
        status = os.fstat(descriptor)
        if status.st_size > most:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), place.absolute)
        # One byte more than allowed: a file that grows while we read is noticed, not followed for ever.
        with open(descriptor, "rb", buffering=0, closefd=False) as stream:
            data = stream.read(status.st_size + 1) or b""
            while chunk := stream.read(min(1 << 20, most + 1 - len(data))):
                data += chunk
        if len(data) > most:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), place.absolute)
        return data, Fingerprint.of(status)
    finally:
        os.close(descriptor)


def read_sample(workspace: Workspace, place: WorkspacePath, count: int) -> tuple[int, bytes]:
    """The size of a regular file and its first `count` bytes. OSError from the disk."""
    descriptor = workspace.open_file(place)
    try:
        return os.fstat(descriptor).st_size, os.read(descriptor, count)
    finally:
        os.close(descriptor)


def read_text(workspace: Workspace, place: WorkspacePath, most: int = MOST_BYTES) -> TextFile:
    """The text file at `place`. OSError from the disk; a ToolError when its bytes are not text."""
    data, fingerprint = read_bytes(workspace, place, most)
    if is_binary(data[:SAMPLE_BYTES]):
        raise ToolError(
            f"Cannot edit a binary file as text: {place.absolute}", kind="edit_preparation_failure"
        )
    encoding, text = decode(data)
    return TextFile(text=text, data=data, encoding=encoding, fingerprint=fingerprint)
