"""Runs one command to its end or to its time limit, with its output in files and nothing left behind.

Each command leads a process group of its own, and the whole group is killed when the command is over, so a
client that leaves children behind leaves none here. Output goes to files and not to pipes: a child that
keeps a pipe open cannot make us wait.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

KILLED = -signal.SIGKILL


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended. `code` is negative when a signal ended it."""

    code: int
    out: str
    err: str
    timed_out: bool = False

    @property
    def brief(self) -> str:
        """A line or two about it, for a report: the code and the end of what it said."""
        said = (self.err.strip() or self.out.strip())[-400:]
        ending = "ran out of time" if self.timed_out else f"exit code {self.code}"
        return f"{ending}: {said}" if said else ending


def run_bounded(
    words: Sequence[str], *, environment: Mapping[str, str], folder: Path, log: Path, seconds: float
) -> Finished:
    """Run `words` in `folder`; `log` (with .out and .err) is where its output is kept."""
    log.parent.mkdir(parents=True, exist_ok=True)
    out, err = log.with_suffix(".out"), log.with_suffix(".err")
    timed_out = False
    with out.open("wb") as out_file, err.open("wb") as err_file:
        process = subprocess.Popen(
            list(words),
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=out_file,
            stderr=err_file,
            start_new_session=True,
        )
        try:
            process.wait(timeout=max(seconds, 0.1))
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            _kill_group(process.pid)
            process.wait()
    return Finished(process.returncode, _text(out), _text(err), timed_out)


def _kill_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
