"""The hosts' files on the disk: read, backed up, replaced all at once, made and removed with their folders.

A file that is a link (as dotfile repositories have them) is written where the link leads, and stays a link.
A file that somebody changed since it was read is left alone.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

from groundwire.errors import CannotInstall, ToolError
from groundwire.integrations.install.plan import FileChange
from groundwire.integrations.install.record import FileRecord
from groundwire.workspace.atomic import remove, write_atomically
from groundwire.workspace.boundary import Fingerprint, Workspace

MAX_BYTES = 64 * 1024 * 1024
"""The largest file of a host we work on; Claude Code's grows with its history."""


def read(file: Path) -> bytes | None:
    """The bytes of a file, links followed; None when there is none."""
    try:
        if file.exists() and not file.is_file():
            raise CannotInstall(f"{file} is not a regular file, so it was left alone.")
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise CannotInstall(f"{file} cannot be read: {error.strerror}.") from None
    if len(content) > MAX_BYTES:
        raise CannotInstall(f"{file} is larger than {MAX_BYTES >> 20} MB, so it was left alone.")
    return content


def carry_out(change: FileChange, backups: Path, now: datetime) -> FileRecord | None:
    """Make one change real; what to remember of it, with the backups and the folders that were made."""
    record = change.record
    if not change.is_change:
        return record if change.after is not None else None
    copies: tuple[str, ...] = ()
    try:
        copies = _copies(change, backups, now)
        if change.after is None:
            _delete(change)
            return record and _with(record, (), copies)
        folders = _make_folders(_target(change.file).parent)
        _write(change)
    except (OSError, CannotInstall) as error:
        _drop(copies)
        if isinstance(error, CannotInstall):
            raise
        raise CannotInstall(
            f"{change.file} cannot be written: {error.strerror or error}.",
            hint="It was left alone. Check who may write to the file and its folder.",
        ) from None
    return record and _with(record, folders, copies)


def _drop(copies: Iterable[str]) -> None:
    for copy in map(Path, copies):
        with suppress(OSError):
            copy.unlink()
            copy.parent.rmdir()


def _with(record: FileRecord, folders: tuple[str, ...], copies: tuple[str, ...]) -> FileRecord:
    return msgspec.structs.replace(
        record, folders=(*record.folders, *folders), backups=(*record.backups, *copies)
    )


def forget_backups(record: FileRecord, file: Path) -> tuple[str, ...]:
    """Drop the backups of a file that is again what it was (or is gone, as it was); those that are kept."""
    now = read(file)
    first = read(Path(record.backups[0])) if record.backups else None
    made_by_us = record.created and now is None and record.format != "own"
    if not (made_by_us or now == first):
        return record.backups
    _drop(record.backups)
    return ()


def write_privately(file: Path, content: bytes) -> None:
    """Write a file of our own that nobody else may read."""
    file.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
        stream.write(content)


def remove_empty(folders: Iterable[str | Path]) -> None:
    """Remove those of these folders in which nothing is, the innermost first."""
    for folder in sorted(map(str, folders), key=len, reverse=True):
        with suppress(OSError):  # something is in it, or it is gone already
            os.rmdir(folder)


def _target(file: Path) -> Path:
    return Path(os.path.realpath(file))


def _write(change: FileChange) -> None:
    assert change.after is not None
    target = _target(change.file)
    if change.before is None and change.secrets:
        # Made empty and private first: replacing it keeps the mode.
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    elif read(change.file) != change.before:
        raise _changed(change.file)
    _require_permission(target)
    workspace = Workspace(target.parent)
    place = workspace.found(target.name)
    seen = Fingerprint.of(os.lstat(target)) if target.exists() else None
    try:
        write_atomically(workspace, place, change.after, seen=seen)
    except ToolError:
        raise _changed(change.file) from None


def _require_permission(target: Path) -> None:
    """PermissionError for a file its owner has made read-only: replacing it would not ask for that."""
    effective = os.access in os.supports_effective_ids
    if target.exists() and not os.access(target, os.W_OK, effective_ids=effective):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _delete(change: FileChange) -> None:
    if read(change.file) != change.before:
        raise _changed(change.file)
    target = _target(change.file)
    workspace = Workspace(target.parent)
    try:
        remove(workspace, workspace.found(target.name), seen=Fingerprint.of(os.lstat(target)))
    except ToolError:
        raise _changed(change.file) from None


def _changed(file: Path) -> CannotInstall:
    return CannotInstall(
        f"{file} was changed by another program just now, so it was left alone.", hint="Run this again."
    )


def _make_folders(folder: Path) -> tuple[str, ...]:
    """Make a folder and those it is in, where they are missing; the new ones, the outermost first."""
    missing: list[Path] = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, f"{folder} is not a folder")
    for path in reversed(missing):
        path.mkdir()
    return tuple(str(path) for path in reversed(missing))


def _copies(change: FileChange, backups: Path, now: datetime) -> tuple[str, ...]:
    """A copy of the file as it is, readable only by its owner, since such files may hold keys.

    None of a file that is exactly as we made it.
    """
    if change.before is None or change.is_as_made:
        return ()
    copy = backups / f"{now:%Y%m%d-%H%M%S-%f}" / change.file.name
    write_privately(copy, change.before)
    return (str(copy),)
