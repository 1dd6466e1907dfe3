"""A program that runs one command under limits and tells how it ended. It needs only the standard library.

    python -I supervisor.py SPEC STATUS_FD

SPEC is JSON: command, folder, environment, writable (folders), seconds, memory, processes, file_size, and
walls (false: only limits). On STATUS_FD one JSON object is written: code, stopped (time, memory, processes,
or null), seconds, peak_memory, and isolation: which walls could be put up on this machine.

The walls, each used where the kernel allows it, without any privilege:
    processes  a PID namespace: when its first process ends, nothing of it is left
    network    a network namespace with nothing but loopback
    files      a mount namespace in which everything but the writable folders is read-only
    landlock   the same once more, in the kernel's access control
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

POLL_SECONDS = 0.05
KERNEL_MARGIN = 20
"""How many more processes the kernel allows than we do: enough for us to see that the limit is broken."""
NOBODY_KNOWS = 100_000
"""Processes of the user where they cannot be counted: no limit that could be broken by others."""
CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER = 0x20000, 0x8000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
MS_REC, MS_PRIVATE, MS_BIND = 0x4000, 0x40000, 0x1000
MS_NOSUID, MS_NODEV, MS_NOEXEC = 0x2, 0x4, 0x8
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
MOUNT_ATTR_RDONLY = 0x1
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 36, 38
SYS_MOUNT_SETATTR, SYS_LANDLOCK_CREATE, SYS_LANDLOCK_ADD, SYS_LANDLOCK_RESTRICT = 442, 444, 445, 446
SIOCSIFFLAGS = 0x8914
IFF_UP_RUNNING = 0x1 | 0x40

# Landlock's rights to change a file system: those of files, those of directories, and since which version.
WRITE_FILE, TRUNCATE = 1 << 1, 1 << 14
CHANGES = WRITE_FILE | sum(1 << bit for bit in range(4, 13))
REFER = 1 << 13
SCOPE_SIGNALS = 1 << 1
SHARED_MEMORY = "/dev/shm"  # noqa: S108
DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts")


def main() -> int:
    """Run the command of the specification and write the status."""
    spec = json.loads(sys.argv[1])
    status_fd = int(sys.argv[2])
    os.set_inheritable(status_fd, False)
    started = time.monotonic()
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    _come_first()
    isolation = _put_up_walls() if spec["walls"] else []
    # A new user namespace counts processes anew.
    spec["processes_in_all"] = spec["processes"] + (0 if isolation else _processes_of_this_user())
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    # Under a PID namespace the child becomes its first process and reaps; else it becomes the command itself.
    inside = "processes" in isolation
    child, told = _forked(lambda tell: _first_process(spec, isolation, tell, reaps=inside))
    watch = _Watch(spec, child, started)
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


def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _come_first() -> None:
    """Be run before everything that shares this machine's processors, where we may: a flood of processes
    must not keep us from ending it. Root may, and root is whom the limit on processes does not bind."""
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))


def _processes_of_this_user() -> int:
    """The kernel's limit counts all of a user's processes, those that have nothing to do with us, too."""
    count = 0
    if not os.path.isdir("/proc"):
        return NOBODY_KNOWS
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            count += os.stat(f"/proc/{name}").st_uid == os.getuid()
    return count


def _put_up_walls() -> list[str]:
    """Enter new namespaces; the names of the walls that stand. Done before the first fork."""
    if sys.platform != "linux":
        return []
    user, group = os.getuid(), os.getgid()
    wanted = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC
    if _libc().unshare(wanted) != 0:
        return []
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with contextlib.suppress(OSError), open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(line)
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14s", b"lo", IFF_UP_RUNNING, b""))
    return ["processes", "network"]


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
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    private_memory = False
    if reaps and _libc().unshare(CLONE_NEWNS) == 0:
        private_memory = _mount_walls(spec["writable"])
        if _read_only(spec["writable"]):
            isolation = [*isolation, "files"]
    writable = [*spec["writable"], *([SHARED_MEMORY] if private_memory else [])]
    if spec["walls"] and _landlock(writable):
        isolation = [*isolation, "landlock"]
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
            return _code(status) & 0xFF if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


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


class _Watch:
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
                return _code(status), None
            broken = self._broken_limit()
            if broken:
                self._kill_all()
                _, status = os.waitpid(self._child, 0)
                return _code(status), broken
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


def _code(status: int) -> int:
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


# -- walls around files ---------------------------------------------------------------------------------


def _mount_walls(writable: list[str]) -> bool:
    """Each writable folder as a mount of its own, a /proc of our own; whether /dev/shm is private now."""
    _mount("none", "/", None, MS_REC | MS_PRIVATE)
    for folder in writable:
        _mount(folder, folder, None, MS_BIND | MS_REC)
    _mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    return _mount("tmpfs", SHARED_MEMORY, "tmpfs", MS_NOSUID | MS_NODEV, b"size=64m")


def _read_only(writable: list[str]) -> bool:
    """Make every mount read-only, then the writable folders writable again; whether that worked."""
    if not _mount_attribute("/", MOUNT_ATTR_RDONLY, 0):
        return False
    _mount_attribute(SHARED_MEMORY, 0, MOUNT_ATTR_RDONLY)
    return all(_mount_attribute(folder, 0, MOUNT_ATTR_RDONLY) for folder in writable)


def _mount(source: str, target: str, kind: str | None, flags: int, options: bytes | None = None) -> bool:
    encoded = None if kind is None else kind.encode()
    return bool(_libc().mount(source.encode(), os.fsencode(target), encoded, flags, options) == 0)


def _mount_attribute(path: str, turn_on: int, turn_off: int) -> bool:
    attributes = struct.pack("QQQQ", turn_on, turn_off, 0, 0)
    call = _libc().syscall
    place = ctypes.c_char_p(os.fsencode(path))
    size = ctypes.c_size_t(len(attributes))
    return bool(call(SYS_MOUNT_SETATTR, AT_FDCWD, place, AT_RECURSIVE, attributes, size) == 0)


def _landlock(writable: list[str]) -> bool:
    """Forbid this process and its children to change anything but the writable folders."""
    if sys.platform != "linux":
        return False
    call = _libc().syscall
    version = call(SYS_LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    rights = CHANGES | (REFER if version >= 2 else 0) | (TRUNCATE if version >= 3 else 0)
    scope = SCOPE_SIGNALS if version >= 6 else 0
    attributes = struct.pack("QQQ", rights, 0, scope)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = call(SYS_LANDLOCK_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    if ruleset < 0:
        return False
    of_files = rights & (WRITE_FILE | TRUNCATE)
    for folder in writable:
        _allow(ruleset, folder, rights)
    for device in DEVICES:
        _allow(ruleset, f"/dev/{device}", of_files)
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    restricted: bool = call(SYS_LANDLOCK_RESTRICT, ruleset, 0) == 0
    os.close(ruleset)
    return restricted


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    _libc().syscall(SYS_LANDLOCK_ADD, ruleset, 1, struct.pack("=Qi", rights, place), 0)
    os.close(place)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        _libc().prctl(option, ctypes.c_ulong(value), 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main())
