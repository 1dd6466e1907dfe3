"""A session being written: every event is in the transcript before what follows it happens.

Who dies can go on: an event is handed to the system in one piece as soon as it is known, and before anything
outside the transcript changes (a file, or whatever a command does) all of it is on the disk. What files held
before they were written is kept beside it (`session_kept.py`).

One process at a time works on a session: it holds a lock on the transcript, which ends with the process.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from groundwire.agent.functions import Given
from groundwire.agent.outcome import Ending, Outcome
from groundwire.agent.reply import Call, Content, Reply, Usage
from groundwire.agent.session_kept import KeptBytes, flush_folder
from groundwire.agent.session_past import Past, past_of
from groundwire.agent.session_settling import digest, settled
from groundwire.agent.transcript import (
    VERSION,
    CallBegan,
    CallGave,
    Event,
    HistoryReplaced,
    Replied,
    RunBegan,
    RunEnded,
    SessionOpened,
    Told,
    Undone,
    WriteBegan,
    events_in,
    line,
    read_bytes,
    whole_length,
)
from groundwire.agent.turn import Made
from groundwire.credentials.lock import BUSY, lock_open_file
from groundwire.errors import SessionBusy, SessionNotWritten
from groundwire.tools.base import PlannedWrite
from groundwire.workspace.boundary import Workspace, WorkspacePath

Clock = Callable[[], float]

_APPEND = os.O_RDWR | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_CREATE = os.O_CREAT | os.O_EXCL
_LOCKED_BYTE = 1 << 40
"""Where Windows locks: a byte nobody reads. Elsewhere the whole file is locked, which stops no reader."""


class Session:
    """One session, open for writing. A context manager; `close` lets others in."""

    def __init__(self, path: Path, descriptor: int, opened: SessionOpened, clock: Clock) -> None:
        """Use `Session.create` or `Session.open`: they lock."""
        self.path = path
        self.opened = opened
        self.id = opened.id
        self._descriptor = descriptor
        self._clock = clock
        self.kept = KeptBytes(path)
        self._one_at_a_time = threading.Lock()
        self._flusher = ThreadPoolExecutor(max_workers=1, thread_name_prefix="session")
        self.is_empty = True
        """Whether nothing was ever asked in it."""
        self._left_by_run: dict[str, str | None] = {}
        """For each file this run has written: the hash of what it wrote last."""

    @classmethod
    def create(cls, path: Path, *, root: str, model: str, version: str, clock: Clock = time.time) -> Self:
        """A new transcript at `path`. FileExistsError when there is one, SessionNotWritten otherwise."""
        opened = SessionOpened(VERSION, path.stem, stamp(clock()), root, model, version)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(path, _APPEND | _CREATE, 0o600)
        except FileExistsError:
            raise
        except OSError as error:
            raise _not_written(path, error) from None
        session = cls(path, descriptor, opened, clock)
        session._lock()
        try:
            session._append(opened)
        except SessionNotWritten:
            session.close()
            path.unlink(missing_ok=True)  # an empty one would be listed for ever
            raise
        flush_folder(path.parent)
        return session

    @classmethod
    def open(cls, path: Path, *, clock: Clock = time.time) -> Self:
        """The transcript at `path`, to be gone on with. SessionBusy when another process does."""
        data = read_bytes(path)
        first = events_in(data, path)[0]
        assert isinstance(first, SessionOpened)
        try:
            descriptor = os.open(path, _APPEND)
        except OSError as error:
            raise _not_written(path, error) from None
        session = cls(path, descriptor, first, clock)
        session._lock()
        session._repair()
        return session

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the transcript; harmless when that was done before."""
        if self._descriptor >= 0:
            self._flusher.shutdown()
            os.close(self._descriptor)
            self._descriptor = -1

    def past(self) -> Past:
        """Everything the transcript tells up to now."""
        return past_of(events_in(read_bytes(self.path), self.path))

    # -- what happens in a run ----------------------------------------------------------------------

    def run_began(self, task: str | None, approve: str, model: str, *, shell: bool) -> None:
        """A task was given, or (None) an earlier one is gone on with."""
        self._left_by_run.clear()
        self.is_empty = False
        self._append(RunBegan(self._now(), approve, model, task, shell))

    def replied(self, reply: Reply) -> None:
        """The model replied."""
        self._append(Replied.of(reply, self._now()))

    def told(self) -> None:
        """The model was told about the problem with its reply."""
        self._append(Told(self._now()))

    def call_began(self, number: int, call: Call, *, durable: bool) -> None:
        """A call is about to run; `durable` when that must be known even if the power fails."""
        self._append(CallBegan(self._now(), number, call.name), durable=durable)

    def write_began(self, number: int, planned: PlannedWrite, temporary: str) -> Callable[[], None] | None:
        """A file is about to be written: keep what it holds, and announce the write.

        The announcement is flushed to the disk while the new bytes are written beside the file; what is given
        back waits for that.
        """
        path, before = planned.place.relative, digest(planned.before)
        if planned.before is not None and self._left_by_run.get(path) != before:
            self._keep(planned.before)
        event = WriteBegan(
            at=self._now(),
            number=number,
            path=path,
            before=before,
            after=digest(planned.after),
            mode=_mode(planned.place.absolute),
            folders=_missing_folders(planned.place),
            temporary=temporary,
        )
        self._append(event)
        self._left_by_run[path] = event.after
        flushed = self._flusher.submit(os.fsync, self._descriptor)
        return lambda: self._wait_for(flushed)

    def call_gave(self, number: int, made: Made) -> None:
        """A call has a result."""
        self._append(CallGave.of(number, made, self._now()))

    def settled(self, announced: WriteBegan | None, workspace: Workspace, *, journaled: bool) -> Given | None:
        """What an interrupted call has come to; None when it has still to be carried out."""
        return settled(announced, workspace, journaled=journaled, before=self.kept.get)

    def history_replaced(self, history: Sequence[Content], usage: Usage) -> None:
        """The history is this now; making it so has cost some tokens."""
        self._append(HistoryReplaced(self._now(), list(history), usage.given, usage.made))

    def run_ended(self, outcome: Outcome) -> None:
        """There is an outcome."""
        self._append(RunEnded.of(outcome, self._now()), durable=True)

    def given_up(self) -> None:
        """The run that was interrupted will not be gone on with."""
        reason = "The run was interrupted, and its changes were taken back."
        self._append(RunEnded(self._now(), Ending.CANCELLED.value, reason))

    def undone(self, run: int, restored: Sequence[str], left: Sequence[str]) -> None:
        """The changes of a run were taken back."""
        self._append(Undone(self._now(), run, tuple(restored), tuple(left)), durable=True)

    # -- the file -----------------------------------------------------------------------------------

    def _keep(self, data: bytes) -> None:
        try:
            self.kept.keep(data)
        except OSError as error:
            raise _not_written(self.path, error) from None

    def _lock(self) -> None:
        if sys.platform == "win32":
            os.lseek(self._descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            lock_open_file(self._descriptor)
        except OSError as error:
            if error.errno not in BUSY:
                return  # a file system without locks
            self.close()
            raise SessionBusy(f"Another process is working on the session {self.id}.") from None

    def _repair(self) -> None:
        """Cut off what a process that died left half written."""
        data = read_bytes(self.path)
        whole = whole_length(data)
        try:
            if whole < len(data):
                os.ftruncate(self._descriptor, whole)
        except OSError as error:
            raise _not_written(self.path, error) from None
        runs = past_of(events_in(data, self.path)).runs
        self.is_empty = not runs
        self._left_by_run = {write.path: write.after for write in runs[-1].writes} if runs else {}

    def _append(self, event: Event, *, durable: bool = False) -> None:
        with self._one_at_a_time:
            whole = os.fstat(self._descriptor).st_size
            try:
                words = memoryview(line(event))
                while words:
                    words = words[os.write(self._descriptor, words) :]
                if durable:
                    os.fsync(self._descriptor)
            except OSError as error:
                with suppress(OSError):  # no half line, after which another event would stand
                    os.ftruncate(self._descriptor, whole)
                raise _not_written(self.path, error) from None

    def _wait_for(self, flushed: Future[None]) -> None:
        try:
            flushed.result()
        except OSError as error:
            raise _not_written(self.path, error) from None

    def _now(self) -> str:
        return stamp(self._clock())


def stamp(seconds: float) -> str:
    """A moment as people and programs read it, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _mode(path: str) -> int | None:
    with suppress(OSError):
        return os.stat(path, follow_symlinks=False).st_mode & 0o7777
    return None


def _missing_folders(place: WorkspacePath) -> tuple[str, ...]:
    """The folders on the way to a file that do not exist yet, the outermost first."""
    folders = place.segments[:-1]
    root = os.path.normpath(os.path.join(place.absolute, *[os.pardir] * len(place.segments)))
    ways = ["/".join(folders[: count + 1]) for count in range(len(folders))]
    return tuple(way for way in ways if not os.path.lexists(os.path.join(root, way)))


def _not_written(path: Path, error: OSError) -> SessionNotWritten:
    return SessionNotWritten(f"The session cannot be written to {path}: {error.strerror or error}.")
