"""Writing files all at once: beside the target, flushed to the disk, then renamed over it.

A crash or a full disk at any moment leaves the old file or the new one, never a mixture. (The directory is
not flushed: that would only make sure that it is the new one, at the price of a second wait.) A file that
somebody else changed since it was read is left alone, and the call fails with `CHANGED_MEANWHILE`.
Mode and owner of the old file are kept, and on Linux its extended attributes (access lists among them) as far
as the file system and the rights of the process allow. What vouched for the old bytes is not: `_VOUCHING`.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress

from groundwire.errors import ToolError
from groundwire.workspace.boundary import Fingerprint, Workspace, WorkspacePath, require_regular

CHANGED_MEANWHILE = (
    "The file was changed by someone else since it was read: {path}. Read it again, then retry."
)
_NEW = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)
_OLD = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
# A file capability or an integrity hash was given to the old bytes; the kernel, too, drops them on a write.
_VOUCHING = frozenset({"security.capability", "security.ima", "security.evm"})


def write_atomically(
    workspace: Workspace,
    place: WorkspacePath,
    data: bytes,
    *,
    seen: Fingerprint | None,
    temporary: str | None = None,
    ready: Callable[[], None] | None = None,
) -> Fingerprint:
    """Put `data` at `place`, all or nothing, and give the new file's fingerprint.

    `seen` is the fingerprint of the file the caller read; None says there was no file, and then
    missing directories are made and a file that appeared meanwhile is not overwritten. `temporary` is the
    name of the file beside it, for callers who must know what a crash could leave; `ready` is called when all
    but the last step is done, and may raise to stop that. OSError from the disk.
    """
    with workspace.directory_of(place, create=seen is None) as (handle, name):
        before = _unchanged(handle, name, place, seen)
        beside = os.path.join(os.path.dirname(name), temporary or temporary_name())
        descriptor = os.open(beside, _NEW, 0o666 if before is None else 0o600, dir_fd=handle)
        try:
            try:
                _write(descriptor, data)
                if before is not None:
                    _keep_owner_and_mode(descriptor, before)
                    _keep_attributes(descriptor, name, handle)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if ready is not None:
                ready()
            _unchanged(handle, name, place, seen)
            _move_into_place(beside, name, handle, place, new=before is None)
        except BaseException:
            with suppress(OSError):
                os.unlink(beside, dir_fd=handle)
            raise
        return Fingerprint.of(os.stat(name, dir_fd=handle, follow_symlinks=False))


def remove(workspace: Workspace, place: WorkspacePath, *, seen: Fingerprint) -> None:
    """Delete the file at `place` when it still is the one with the fingerprint `seen`."""
    with workspace.directory_of(place) as (handle, name):
        _unchanged(handle, name, place, seen)
        os.unlink(name, dir_fd=handle)


def _unchanged(
    handle: int | None, name: str, place: WorkspacePath, seen: Fingerprint | None
) -> os.stat_result | None:
    """The status of the file at `name` after making sure that it is the one that was `seen`."""
    try:
        status = os.stat(name, dir_fd=handle, follow_symlinks=False)
    except FileNotFoundError:
        status = None
    if status is not None:
        require_regular(status, place.absolute)
    if (None if status is None else Fingerprint.of(status)) != seen:
        raise ToolError(CHANGED_MEANWHILE.format(path=place.absolute), kind="file_write_failure")
    return status


def temporary_name() -> str:
    """A name for the file in which new bytes wait until they take their place."""
    return f".groundwire-{os.urandom(8).hex()}.tmp"


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _keep_owner_and_mode(descriptor: int, before: os.stat_result) -> None:
    if hasattr(os, "fchown"):
        with suppress(OSError):  # only root may give files away; the mode matters more
            os.fchown(descriptor, before.st_uid, before.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


def _keep_attributes(descriptor: int, name: str, handle: int | None) -> None:
    """Copy the extended attributes of the old file; one that may not be read or set is left out."""
    if sys.platform != "linux":
        return
    with suppress(OSError):  # an old file that may be replaced but not read, or no attributes on this disk
        old = os.open(name, _OLD, dir_fd=handle)
        try:
            for attribute in os.listxattr(old):
                if attribute not in _VOUCHING:
                    with suppress(OSError):
                        os.setxattr(descriptor, attribute, os.getxattr(old, attribute))
        finally:
            os.close(old)


def _move_into_place(beside: str, name: str, handle: int | None, place: WorkspacePath, *, new: bool) -> None:
    if not new:
        os.replace(beside, name, src_dir_fd=handle, dst_dir_fd=handle)
        return
    try:
        # A hard link, unlike a rename, never overwrites a file that appeared in the last microsecond.
        os.link(beside, name, src_dir_fd=handle, dst_dir_fd=handle, follow_symlinks=False)
    except FileExistsError:
        raise ToolError(CHANGED_MEANWHILE.format(path=place.absolute), kind="file_write_failure") from None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV):
            raise
        os.replace(beside, name, src_dir_fd=handle, dst_dir_fd=handle)  # a file system without hard links
    else:
        os.unlink(beside, dir_fd=handle)
