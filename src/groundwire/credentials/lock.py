"""A lock that holds across tasks, threads and processes, and never blocks the event loop.

Within this process one table of held names; across processes `flock` on a file (on Windows a locked byte).
The file stays where it is: removing it would let two holders lock two different files. Where the file system
cannot lock (some network file systems) only the first half holds.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

from groundwire.errors import CredentialError

Sleep = Callable[[float], Awaitable[None]]

_held: set[str] = set()
_guard = threading.Lock()

BUSY = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
"""The errors that say: someone else holds it."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.1


def lock_path(state_dir: Path, name: str) -> Path:
    """Where our lock for a store is: in our own folder, so that nothing appears next to foreign files."""
    return state_dir / "locks" / f"{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:16]}.lock"


class FileLock:
    """One holder at a time for one path. Not re-entrant; an instance is used by one holder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._name = os.path.abspath(path)
        self._descriptor: int | None = None
        self._mine = False

    def try_acquire(self) -> bool:
        """Take the lock if it is free now. Raises CredentialError when the lock file cannot be made."""
        with _guard:
            if self._name in _held:
                return False
            _held.add(self._name)
        self._mine = True
        try:
            taken = self._lock_file()
        except BaseException:
            self.release()
            raise
        if not taken:
            self.release()
        return taken

    async def acquire(
        self,
        *,
        patience: float,
        unless: Callable[[], bool] = lambda: False,
        sleep: Sleep = asyncio.sleep,
    ) -> bool:
        """Take the lock, trying again with growing pauses; False after `patience` seconds, or as soon as
        `unless` says that it is no longer needed."""
        waited, pause = 0.0, _FIRST_PAUSE
        while not self.try_acquire():
            if waited >= patience:
                return False
            await sleep(pause)
            if unless():
                return False
            waited += pause
            pause = min(pause * 1.5, _LONGEST_PAUSE)
        return True

    def release(self) -> None:
        """Let the next one in; harmless when nothing is held."""
        if self._descriptor is not None:
            os.close(self._descriptor)  # closing gives up the file's lock
            self._descriptor = None
        if self._mine:
            self._mine = False
            with _guard:
                _held.discard(self._name)

    def _lock_file(self) -> bool:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError as error:
            raise CredentialError(
                f"The lock file {self.path} cannot be made: {error.strerror or error}.",
                hint="Make its folder writable; without the lock two programs could spoil a sign-in.",
            ) from None
        try:
            lock_open_file(self._descriptor)
        except OSError as error:
            return error.errno not in BUSY
        return True


def lock_open_file(descriptor: int) -> None:
    """Lock the open file or raise OSError; the modules differ by system, so they are found when used."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415  (Windows only)

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415  (not on Windows)

        # flock and not fcntl's own locks: Codex uses flock, and it works between threads too.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
