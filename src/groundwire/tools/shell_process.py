"""Runs one command of a shell, within limits, and leaves nothing of it behind.

The command leads a session of its own: no terminal to ask on, standard input closed, both outputs in one
pipe. When it ends, takes too long or is cancelled, everything it started is killed: its process group, and
on Linux also what left the group (`setsid`, daemons), found by a mark in its environment. When we are killed
ourselves, `shell_watch.py` does that. Of a long output the beginning and the end are kept, so that a command
which prints forever costs no more than a fixed piece of memory.
"""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from groundwire.tools.shell_watch import Watch

MARK = "GROUNDWIRE_CALL"
"""The variable by which the processes of a command are known."""
_LOOK = 0.05
"""Seconds between two looks at whether the command must end."""
_PIECE = 65536
_PIECES_IN_A_PIPE = 32
_KILLING_ROUNDS = 100
_MOMENT = 0.005
_SEQUENCES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor movements
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles, links
    r"|\x1b[@-Z\\-_]"
)


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended."""

    output: str
    """Without colours and other control sequences, and without empty lines around it."""
    exit_code: int | None = None
    """None when a signal ended it."""
    signal: int = 0
    """The signal that ended it; 0 when none did."""
    late: bool = False
    cancelled: bool = False
    group: int = 0
    """The process group it led."""


def run(
    command: str,
    folder: str,
    environment: Mapping[str, str],
    *,
    seconds: float,
    most_characters: int,
    cancelled: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.monotonic,
) -> Finished:
    """Run `command` with bash in `folder`. OSError when it cannot be started."""
    mark = os.urandom(16).hex()
    with Watch(mark) as watch:
        process = _started(command, folder, {**environment, MARK: mark})
        watch.over(process.pid)
        kept = _Kept(most_characters)
        late = stopped = False
        deadline = clock() + seconds
        assert process.stdout is not None
        pipe = _Pipe(process.stdout)
        try:
            while _runs(process) and not (late or stopped):
                pipe.take(kept, _LOOK)
                late, stopped = clock() >= deadline, cancelled()
        finally:
            _kill_everything(process, mark)
            code = process.wait()
            pipe.take_rest(kept)
            pipe.close()
    output = plain(kept.text())
    if late or stopped:
        return Finished(output, late=late, cancelled=stopped and not late, group=process.pid)
    if code < 0:
        return Finished(output, signal=-code, group=process.pid)
    return Finished(output, exit_code=code, group=process.pid)


def _started(command: str, folder: str, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  (running what was approved is the point)
        ["bash", "-c", command],  # noqa: S607  (the person's own bash)
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def plain(text: str) -> str:
    """The text without control sequences and empty lines around it; the first line stays indented."""
    return _SEQUENCES.sub("", text).rstrip().lstrip("\r\n")


class _Pipe:
    """Reads what is in a pipe without waiting for its end, which a process that survives could put off."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._open = True
        self._selector = selectors.DefaultSelector()
        os.set_blocking(stream.fileno(), False)
        self._selector.register(stream, selectors.EVENT_READ)

    def take(self, kept: _Kept, seconds: float) -> None:
        """Take in a piece; wait for it up to `seconds`."""
        if not self._open:
            time.sleep(
                min(seconds, _MOMENT)
            )  # its output is closed, so it will end at once, or it is a daemon
        elif self._selector.select(seconds):
            piece = os.read(self._stream.fileno(), _PIECE)
            kept.add(piece)
            if not piece:
                self._selector.unregister(self._stream)
                self._open = False

    def take_rest(self, kept: _Kept) -> None:
        """Take in what is there now; no more than a pipe can hold, in case someone still writes."""
        for _ in range(_PIECES_IN_A_PIPE):
            if not (self._open and self._selector.select(0)):
                return
            self.take(kept, 0)

    def close(self) -> None:
        self._selector.close()
        self._stream.close()


class _Kept:
    """The beginning and the end of an output, and how much was left out between them."""

    def __init__(self, most_characters: int) -> None:
        self._most = most_characters
        self._first = bytearray()
        self._last = bytearray()
        self._dropped = 0

    def add(self, piece: bytes) -> None:
        room = self._most - len(self._first)
        self._first += piece[:room]
        self._last += piece[room:]
        beyond = len(self._last) - 4 * self._most  # a character has at most four bytes
        if beyond > 4 * self._most:
            del self._last[:beyond]
            self._dropped += beyond

    def text(self) -> str:
        """The output; too long a one keeps its first fifth and its last four, as Gemini CLI's does."""
        first, last = self._first, self._last
        if not self._dropped:
            first, last = first + last, bytearray()
        text = first.decode("utf-8", "replace")
        end = last.decode("utf-8", "replace")
        if len(text) + len(end) <= self._most and not self._dropped:
            return text
        head = self._most // 5
        whole = text + end
        omitted = len(whole) - self._most + self._dropped
        return f"{whole[:head]}\n\n... [{omitted} characters omitted] ...\n\n{whole[-(self._most - head) :]}"


def _runs(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has not ended. It is not seen off yet: until then, nobody else gets its number, and its
    group can be killed without hitting a stranger."""
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return process.poll() is None
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def _kill_everything(process: subprocess.Popen[bytes], mark: str) -> None:
    """Kill the group and every process that carries the mark, until it is clear that there is none."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    _, since = _state(process.pid)
    for _ in range(_KILLING_ROUNDS):
        found, unclear = _marked(mark, since)
        for one in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(one, signal.SIGKILL)
        if not found and not unclear:
            return
        time.sleep(_MOMENT)


def _marked(mark: str, since: int) -> tuple[list[int], bool]:
    """The living processes with the mark in their environment, and whether one of those that began since is
    just becoming another program: its environment cannot be read for a moment. None where there is no
    /proc."""
    wanted = f"{MARK}={mark}".encode()
    found, unclear = [], False
    try:
        names = os.listdir("/proc")
    except OSError:
        return [], False
    for name in filter(str.isdigit, names):
        with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
            environment = file.read()
            if wanted in environment.split(b"\0"):
                found.append(int(name))
            elif not environment:
                state, began = _state(int(name))
                unclear = unclear or (state not in "ZX" and began >= since > 0)
    return found, unclear


def _state(process_id: int) -> tuple[str, int]:
    """A process's state as /proc has it (Z and X have ended), and when it began, in ticks since the system
    did."""
    try:
        with open(f"/proc/{process_id}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return "X", 0
    return fields[0].decode(), int(fields[19])
