"""Runs a command in isolation: a scratch HOME, limits, walls, and an account of how it ended.

The work is done by the program in `supervisor`, a process of its own, so that a command that floods the
machine cannot reach the one that counts its processes.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

import msgspec

from groundwire.errors import EvaluationFailed

SUPERVISOR = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from supervisor.program import main; sys.exit(main())"
)
"""Its Python is told to know nothing of this person's folders, so the one it needs is named."""
IN_PYTHON = Path(__file__).with_name("in_python")
GRACE_SECONDS = 10.0
"""How long the supervisor itself may take beyond the command's time."""
MOST_OUTPUT = 1_000_000
READ_ONLY_WORDS = ("Read-only file system", "[Errno 30]")


class Stopped(StrEnum):
    """Why a command was stopped."""

    TIME = "time"
    MEMORY = "memory"
    PROCESSES = "processes"
    OUTSIDE = "outside"


class Bounds(msgspec.Struct, frozen=True):
    """How far a command may go."""

    seconds: float = 60.0
    memory: int = 1 << 30
    """Bytes in use at once, over all its processes."""
    processes: int = 64
    file_size: int = 100_000_000
    """Bytes of one file."""


class Run(msgspec.Struct, frozen=True):
    """How a command ended."""

    code: int
    output: str
    stopped: Stopped | None = None
    detail: str = ""
    """What it did when it was stopped, in a few words."""
    seconds: float = 0.0
    peak_memory: int = 0
    isolation: tuple[str, ...] = ()
    """The walls that stood: processes, network, files, landlock."""


class _Status(msgspec.Struct):
    code: int
    stopped: Stopped | None
    seconds: float
    peak_memory: int
    isolation: list[str]


def run_isolated(
    command: Sequence[str], folder: Path, scratch: Path, bounds: Bounds, *, walls: bool = True
) -> Run:
    """Run `command` in `folder`, which it may change, with `scratch` for its HOME and temporary files.

    Without `walls` there are only limits, as on a machine whose kernel has no namespaces and no Landlock.
    """
    if os.name != "posix":
        raise EvaluationFailed("Tests can be run in isolation on Linux and macOS only.")
    folder, scratch = folder.resolve(), scratch.resolve()
    home = scratch / "home"
    (home / "tmp").mkdir(parents=True, exist_ok=True)
    outside_log, output = home / ".outside", scratch / "output.txt"
    spec = {
        "command": list(command),
        "folder": str(folder),
        "environment": _environment(folder, home, outside_log),
        "writable": [str(folder), str(home)],
        "seconds": bounds.seconds,
        "memory": bounds.memory,
        "processes": bounds.processes,
        "file_size": bounds.file_size,
        "walls": walls,
    }
    status = _supervised(spec, output, bounds.seconds + GRACE_SECONDS)
    return _judged(status, _end_of(output), _first_line(outside_log), bounds)


def _environment(folder: Path, home: Path, outside_log: Path) -> dict[str, str]:
    """Nothing of the person who runs the evaluation."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONPATH": str(IN_PYTHON),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONUNBUFFERED": "1",
        "GROUNDWIRE_WRITABLE": os.pathsep.join((str(folder), str(home))),
        "GROUNDWIRE_OUTSIDE_LOG": str(outside_log),
    }


def _supervised(spec: dict[str, object], output: Path, seconds: float) -> _Status | None:
    """Start the supervisor and wait; what it told, or None when it told nothing."""
    reading, writing = os.pipe()
    folder = str(Path(__file__).parent)
    spelled = msgspec.json.encode(spec).decode()
    words = [sys.executable, "-I", "-c", SUPERVISOR, folder, spelled, str(writing)]
    with open(output, "wb") as out, os.fdopen(reading, "rb") as told:
        process = subprocess.Popen(  # noqa: S603  (our own program; it is what makes the command safe)
            words,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            pass_fds=(writing,),
            start_new_session=True,
        )
        os.close(writing)
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            pass
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        try:
            return msgspec.json.decode(told.read(), type=_Status)
        except msgspec.DecodeError:
            return None


def _judged(status: _Status | None, output: str, outside: str, bounds: Bounds) -> Run:
    if status is None:
        return Run(-9, output, Stopped.TIME, "The supervisor itself did not come to its end.")
    stopped, detail = status.stopped, ""
    if outside:
        stopped, detail = Stopped.OUTSIDE, f"It wrote outside its folder: {outside}."
    elif stopped is None and status.code != 0 and any(words in output for words in READ_ONLY_WORDS):
        stopped, detail = Stopped.OUTSIDE, "It tried to write where everything is read-only."
    elif stopped is not None:
        detail = _limit(stopped, bounds)
    return Run(
        status.code,
        output,
        stopped,
        detail,
        status.seconds,
        status.peak_memory,
        tuple(status.isolation),
    )


def _limit(stopped: Stopped, bounds: Bounds) -> str:
    """The limit that was broken, in words."""
    if stopped is Stopped.TIME:
        return f"It ran for more than {bounds.seconds:g} s."
    if stopped is Stopped.MEMORY:
        return f"It used more than {bounds.memory >> 20} MiB of memory."
    return f"It had more than {bounds.processes} processes at once."


def _end_of(output: Path) -> str:
    """The end of what the command printed, where the results of tests stand."""
    with open(output, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - MOST_OUTPUT))
        return file.read().decode("utf-8", "replace")


def _first_line(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            return file.readline(1000).decode("utf-8", "replace").strip()
    except OSError:
        return ""
