"""The file an index is kept in: where it is, how it is opened, and what its failures are called.

It stands in a cache folder, is named after the folder it indexes, and is readable by its owner only, since
it holds the documents' text. A file that is damaged or of another version is thrown away and built anew.
SQLite's errors become ours here and nowhere else.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from groundwire.corpus import storage
from groundwire.errors import LocalSearchFailed


def default_cache_dir(environ: Mapping[str, str]) -> Path:
    """Where indexes live unless the caller says otherwise: `$XDG_CACHE_HOME/groundwire/corpus`."""
    base = environ.get("XDG_CACHE_HOME", "")
    root = Path(base) if os.path.isabs(base) else Path.home() / ".cache"
    return root / "groundwire" / "corpus"


def index_path(folder: Path, cache_dir: Path) -> Path:
    """The index of a folder: its name for people, a hash of its whole path to be unique."""
    key = hashlib.blake2b(os.fsencode(folder), digest_size=8).hexdigest()
    name = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in folder.name)[:40]
    return cache_dir / f"{name}-{key}.sqlite"


def opened(path: Path | None) -> tuple[sqlite3.Connection, str | None]:
    """A connection to a usable index (without a path: in memory), and why an old one had to go, if it had."""
    if path is None:
        return _created(None), None
    _make_room(path)
    connection = None
    try:
        connection = storage.connect(path)
        version = storage.version_of(connection)
        if version == storage.VERSION:
            return connection, None
        if version == 0:
            storage.create_tables(connection)
            return connection, None
        reason = "it was made by another version"
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        reason = f"it was damaged ({error})"
    if connection is not None:
        connection.close()
    return built_anew(path, reason)


def built_anew(path: Path, reason: str) -> tuple[sqlite3.Connection, str]:
    """An empty index in place of the file, and the reason once more."""
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    _make_room(path)
    return _created(path), reason


def _make_room(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
    except OSError as error:
        raise LocalSearchFailed(
            f"The index of the documents cannot be kept at {path}: {error.strerror or error}.",
            hint="Name another place with XDG_CACHE_HOME.",
        ) from error


def _created(path: Path | None) -> sqlite3.Connection:
    connection = storage.connect(path)
    storage.create_tables(connection)
    return connection


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is at fault, not the disk, a lock or our own statement."""
    return _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@contextmanager
def storage_errors(path: Path | None) -> Iterator[None]:
    """SQLite's errors in our words."""
    try:
        yield
    except sqlite3.Error as error:
        raise LocalSearchFailed(
            f"The index of the documents failed: {error} ({path or 'in memory'}).", hint=_hint(error, path)
        ) from error


def _hint(error: sqlite3.Error, path: Path | None) -> str:
    code = _code(error)
    if code == sqlite3.SQLITE_BUSY:
        return "Another process is indexing the same folder; try again when it is done."
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR):
        return "Make room or name another place with XDG_CACHE_HOME."
    return f"Delete the file to have it built anew: {path}" if path else ""


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary error code; an error of Python's own module has none."""
    return getattr(error, "sqlite_errorcode", -1) & 0xFF
