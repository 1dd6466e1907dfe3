"""A session on standard input and output: one message a line, and nothing else on standard output.

The reading thread decides and never waits: calls run elsewhere, and what is to be sent goes through a queue
to a thread that writes, so a client that does not read cannot keep us from hearing that it cancels. When the
input ends, calls that are nearly done may finish, the others are cancelled, and each of them is answered.
"""

from __future__ import annotations

import json
import select
import sys
import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import BinaryIO, NoReturn, Protocol

from groundwire.mcp.protocol import CancelCall, Send, Session, StartCall, Step
from groundwire.mcp.shapes import Message, Outcome

MOST_BYTES = 64 * 1024 * 1024
"""The largest message that is read."""

PROGRESS_SECONDS = 2.0
"""Between two signs of life of a call. Clients give up after five seconds of silence, or later."""

LAST_SECONDS = 1.5
"""What calls have to finish when the input has ended. Official clients stop a server after two seconds."""

WRITE_SECONDS = 1.0
"""What a client has to take the last answers."""

Outgoing = Message | list[Message]


class Carrier(Protocol):
    """Who carries out calls."""

    def start(self, call: StartCall, done: Callable[[int, Outcome | BaseException], None]) -> None:
        """Begin a call; `done` gets its number and what it gave, on any thread."""

    def cancel(self, number: int) -> None:
        """Stop a call."""

    def warm(self) -> None:
        """Get ready for calls, without holding up who asks."""

    def close(self) -> None:
        """Cancel everything."""


class Connection:
    """One client on a pair of pipes."""

    def __init__(
        self,
        session: Session,
        calls: Carrier,
        output: BinaryIO,
        *,
        progress_seconds: float = PROGRESS_SECONDS,
        last_seconds: float = LAST_SECONDS,
    ) -> None:
        self._session = session
        self._calls = calls
        self._output = output
        self._progress_seconds = progress_seconds
        self._last_seconds = last_seconds
        self._outgoing: SimpleQueue[Outgoing | None] = SimpleQueue()
        # Held while the session is used and what it says is queued; told of when a call ends.
        self._using = threading.Condition(threading.Lock())
        self._writer = threading.Thread(target=self._write, name="write", daemon=True)
        self._ending = threading.Lock()
        self._over = threading.Event()
        self._ticking = False
        self._warm = False
        self._nobody_reads = False

    def serve(self, source: BinaryIO) -> None:
        """Answer until the input ends."""
        self._writer.start()
        try:
            for line in _lines(source):
                self._take(line)
            self._let_finish()
        finally:
            self.end()

    def end(self) -> None:
        """Cancel and answer what still runs, and write the last answers. May be called from any thread."""
        with self._ending:
            if self._over.is_set():
                return
            self._over.set()
            with self._using:
                for message in self._session.abandoned():
                    self._outgoing.put(message)
                self._outgoing.put(None)
            self._calls.close()
            self._writer.join(WRITE_SECONDS)

    # -- what comes in ------------------------------------------------------------------------------

    def _take(self, line: bytes | None) -> None:
        with self._using:
            steps = self._understood(line)
            for step in steps:
                if isinstance(step, Send):
                    self._outgoing.put(step.message)
        for step in steps:
            self._do(step)

    def _understood(self, line: bytes | None) -> list[Step]:
        if line is None:
            return [self._session.unreadable(f"A message is larger than {MOST_BYTES:,} bytes.")]
        try:
            message = _DECODER.decode(line.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            return [self._session.unreadable(f"This line is no JSON: {error}")]
        return self._session.receive(message)

    def _do(self, step: Step) -> None:
        if isinstance(step, StartCall):
            if step.wants_progress:
                self._show_progress()
            self._calls.start(step, self._done)
        elif isinstance(step, CancelCall):
            self._calls.cancel(step.number)
        elif not self._warm and _is_list_of_tools(step.message):
            self._warm = True
            self._calls.warm()

    def _done(self, number: int, outcome: Outcome | BaseException) -> None:
        """Tell what a call gave. Runs on the thread that carried it out."""
        with self._using:
            for message in self._told(number, outcome):
                self._outgoing.put(message)
            self._using.notify_all()

    def _told(self, number: int, outcome: Outcome | BaseException) -> list[Outgoing]:
        if isinstance(outcome, Outcome):
            return self._session.finished(number, outcome)
        _print_trace(outcome)
        return self._session.broke(number, f"The tool broke: {type(outcome).__name__}: {outcome}")

    # -- while calls run ----------------------------------------------------------------------------

    def _show_progress(self) -> None:
        with self._using:
            if self._ticking:
                return
            self._ticking = True
        threading.Thread(target=self._tick, name="progress", daemon=True).start()

    def _tick(self) -> None:
        """Send progress at intervals, until no call is left whose client wants it."""
        while not self._over.wait(self._progress_seconds):
            with self._using:
                told = self._session.progressed()
                if not told:
                    self._ticking = False
                    return
                for message in told:
                    self._outgoing.put(message)

    # -- what goes out ------------------------------------------------------------------------------

    def _write(self) -> None:
        while (message := self._outgoing.get()) is not None:
            try:
                _write_all(self._output, _ENCODER.encode(message).encode("ascii") + b"\n")
            except (OSError, ValueError):  # ValueError: the file was closed
                with self._using:
                    self._nobody_reads = True
                    self._using.notify_all()
                return

    def _let_finish(self) -> None:
        if not _is_read(self._output):
            return
        with self._using:
            self._using.wait_for(lambda: self._session.idle or self._nobody_reads, self._last_seconds)


def _lines(source: BinaryIO) -> Iterator[bytes | None]:
    """Each line that is not blank; None in the place of one that is too long."""
    while line := source.readline(MOST_BYTES + 1):
        if len(line) > MOST_BYTES:
            while line and not line.endswith(b"\n"):
                line = source.readline(MOST_BYTES)
            yield None
        elif not line.isspace():
            yield line


def _write_all(output: BinaryIO, data: bytes) -> None:
    """Write to a file without a buffer: one that is blocked while Python ends would end it with a crash."""
    left = memoryview(data)
    while left:
        written: int | None = output.write(left)
        if written is None:  # a pipe that does not wait by itself
            select.select([], [output], [])
        else:
            left = left[written:]


def _is_read(output: BinaryIO) -> bool:
    """Whether somebody could still read what is written; True where that cannot be known."""
    try:
        watch = select.poll()
        watch.register(output.fileno(), 0)
    except (OSError, AttributeError):  # no descriptor; or a system without poll
        return True
    return not watch.poll(0)  # asked for nothing, it tells only of a closed or broken other end


def _is_list_of_tools(message: Outgoing) -> bool:
    return isinstance(message, dict) and "tools" in message.get("result", ())


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _print_trace(error: BaseException) -> None:
    import traceback  # noqa: PLC0415  (lazy: only for what nobody foresaw)

    traceback.print_exception(error, file=sys.stderr)


_DECODER = json.JSONDecoder(parse_constant=_no_number)
_ENCODER = json.JSONEncoder(separators=(",", ":"))
"""Writes ASCII only: some readers take U+2028 for the end of a line, and half characters are in no UTF-8."""
