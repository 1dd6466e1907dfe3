"""The journal of writes in memory: what a file held before a tool wrote it, so that the write can be undone.

Undoing is itself a planned write. It goes through the same door as any other: a file that was changed since
by someone else is left alone, and the old bytes come back all at once, with the file's mode.
"""

from __future__ import annotations

from dataclasses import dataclass

from groundwire.errors import ToolError
from groundwire.tools.base import ErrorType, PlannedWrite, ToolResult
from groundwire.tools.node_errors import node_message
from groundwire.workspace.boundary import Fingerprint, WorkspacePath
from groundwire.workspace.encodings import decode

MOST_WRITES = 200
MOST_BYTES = 256 * 1024 * 1024
"""How much the journal holds; the oldest writes are forgotten first."""


@dataclass(slots=True)
class Entry:
    """One write: what was written over, and the file as the write left it."""

    place: WorkspacePath
    before: bytes | None
    after: bytes | None
    written: Fingerprint | None

    @property
    def size(self) -> int:
        """The bytes it holds; those of before are mostly the ones an earlier write of the file holds."""
        return len(self.after or b"")


@dataclass(frozen=True, slots=True)
class TakenBack(PlannedWrite):
    """The write that undoes another."""

    entry: Entry


class WriteJournal:
    """The writes of one toolset, the newest last."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._held = 0

    def __len__(self) -> int:
        return len(self._entries)

    def record(self, planned: PlannedWrite, written: Fingerprint | None) -> None:
        """Note that `planned` is on disk now, as the file with this fingerprint (None: deleted)."""
        if not isinstance(planned, TakenBack):
            self._add(planned, written)
            return
        self._entries.remove(planned.entry)
        self._held -= planned.entry.size
        before = self._last(planned.place)
        if before is not None:
            # The bytes are those of the write before; the file that holds them is a new one.
            before.written = written

    def take_back(self, place: WorkspacePath | None = None) -> PlannedWrite:
        """The write that undoes the last one, or the last one at `place`. A ToolError when there is none."""
        entry = self._last(place)
        if entry is None:
            where = "" if place is None else f" of {place.absolute}"
            raise ToolError(f"There is no edit{where} to undo.", kind=ErrorType.EXECUTION_FAILED)
        return TakenBack(
            place=entry.place,
            before=entry.after,
            after=entry.before,
            seen=entry.written,
            old_text=decode(entry.after or b"")[1],
            new_text=decode(entry.before or b"")[1],
            finish=lambda: _told(entry),
            explain=lambda error: _unwritable(entry.place, error),
            entry=entry,
        )

    def _add(self, planned: PlannedWrite, written: Fingerprint | None) -> None:
        last, before = self._last(planned.place), planned.before
        if last is not None and last.after == before:
            before = last.after  # the same bytes need not be held twice
        entry = Entry(planned.place, before, planned.after, written)
        self._entries.append(entry)
        self._held += entry.size
        self._forget()

    def _last(self, place: WorkspacePath | None) -> Entry | None:
        for entry in reversed(self._entries):
            if place is None or entry.place.absolute == place.absolute:
                return entry
        return None

    def _forget(self) -> None:
        while len(self._entries) > MOST_WRITES or (self._held > MOST_BYTES and len(self._entries) > 1):
            self._held -= self._entries.pop(0).size


def _told(entry: Entry) -> ToolResult:
    path = entry.place.absolute
    if entry.before is None:
        return ToolResult(f"Undid the creation of {path}: the file is gone again.", f"Removed {path}")
    return ToolResult(f"Undid the last edit of {path}: it is as it was before.", f"Restored {path}")


def _unwritable(place: WorkspacePath, error: OSError) -> ToolError:
    message = node_message(error, "open", place.absolute)
    return ToolError(f"Could not undo the last edit: {message}", kind=ErrorType.FILE_WRITE_FAILURE)
