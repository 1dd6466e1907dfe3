"""What the command cannot get through, each wall used where the kernel allows it, without any privilege.

processes  a PID namespace: when its first process ends, nothing of it is left
network    a network namespace with nothing but loopback
files      a mount namespace in which everything but the writable folders is read-only
landlock   the same once more, in the kernel's access control
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import socket
import struct
import sys

from .kernel import PR_SET_NO_NEW_PRIVS, libc, prctl

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER = 0x20000, 0x8000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
MS_REC, MS_PRIVATE, MS_BIND = 0x4000, 0x40000, 0x1000
MS_NOSUID, MS_NODEV, MS_NOEXEC = 0x2, 0x4, 0x8
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
MOUNT_ATTR_RDONLY = 0x1
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


def around_processes() -> list[str]:
    """Enter new namespaces; the names of the walls that stand. Done before the first fork."""
    if sys.platform != "linux":
        return []
    user, group = os.getuid(), os.getgid()
    wanted = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC
    if libc().unshare(wanted) != 0:
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


def around_files(writable: list[str], *, mounts: bool) -> list[str]:
    """Make everything but the writable folders read-only; the names of the walls that stand.

    With `mounts`, this process is the first one of its namespace and may have mounts of its own.
    """
    standing, private_memory = [], False
    if mounts and libc().unshare(CLONE_NEWNS) == 0:
        private_memory = _mount_walls(writable)
        if _read_only(writable):
            standing.append("files")
    if _landlock([*writable, *([SHARED_MEMORY] if private_memory else [])]):
        standing.append("landlock")
    return standing


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
    return bool(libc().mount(source.encode(), os.fsencode(target), encoded, flags, options) == 0)


def _mount_attribute(path: str, turn_on: int, turn_off: int) -> bool:
    attributes = struct.pack("QQQQ", turn_on, turn_off, 0, 0)
    call = libc().syscall
    place = ctypes.c_char_p(os.fsencode(path))
    size = ctypes.c_size_t(len(attributes))
    return bool(call(SYS_MOUNT_SETATTR, AT_FDCWD, place, AT_RECURSIVE, attributes, size) == 0)


def _landlock(writable: list[str]) -> bool:
    """Forbid this process and its children to change anything but the writable folders."""
    if sys.platform != "linux":
        return False
    call = libc().syscall
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
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    restricted: bool = call(SYS_LANDLOCK_RESTRICT, ruleset, 0) == 0
    os.close(ruleset)
    return restricted


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    libc().syscall(SYS_LANDLOCK_ADD, ruleset, 1, struct.pack("=Qi", rights, place), 0)
    os.close(place)
