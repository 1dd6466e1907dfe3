"""What files held before a session wrote them: the folder `ID.before` beside its transcript, named by hash.

Bytes are on the disk before `keep` returns, so that what overwrites them can always be taken back.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from groundwire.agent.session_settling import digest


class KeptBytes:
    """The bytes kept beside one transcript."""

    def __init__(self, transcript: Path) -> None:
        self._folder = transcript.with_suffix(".before")

    def keep(self, data: bytes) -> None:
        """Keep the bytes, unless they are kept already. OSError from the disk."""
        place = self._folder / str(digest(data))
        if place.exists():
            return
        waiting = self._folder / f"{place.name}.{os.getpid()}"
        self._folder.mkdir(mode=0o700, exist_ok=True)
        try:
            descriptor = os.open(waiting, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(waiting, place)
        except OSError:
            waiting.unlink(missing_ok=True)  # a full disk needs the room
            raise
        flush_folder(self._folder)

    def get(self, name: str | None) -> bytes | None:
        """The bytes under a hash; None when there are none, or they are not whole."""
        if name is None:
            return None
        try:
            data = (self._folder / name).read_bytes()
        except OSError:
            return None
        return data if digest(data) == name else None

    def delete(self) -> None:
        """Forget everything."""
        shutil.rmtree(self._folder, ignore_errors=True)


def flush_folder(folder: Path) -> None:
    """Make sure that a name in the folder outlives a power failure, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
