"""From the specification to the status: the child, its limits, and the command it becomes."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from .kernel import PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG, prctl
from .walls import around_files, around_processes
from .watch import Watch, code_of, come_first, processes_of_this_user

KERNEL_MARGIN = 20
"""How many more processes the kernel allows than we do: enough for us to see that the limit is broken."""


def main() -> int:
    """Run the command of the specification and write the status."""
    spec = json.loads(sys.argv[1])
    status_fd = int(sys.argv[2])
    os.set_inheritable(status_fd, False)
    started = time.monotonic()
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    come_first()
    isolation = around_processes() if spec["walls"] else []
    # A new user namespace counts processes anew.
    spec["processes_in_all"] = spec["processes"] + (0 if isolation else processes_of_this_user())
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    # Under a PID namespace the child becomes its first process and reaps; else it becomes the command itself.
    inside = "processes" in isolation
    child, told = _forked(lambda tell: _first_process(spec, isolation, tell, reaps=inside))
    watch = Watch(spec, child, started)
    code, stopped = watch.until_the_end()
    told_isolation = told()
    status = {
        "code": code,
        "stopped": stopped,
        "seconds": time.monotonic() - started,
        "peak_memory": watch.peak_memory,
        "isolation": told_isolation or isolation,
    }
    os.write(status_fd, json.dumps(status).encode() + b"\n")
    return 0


def _forked(act: Callable[[Callable[[list[str]], None]], int]) -> tuple[int, Callable[[], list[str]]]:
    """A child that does `act`; its id, and a way to read what it told before it went on."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            code = act(lambda words: _say(writing, words))
        except Exception as error:  # noqa: BLE001  (whatever it was, the parent must hear of it)
            print(f"The command could not be started: {error}", file=sys.stderr, flush=True)  # noqa: T201
            code = 126
        os._exit(code)
    os.close(writing)

    def told() -> list[str]:
        os.set_blocking(reading, False)
        with contextlib.suppress(OSError, ValueError):
            return list(json.loads(os.read(reading, 65536)))
        return []

    return child, told


def _say(fd: int, words: list[str]) -> None:
    os.write(fd, json.dumps(words).encode())
    os.close(fd)


def _first_process(
    spec: dict[str, Any], isolation: list[str], tell: Callable[[list[str]], None], *, reaps: bool
) -> int:
    """In the child: put up the walls around files, tell of them, and become or await the command."""
    os.setpgid(0, 0)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if spec["walls"]:
        isolation = [*isolation, *around_files(spec["writable"], mounts=reaps)]
    tell(isolation)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    if not reaps:
        return _become(spec)
    command = os.fork()
    if command == 0:
        _become(spec)
    while True:
        pid, status = os.wait()
        if pid == command:
            return code_of(status) & 0xFF if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def _become(spec: dict[str, Any]) -> int:
    """Turn into the command, under its limits."""
    limits = {
        resource.RLIMIT_CPU: int(spec["seconds"]) + 1,
        resource.RLIMIT_AS: spec["memory"] + (1 << 30),  # the watch acts on what is used; this is behind it
        resource.RLIMIT_FSIZE: spec["file_size"],
        resource.RLIMIT_NPROC: spec["processes_in_all"] + KERNEL_MARGIN,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 1024,
    }
    for which, limit in limits.items():
        with contextlib.suppress(OSError, ValueError):
            hard = resource.getrlimit(which)[1]
            bound = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.setrlimit(which, (bound, bound))
    os.nice(10)
    os.chdir(spec["folder"])
    try:
        os.execvpe(spec["command"][0], spec["command"], spec["environment"])  # noqa: S606
    except OSError as error:
        print(f"{spec['command'][0]}: {error.strerror}", file=sys.stderr, flush=True)  # noqa: T201
    os._exit(127)
