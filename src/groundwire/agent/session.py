"""A session being written: every event is in the transcript before what follows it happens.

Who dies can go on: an event is handed to the system in one piece as soon as it is known, and before anything
outside the transcript changes (a file, or whatever a command does) all of it is on the disk. Beside the
transcript, in `ID.before`, lie the bytes that files held before they were written, named by their hash.

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
from typing import Protocol, Self

from groundwire.agent.functions import Given
from groundwire.agent.outcome import Ending, Outcome
from groundwire.agent.reply import Call, Content, Reply, Usage
from groundwire.agent.session_past import Past, past_of
from groundwire.agent.session_settling import digest, settled
from groundwire.agent.transcript import (
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
from groundwire.workspace.boundary import Workspace

Clock = Callable[[], float]

_APPEND = os.O_RDWR | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_CREATE = os.O_CREAT | os.O_EXCL
_LOCKED_BYTE = 1 << 40
"""Where Windows locks: a byte nobody reads. Elsewhere the whole file is locked, which stops no reader."""


class Recorder(Protocol):
    """Is told what happens in a run before the next thing happens."""

    @property
    def id(self) -> str | None:
        """The session's name."""
        ...

    def past(self) -> Past:
        """What was before."""
        ...

    def run_began(self, task: str | None, approve: str, model: str, *, shell: bool) -> None:
        """A task was given, or (None) an earlier one is gone on with."""
        ...

    def replied(self, reply: Reply) -> None:
        """The model replied."""
        ...

    def told(self) -> None:
        """The model was told about the problem with its reply."""
        ...

    def call_began(self, number: int, call: Call, *, durable: bool) -> None:
        """A call is about to run; `durable` when that must be known even if the power fails."""
        ...

    def write_began(self, number: int, planned: PlannedWrite, temporary: str) -> Callable[[], None] | None:
        """A file is about to be written; what is given back is called before it changes."""
        ...

    def call_gave(self, number: int, made: Made) -> None:
        """A call has a result."""
        ...

    def settled(self, announced: WriteBegan | None, workspace: Workspace, *, journaled: bool) -> Given | None:
        """What an interrupted call has come to; None when it has still to be carried out."""
        ...

    def history_replaced(self, history: Sequence[Content], usage: Usage) -> None:
        """The history is this now; making it so has cost some tokens."""
        ...

    def run_ended(self, outcome: Outcome) -> None:
        """There is an outcome."""
        ...


class NotRecorded:
    """For runs of which nothing is kept."""

    id: str | None = None

    def past(self) -> Past:
        """Nothing was before."""
        return Past()

    def run_began(self, task: str | None, approve: str, model: str, *, shell: bool) -> None:
        """Not kept."""

    def replied(self, reply: Reply) -> None:
        """Not kept."""

    def told(self) -> None:
        """Not kept."""

    def call_began(self, number: int, call: Call, *, durable: bool) -> None:
        """Not kept."""

    def write_began(self, number: int, planned: PlannedWrite, temporary: str) -> Callable[[], None] | None:
        """Not kept."""
        return None

    def call_gave(self, number: int, made: Made) -> None:
        """Not kept."""

    def settled(self, announced: WriteBegan | None, workspace: Workspace, *, journaled: bool) -> Given | None:
        """Nothing was interrupted."""
        return None

    def history_replaced(self, history: Sequence[Content], usage: Usage) -> None:
        """Not kept."""

    def run_ended(self, outcome: Outcome) -> None:
        """Not kept."""


class Session:
    """One session, open for writing. A context manager; `close` lets others in."""

    def __init__(self, path: Path, descriptor: int, opened: SessionOpened, clock: Clock) -> None:
        """Use `Session.create` or `Session.open`: they lock."""
        self.path = path
        self.opened = opened
        self.id = opened.id
        self._descriptor = descriptor
        self._clock = clock
        self._one_at_a_time = threading.Lock()
        self._flusher = ThreadPoolExecutor(max_workers=1, thread_name_prefix="session")
        self._left_by_run: dict[str, str | None] = {}
        """For each file this run has written: the hash of what it wrote last."""

    @classmethod
    def create(cls, path: Path, *, root: str, model: str, version: str, clock: Clock = time.time) -> Self:
        """A new transcript at `path`. FileExistsError when there is one, SessionNotWritten otherwise."""
        opened = SessionOpened(1, path.stem, stamp(clock()), root, model, version)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(path, _APPEND | _CREATE, 0o600)
        except FileExistsError:
            raise
        except OSError as error:
            raise _not_written(path, error) from None
        session = cls(path, descriptor, opened, clock)
        session._lock()
        session._append(opened)
        _flush_folder(path.parent)
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
        real_root = planned.place.absolute.removesuffix(path)
        event = WriteBegan(
            at=self._now(),
            number=number,
            path=path,
            before=before,
            after=digest(planned.after),
            mode=_mode(planned.place.absolute),
            folders=_missing_folders(real_root, path),
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
        return settled(announced, workspace, journaled=journaled, before=self.kept)

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

    # -- what files held before ---------------------------------------------------------------------

    def kept(self, name: str | None) -> bytes | None:
        """The bytes kept under a hash; None when there are none."""
        return kept_beside(self.path, name)

    def _keep(self, data: bytes) -> None:
        folder = kept_folder(self.path)
        place = folder / str(digest(data))
        if place.exists():
            return
        waiting = folder / f"{place.name}.{os.getpid()}"
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            descriptor = os.open(waiting, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(waiting, place)
            _flush_folder(folder)
        except OSError as error:
            raise _not_written(place, error) from None

    # -- the file -----------------------------------------------------------------------------------

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
        self._left_by_run = {write.path: write.after for write in runs[-1].writes} if runs else {}

    def _append(self, event: Event, *, durable: bool = False) -> None:
        words = memoryview(line(event))
        try:
            with self._one_at_a_time:
                while words:
                    words = words[os.write(self._descriptor, words) :]
                if durable:
                    os.fsync(self._descriptor)
        except OSError as error:
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


def kept_folder(transcript: Path) -> Path:
    """Where the bytes of files from before a session's writes are."""
    return transcript.with_suffix(".before")


def kept_beside(transcript: Path, name: str | None) -> bytes | None:
    """The bytes kept under a hash beside a transcript; None when there are none, or they are not whole."""
    if name is None:
        return None
    try:
        data = (kept_folder(transcript) / name).read_bytes()
    except OSError:
        return None
    return data if digest(data) == name else None


def _flush_folder(folder: Path) -> None:
    """Make sure that a name in the folder outlives a power failure, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _mode(path: str) -> int | None:
    with suppress(OSError):
        return os.stat(path, follow_symlinks=False).st_mode & 0o7777
    return None


def _missing_folders(root: str, path: str) -> tuple[str, ...]:
    """The folders on the way to `path` that do not exist yet, the outermost first."""
    names = path.split("/")[:-1]
    ways = ["/".join(names[: count + 1]) for count in range(len(names))]
    return tuple(way for way in ways if not os.path.lexists(os.path.join(root, way)))


def _not_written(path: Path, error: OSError) -> SessionNotWritten:
    return SessionNotWritten(f"The session cannot be written to {path}: {error.strerror or error}.")
