"""Corpus: a folder of documents, opened, indexed and searched. The border to SQLite's errors.

The index of a folder is one file in a cache folder, named after the folder's path. A file that is damaged or
of another version is built anew and the report says so; the documents themselves are never written to.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from groundwire.corpus import storage
from groundwire.corpus.candidates import candidates
from groundwire.corpus.finding import choose
from groundwire.corpus.passages import Passage
from groundwire.corpus.refresh import IndexReport, Progress, refresh
from groundwire.corpus.terms import query_terms
from groundwire.errors import LocalSearchFailed, MissingCorpus

BUNDLED_DOCUMENTS = Path(__file__).parent.parent / "emulator" / "documents"

CANDIDATES = 40
"""How many pieces are looked at closely, at least."""


class Corpus:
    """A searchable folder of documents. Safe to use from several threads; close it when done."""

    def __init__(self, connection: sqlite3.Connection, report: IndexReport, index_file: Path | None) -> None:
        self.report = report
        self.index_file = index_file
        self._connection = connection
        self._lock = threading.Lock()

    @classmethod
    def open(
        cls,
        folder: str | os.PathLike[str] | None,
        *,
        cache_dir: Path | None = None,
        progress: Callable[[Progress], None] | None = None,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> Self:
        """The corpus of a folder, indexed anew where the folder changed since the last time.

        Without `cache_dir` the index is kept under `default_cache_dir`.
        """
        root = checked_folder(folder)
        path = index_file(root, default_cache_dir(os.environ) if cache_dir is None else cache_dir)
        with _storage_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            connection, rebuilt = _open_index(path)
            try:
                report = refresh(connection, root, progress=progress, now_ns=now_ns)
            except sqlite3.DatabaseError as error:
                connection.close()
                if not _is_damage(error):
                    raise
                connection, rebuilt = _build_anew(path, f"it was damaged ({error})")
                report = refresh(connection, root, progress=progress, now_ns=now_ns)
            except BaseException:
                connection.close()
                raise
        report.rebuilt = rebuilt
        return cls(connection, report, path)

    @classmethod
    def in_memory(cls, folder: str | os.PathLike[str] | None) -> Self:
        """The corpus of a small folder, indexed in memory each time."""
        root = checked_folder(folder)
        connection = storage.connect(None)
        storage.create_tables(connection)
        return cls(connection, refresh(connection, root, progress=None, now_ns=time.time_ns), None)

    @classmethod
    def bundled(cls) -> Self:
        """The small corpus that groundwire brings along, in memory."""
        return cls.in_memory(BUNDLED_DOCUMENTS)

    def find(self, query: str, limit: int = 5) -> list[Passage]:
        """The passages that answer the query best, best first; an empty list when nothing matches."""
        terms = query_terms(query)
        if not terms or limit < 1:
            return []
        with self._lock, _storage_errors(self.index_file):
            found = candidates(self._connection, terms, max(CANDIDATES, 4 * limit))
        return choose(terms, found, limit)

    async def find_async(self, query: str, limit: int = 5) -> list[Passage]:
        """`find` in a thread, so that an event loop goes on meanwhile."""
        return await asyncio.to_thread(self.find, query, limit)

    def text_of(self, passage: Passage) -> str:
        """The whole text of the passage's document: `text[passage.start:passage.end] == passage.text`."""
        with self._lock, _storage_errors(self.index_file):
            return storage.text_of(self._connection, passage.document)

    def close(self) -> None:
        """Let go of the index. The corpus cannot be searched afterwards."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def default_cache_dir(environ: Mapping[str, str]) -> Path:
    """Where indexes live unless the caller says otherwise: `$XDG_CACHE_HOME/groundwire/corpus`."""
    base = environ.get("XDG_CACHE_HOME", "")
    root = Path(base) if os.path.isabs(base) else Path.home() / ".cache"
    return root / "groundwire" / "corpus"


def index_file(folder: Path, cache_dir: Path) -> Path:
    """The index of a folder: its name for people, a hash of its whole path to be unique."""
    key = hashlib.blake2b(os.fsencode(folder), digest_size=8).hexdigest()
    name = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in folder.name)[:40]
    return cache_dir / f"{name}-{key}.sqlite"


def checked_folder(folder: str | os.PathLike[str] | None) -> Path:
    """The folder's real path, or MissingCorpus with what is wrong about it."""
    if folder is None or not os.fspath(folder):
        raise MissingCorpus("No folder of documents was given.")
    path = Path(folder).expanduser()
    try:
        root = path.resolve(strict=True)
    except (OSError, RuntimeError):
        raise MissingCorpus(f"The folder of documents does not exist: {path}") from None
    if not root.is_dir():
        raise MissingCorpus(f"The corpus must be a folder of documents, and this is a file: {path}")
    if not os.access(root, os.R_OK | os.X_OK):
        raise MissingCorpus(f"The folder of documents cannot be read: {path}")
    return root


def _open_index(path: Path) -> tuple[sqlite3.Connection, str | None]:
    """A connection to a usable index, and why the old one had to go if it had to."""
    is_new = not path.exists()
    if is_new:
        path.touch(mode=0o600)
    connection = None
    try:
        connection = storage.connect(path)
        version = storage.version_of(connection)
        if version == 0:
            storage.create_tables(connection)
            return connection, None
        if version == storage.VERSION:
            return connection, None
        reason = "it was made by another version"
    except sqlite3.DatabaseError as error:
        if not _is_damage(error):
            raise
        reason = f"it was damaged ({error})"
    if connection is not None:
        connection.close()
    return _build_anew(path, reason)


def _build_anew(path: Path, reason: str) -> tuple[sqlite3.Connection, str]:
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    path.touch(mode=0o600)
    connection = storage.connect(path)
    storage.create_tables(connection)
    return connection, reason


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is at fault, not the disk, a lock or our own statement."""
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@contextmanager
def _storage_errors(path: Path | None) -> Iterator[None]:
    """SQLite's and the disk's errors in our words."""
    try:
        yield
    except sqlite3.Error as error:
        where = "in memory" if path is None else str(path)
        hint = "" if path is None else f"Delete the file to have it built anew: {path}"
        raise LocalSearchFailed(f"The index of the corpus ({where}) failed: {error}.", hint=hint) from error
    except OSError as error:
        raise LocalSearchFailed(
            f"The index of the corpus cannot be kept at {path}: {error.strerror or error}.",
            hint="Name another place with XDG_CACHE_HOME.",
        ) from error
