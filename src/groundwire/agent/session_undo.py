"""Takes back what a run of the agent changed: each file becomes what it was before the run.

`net_changes` decides from the transcript what a run did to each file; `undo` makes the files what they were,
through the workspace's one door. A file that someone changed since is left alone unless forced. If someone
else changed a file between two writes of the run, it becomes what it was before the agent's last writes:
what the other person did is not lost.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from groundwire.agent.session import Session
from groundwire.agent.session_past import UNDONE, PastRun
from groundwire.agent.session_settling import diff_between, digest, state_of
from groundwire.agent.transcript import WriteBegan
from groundwire.errors import SessionError, ToolError
from groundwire.tools.patch import Change
from groundwire.workspace.atomic import remove, write_atomically
from groundwire.workspace.boundary import Workspace
from groundwire.workspace.filetype import is_binary
from groundwire.workspace.textfile import read_bytes


@dataclass(frozen=True, slots=True)
class NetChange:
    """What a run did to one file, all its writes together. Hashes; None is no file."""

    path: str
    before: str | None
    after: str | None
    mode: int | None = None
    folders: tuple[str, ...] = ()
    """The folders that were made for it, the outermost first."""


class Fate(StrEnum):
    """What becomes of a file when its change is undone."""

    RESTORED = "restored"
    REMOVED = "removed"
    AS_IT_WAS = "as it was"
    LEFT = "left alone"


@dataclass(frozen=True, slots=True)
class FileUndone:
    """One file of an undone run."""

    path: str
    fate: Fate
    reason: str = ""
    """Why it was left alone."""
    diff: str = ""
    """What undoing it changes."""
    added: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class UndoneRun:
    """A run that was undone, or would be."""

    number: int
    """Which run of the session, from 0."""
    task: str
    files: tuple[FileUndone, ...]
    commands: int
    """How many commands the run ran; what they changed is not undone."""

    @property
    def restored(self) -> tuple[str, ...]:
        """The paths of the files that are as they were before."""
        return tuple(file.path for file in self.files if file.fate is not Fate.LEFT)

    @property
    def left(self) -> tuple[str, ...]:
        """The paths of the files that were left alone."""
        return tuple(file.path for file in self.files if file.fate is Fate.LEFT)

    @property
    def note(self) -> str:
        """What the model is told about it."""
        return UNDONE.format(files=", ".join(self.restored)) if self.restored else ""


def undo(session: Session, workspace: Workspace, *, force: bool = False, dry: bool = False) -> UndoneRun:
    """Take back what the last run changed that was not taken back yet. A SessionError when there is none.

    `force` also restores files that someone changed since; with `dry` nothing is changed or recorded. A run
    that was interrupted has come to its end by that: nobody goes on with what was taken back.
    """
    number, run, changes = _last_to_undo(session, workspace)
    files = tuple(
        _undone(change, session.kept.get(change.before), workspace, force=force, dry=dry)
        for change in reversed(changes)
    )
    undone = UndoneRun(number, run.began.task or "", files, _commands(run))
    if not dry:
        if session.past().unfinished is not None:
            session.given_up()
        session.undone(number, undone.restored, undone.left)
    return undone


def changes_since(session: Session, workspace: Workspace) -> list[tuple[str, Change]]:
    """What the session has changed and not taken back, file by file, from before it to now."""
    writes = [pair for run in session.past().runs if run.undone is None for pair in announced(run)]
    found = []
    for change in net_changes(writes, lambda path: _hash_at(workspace, path)):
        with suppress(OSError, ToolError):
            now = state_of(workspace, workspace.resolve(change.path))
            if digest(now) != change.before:
                found.append((change.path, diff_between(session.kept.get(change.before), now)))
    return found


# -- deciding -------------------------------------------------------------------------------------------

Announced = tuple[WriteBegan, bool | None]
"""A write, and whether it was made; None when nobody could record that."""


def announced(run: PastRun) -> list[Announced]:
    """The writes of a run in order."""
    results = ((write, run.result_of(write)) for write in run.writes)
    return [(write, None if result is None else result.ok) for write, result in results]


def net_changes(writes: Iterable[Announced], now: Callable[[str], str | None]) -> list[NetChange]:
    """What the writes did to each file, in the order in which the files were last written."""
    by_path: dict[str, list[Announced]] = {}
    for write, made in writes:
        by_path[write.path] = [*by_path.pop(write.path, []), (write, made)]
    found = (_net_change(_made(pairs, now(path))) for path, pairs in by_path.items())
    return [change for change in found if change is not None and change.before != change.after]


def _made(pairs: list[Announced], now: str | None) -> list[WriteBegan]:
    """The writes of one file that were really made: where it was not recorded, what came next shows it."""
    later = [*(write.before for write, _ in pairs[1:]), now]
    return [
        write
        for (write, made), state in zip(pairs, later, strict=True)
        if made or (made is None and state == write.after)
    ]


def _net_change(writes: list[WriteBegan]) -> NetChange | None:
    """The last unbroken chain of writes, each of what the one before it wrote, as one change."""
    if not writes:
        return None
    start = len(writes) - 1
    while start and writes[start - 1].after == writes[start].before:
        start -= 1
    first, last = writes[start], writes[-1]
    return NetChange(first.path, first.before, last.after, first.mode, first.folders)


def _last_to_undo(session: Session, workspace: Workspace) -> tuple[int, PastRun, list[NetChange]]:
    runs = session.past().runs
    for number, run in reversed(list(enumerate(runs))):
        if run.undone is None or run.undone.left:
            changes = net_changes(announced(run), lambda path: _hash_at(workspace, path))
            if changes:
                return number, run, changes
    if any(run.undone for run in runs):
        raise SessionError(f"Everything that session {session.id} changed was undone already.")
    hint = "What commands changed is not undone." if any(map(_commands, runs)) else ""
    raise SessionError(f"Session {session.id} changed no file.", hint=hint)


def _commands(run: PastRun) -> int:
    return sum(begun.name == "run_shell_command" for turn in run.turns for begun in turn.begun.values())


# -- doing ----------------------------------------------------------------------------------------------


def _undone(
    change: NetChange, before: bytes | None, workspace: Workspace, *, force: bool, dry: bool
) -> FileUndone:
    try:
        place = workspace.resolve(change.path)
        now = state_of(workspace, place)
        if digest(now) == change.before:
            return FileUndone(change.path, Fate.AS_IT_WAS)
        if digest(now) != change.after and not force:
            return FileUndone(change.path, Fate.LEFT, "someone changed it since")
        if change.before is not None and before is None:
            return FileUndone(change.path, Fate.LEFT, "what it held before is lost")
        if not dry:
            _make(change, before, workspace)
    except ToolError as error:
        return FileUndone(change.path, Fate.LEFT, error.message)
    except OSError as error:
        return FileUndone(change.path, Fate.LEFT, error.strerror or str(error))
    fate = Fate.REMOVED if change.before is None else Fate.RESTORED
    if is_binary(now or b"") or is_binary(before or b""):
        return FileUndone(change.path, fate)
    difference = diff_between(now, before)
    stat_of = difference.stat()
    return FileUndone(
        change.path,
        fate,
        diff=difference.unified(change.path, "Now", "Before the run"),
        added=stat_of["model_added_lines"],
        removed=stat_of["model_removed_lines"],
    )


def _make(change: NetChange, before: bytes | None, workspace: Workspace) -> None:
    """Make the file what it was before the change."""
    place = workspace.resolve(change.path)
    try:
        _, seen = read_bytes(workspace, place)
    except (FileNotFoundError, NotADirectoryError):
        seen = None
    if before is not None:
        write_atomically(workspace, place, before, seen=seen)
        _give_mode(change, workspace)
    elif seen is not None:
        remove(workspace, place, seen=seen)
        _remove_folders(change.folders, workspace)


def _give_mode(change: NetChange, workspace: Workspace) -> None:
    if change.mode is None or os.name != "posix":
        return
    descriptor = workspace.open_file(workspace.resolve(change.path))
    try:
        if stat.S_IMODE(os.fstat(descriptor).st_mode) != change.mode:
            os.fchmod(descriptor, change.mode)
    finally:
        os.close(descriptor)


def _remove_folders(folders: tuple[str, ...], workspace: Workspace) -> None:
    """Remove the folders that were made for the file, as far as they are empty."""
    with suppress(OSError, ToolError):
        for folder in reversed(folders):
            with workspace.directory_of(workspace.resolve(folder)) as (handle, name):
                os.rmdir(name, dir_fd=handle)


def _hash_at(workspace: Workspace, path: str) -> str | None:
    """The hash of a file now; what cannot be read is like no state the transcript knows."""
    try:
        return digest(state_of(workspace, workspace.resolve(path)))
    except (OSError, ToolError):
        return ""
