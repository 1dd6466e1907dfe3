"""The journal of writes: what each file held before a tool wrote it, so that the write can be undone.

Undoing is itself a planned write. It goes through the same door as any other: a file that was changed since
by someone else is left alone, and the old bytes come back all at once, with the file's mode.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from groundwire.errors import ToolError
from groundwire.tools.base import ErrorType, PlannedWrite, ToolResult
from groundwire.tools.node_errors import node_message
from groundwire.workspace.boundary import Fingerprint, WorkspacePath

MOST_WRITES = 200
MOST_BYTES = 256 * 1024 * 1024
"""How much the journal holds; the oldest writes are forgotten first."""


@dataclass(slots=True)
class Entry:
    """One write: what was written over, and the file as the write left it."""

    planned: PlannedWrite
    written: Fingerprint | None


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
            self._entries.append(Entry(planned, written))
            self._held += len(planned.before or b"")
            self._forget()
            return
        self._entries.remove(planned.entry)
        self._held -= len(planned.entry.planned.before or b"")
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
        planned = entry.planned
        swapped: dict[str, Any] = {field.name: getattr(planned, field.name) for field in fields(PlannedWrite)}
        swapped |= {
            "before": planned.after,
            "after": planned.before,
            "seen": entry.written,
            "old_text": planned.new_text,
            "new_text": planned.old_text,
            "finish": lambda: _told(planned),
            "explain": lambda error: _unwritable(planned.place, error),
        }
        return TakenBack(**swapped, entry=entry)

    def _last(self, place: WorkspacePath | None) -> Entry | None:
        for entry in reversed(self._entries):
            if place is None or entry.planned.place.absolute == place.absolute:
                return entry
        return None

    def _forget(self) -> None:
        while len(self._entries) > MOST_WRITES or (self._held > MOST_BYTES and len(self._entries) > 1):
            self._held -= len(self._entries.pop(0).planned.before or b"")


def _told(planned: PlannedWrite) -> ToolResult:
    path = planned.place.absolute
    if planned.before is None:
        return ToolResult(f"Undid the creation of {path}: the file is gone again.", f"Removed {path}")
    return ToolResult(f"Undid the last edit of {path}: it is as it was before.", f"Restored {path}")


def _unwritable(place: WorkspacePath, error: OSError) -> ToolError:
    message = node_message(error, "open", place.absolute)
    return ToolError(f"Could not undo the last edit: {message}", kind=ErrorType.FILE_WRITE_FAILURE)
