"""What was installed, remembered: one JSON file per host (and project) in our state folder.

It holds the pieces of text that were inserted, so that uninstalling gives back the very bytes there were.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from groundwire.integrations.install.insertion import Insertion


class EntryRecord(msgspec.Struct, frozen=True):
    """One entry that was added to a file."""

    path: tuple[str, ...]
    value: dict[str, object]
    insertions: tuple[tuple[int, str], ...]
    made: int
    secret: str = ""
    """A part of the value that is not shown."""

    @property
    def pieces(self) -> tuple[Insertion, ...]:
        """What was inserted where."""
        return tuple(Insertion(at, text) for at, text in self.insertions)


class FileRecord(msgspec.Struct, frozen=True):
    """One file that was changed or made. `start` is what a file that was made began with; of a whole file of
    ours, all of it."""

    file: str
    format: str
    """json, toml, or own for a whole file of ours."""
    created: bool
    folders: tuple[str, ...] = ()
    """Folders that were made for it, the outermost first."""
    entries: tuple[EntryRecord, ...] = ()
    start: str = ""
    backups: tuple[str, ...] = ()
    """Copies of what was there before each change, the oldest first."""


class Installation(msgspec.Struct, frozen=True):
    """Everything that one `groundwire install` put in place."""

    host: str
    project: str | None
    command: tuple[str, ...]
    version: str
    files: tuple[FileRecord, ...]

    def of(self, file: Path) -> FileRecord | None:
        """What is remembered of one file."""
        return next((one for one in self.files if one.file == str(file)), None)


def record_path(state_dir: Path, host: str, project: Path | None) -> Path:
    """Where the installation in a host (and project) is remembered."""
    if project is None:
        return state_dir / "installed" / f"{host}.json"
    mark = hashlib.sha256(str(project).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return state_dir / "installed" / f"{host}-{mark}.json"


def decode(content: bytes | None) -> Installation | None:
    """The remembered installation; nothing when there is none or it cannot be read."""
    try:
        return None if content is None else msgspec.json.decode(content, type=Installation)
    except msgspec.DecodeError:
        return None


def encode(installation: Installation) -> bytes:
    """The bytes to remember."""
    return msgspec.json.format(msgspec.json.encode(installation), indent=2) + b"\n"
