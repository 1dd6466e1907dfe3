"""Everything the command started, looked at again and again, until it ends or breaks a limit."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time
from collections.abc import Iterator
from typing import Any

POLL_SECONDS = 0.05
NOBODY_KNOWS = 100_000
"""Processes of the user where they cannot be counted: no limit that could be broken by others."""


def come_first() -> None:
    """Be run before everything that shares this machine's processors, where we may: a flood of processes
    must not keep us from ending it. Root may, and root is whom the limit on processes does not bind."""
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))


def processes_of_this_user() -> int:
    """The kernel's limit counts all of a user's processes, those that have nothing to do with us, too."""
    count = 0
    if not os.path.isdir("/proc"):
        return NOBODY_KNOWS
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            count += os.stat(f"/proc/{name}").st_uid == os.getuid()
    return count


class Watch:
    """Looks at everything the command started, again and again, until it ends or breaks a limit."""

    def __init__(self, spec: dict[str, Any], child: int, started: float) -> None:
        self._spec = spec
        self._child = child
        self._deadline = started + spec["seconds"]
        self.peak_memory = 0

    def until_the_end(self) -> tuple[int, str | None]:
        """The exit code, and the limit that was broken (None when none was)."""
        while True:
            ended, status = os.waitpid(self._child, os.WNOHANG)
            if ended:
                self._kill_all()
                return code_of(status), None
            broken = self._broken_limit()
            if broken:
                self._kill_all()
                _, status = os.waitpid(self._child, 0)
                return code_of(status), broken
            if hasattr(signal, "sigtimedwait"):
                signal.sigtimedwait({signal.SIGCHLD}, POLL_SECONDS)
            else:
                time.sleep(POLL_SECONDS)
            self._reap()

    def _broken_limit(self) -> str | None:
        if time.monotonic() > self._deadline:
            return "time"
        below = [self._child, *_descendants(self._child, most=2 * self._spec["processes"] + 10)]
        if len(below) > self._spec["processes"]:
            return "processes"
        used = sum(_memory_of(pid) for pid in below)
        self.peak_memory = max(self.peak_memory, used)
        return "memory" if used > self._spec["memory"] else None

    def _reap(self) -> None:
        """Collect orphans that came to us; the child itself is waited for elsewhere."""
        for pid in _children(os.getpid()):
            if pid != self._child:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)

    def _kill_all(self) -> None:
        """The child dies, with it its namespace; without one, its group and everything else below us."""
        for _ in range(1000):
            left = list(_descendants(os.getpid(), most=100_000))
            for pid in left:
                _kill(pid)
            self._reap()
            if not [pid for pid in left if pid != self._child]:
                return


def _kill(pid: int) -> None:
    """End a process and its group; a whole group dies at once, however fast it forks."""
    with contextlib.suppress(OSError):
        group = os.getpgid(pid)
        if group != os.getpgid(0):
            os.killpg(group, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def code_of(status: int) -> int:
    """The exit code that a status of the system means; a signal is a negative one."""
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)


def _children(pid: int) -> list[int]:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]
    return []


def _descendants(root: int, *, most: int) -> Iterator[int]:
    """The processes below `root`, at most so many. Threads that fork count too little, never too much."""
    open_ones, found = [root], 0
    while open_ones and found < most:
        for child in _children(open_ones.pop()):
            found += 1
            open_ones.append(child)
            yield child


def _memory_of(pid: int) -> int:
    with (
        contextlib.suppress(OSError, ValueError, IndexError),
        open(f"/proc/{pid}/statm", encoding="ascii") as file,
    ):
        return int(file.read().split()[1]) * resource.getpagesize()
    return 0
