"""Reading files: bytes within a limit, and text that keeps its bytes.

`read_text` gives a `TextFile`: its text (byte order mark removed, every line ending as it is on disk)
together with all that is needed to write changed text back in the same encoding. Writing itself is
in `atomic`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
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

    def encode(self, text: str) -> bytes:
        """`text` as bytes in this file's encoding, mark included. A ToolError when it has no bytes there."""
        return self.encoding.encode(text)


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A regular file, open for reading: its beginning can be looked at before the rest is read."""

    place: WorkspacePath
    descriptor: int
    status: os.stat_result

    def sample(self, count: int) -> bytes:
        """The first `count` bytes."""
        return os.pread(self.descriptor, count, 0) if hasattr(os, "pread") else self._read(count)

    def whole(self, most: int = MOST_BYTES) -> bytes:
        """Every byte. OSError (EFBIG) when there are more than `most`, also when the file grows meanwhile."""
        data = self._read(most + 1) if self.status.st_size <= most else b""
        if self.status.st_size > most or len(data) > most:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), self.place.absolute)
        return data

    def _read(self, most: int) -> bytes:
        os.lseek(self.descriptor, 0, os.SEEK_SET)
        pieces = [os.read(self.descriptor, min(self.status.st_size + 1, most))]
        got = len(pieces[0])
        while pieces[-1] and got < most:
            pieces.append(os.read(self.descriptor, min(1 << 20, most - got)))
            got += len(pieces[-1])
        return b"".join(pieces)


@contextmanager
def opened(workspace: Workspace, place: WorkspacePath) -> Iterator[OpenedFile]:
    """The regular file at `place`, open. OSError from the disk."""
    descriptor = workspace.open_file(place)
    try:
        yield OpenedFile(place, descriptor, os.fstat(descriptor))
    finally:
        os.close(descriptor)


def read_bytes(
    workspace: Workspace, place: WorkspacePath, most: int = MOST_BYTES
) -> tuple[bytes, Fingerprint]:
    """The bytes of a regular file and its fingerprint. OSError from the disk; EFBIG above `most`."""
    with opened(workspace, place) as file:
        return file.whole(most), Fingerprint.of(file.status)


def read_text(workspace: Workspace, place: WorkspacePath, most: int = MOST_BYTES) -> TextFile:
    """The text file at `place`. OSError from the disk; a ToolError when its bytes are not text."""
    data, fingerprint = read_bytes(workspace, place, most)
    if is_binary(data[:SAMPLE_BYTES]):
        raise ToolError(
            f"Cannot edit a binary file as text: {place.absolute}", kind="edit_preparation_failure"
        )
    encoding, text = decode(data)
    return TextFile(text=text, data=data, encoding=encoding, fingerprint=fingerprint)
