"""Bringing an index up to date with its folder: what is new, changed or gone, and nothing else.

A file whose size and time of change are as stored is not opened. One that differs is read and hashed, and
indexed only if its content differs too. Work is committed in batches, each of which leaves the index whole:
an interrupted run loses at most its last batch, and the next run does the rest.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from groundwire.corpus import storage
from groundwire.corpus.decoding import is_binary
from groundwire.corpus.document import Document
from groundwire.corpus.passages import pieces
from groundwire.corpus.reading import read_content
from groundwire.corpus.walk import FoundFile, walk

MAX_FILE_BYTES = 5 * 1024 * 1024
"""More of a file is not read; the report counts such files as "cut"."""

BATCH_BYTES = 4 * 1024 * 1024
BATCH_FILES = 500

SETTLED_NS = 2_000_000_000
"""A file changed this shortly before we read it may change again within the same tick of its clock."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far indexing has come: `done` of `total` files; `current` is the one just finished.

    While another process indexes the same folder, `total` is 0 and `current` is the folder.
    """

    done: int
    total: int
    current: Path


@dataclass(slots=True)
class IndexReport:
    """What a refresh found and did.

    `left_out` counts what was not indexed or only in part, by reason. `rebuilt` says why an existing index
    was thrown away, None if it was not.
    """

    documents: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    rebuilt: str | None = None


@dataclass(frozen=True, slots=True)
class _Difference:
    """What an index does not know yet: files to read, with what it has of them, and files that are gone."""

    to_read: list[tuple[FoundFile, storage.Stamp | None]]
    gone: list[bytes]


def refresh(
    connection: sqlite3.Connection,
    folder: Path,
    *,
    turn: Callable[[], AbstractContextManager[None]] = nullcontext,
    progress: Callable[[Progress], None] | None = None,
    now_ns: Callable[[], int] = time.time_ns,
) -> IndexReport:
    """Make the index say what the folder says. `turn` is held while the index is written."""
    found = walk(folder)
    report = IndexReport(left_out=found.left_out)
    difference = _compare(found.files, storage.stamps(connection))
    if difference.to_read or difference.gone:
        with turn():
            # Another process may have done some of it by the time it is our turn.
            difference = _compare(found.files, storage.stamps(connection))
            _apply(connection, difference, report, progress, now_ns)
    report.unchanged += len(found.files) - len(difference.to_read)
    report.documents = storage.document_count(connection)
    report.left_out.update(storage.remark_counts(connection))
    return report


def _compare(files: Iterable[FoundFile], known: dict[bytes, storage.Stamp]) -> _Difference:
    to_read = []
    for file in files:
        stamp = known.pop(os.fsencode(file.path), None)
        if stamp is None or (stamp.size, stamp.modified_ns) != (file.size, file.modified_ns):
            to_read.append((file, stamp))
    return _Difference(to_read, gone=list(known))


def _apply(
    connection: sqlite3.Connection,
    difference: _Difference,
    report: IndexReport,
    progress: Callable[[Progress], None] | None,
    now_ns: Callable[[], int],
) -> None:
    with _Batches(connection) as batches:
        for path in difference.gone:
            storage.remove(connection, path)
            batches.count(0)
            report.removed += 1
        for done, (file, stamp) in enumerate(difference.to_read, 1):
            _take_in(connection, file, stamp, report, now_ns())
            batches.count(min(file.size, MAX_FILE_BYTES))
            if progress is not None:
                progress(Progress(done, len(difference.to_read), file.path))


def _take_in(
    connection: sqlite3.Connection,
    file: FoundFile,
    stamp: storage.Stamp | None,
    report: IndexReport,
    read_at_ns: int,
) -> None:
    path = os.fsencode(file.path)
    try:
        with open(file.path, "rb", opener=_open_without_following) as opened:
            content = opened.read(MAX_FILE_BYTES + 1)
    except OSError:
        # What cannot be read now is not offered from an older reading.
        storage.remove(connection, path)
        report.left_out["unreadable file"] += 1
        return
    is_settled = read_at_ns - file.modified_ns > SETTLED_NS
    modified_ns = file.modified_ns if is_settled else -1
    digest = hashlib.blake2b(content, digest_size=16).digest()
    if (
        stamp is not None
        and stamp.digest == digest
        and (stamp.size > MAX_FILE_BYTES) == (file.size > MAX_FILE_BYTES)
    ):
        storage.touch(connection, path, file.size, modified_ns)
        report.unchanged += 1
        return
    document, remarks = _judge(content, file.path)
    storage.add(
        connection,
        path=path,
        size=file.size,
        modified_ns=modified_ns,
        digest=digest,
        title=document.title or readable_name(file.path),
        url=document.url or file.path.as_uri(),
        remarks=remarks,
        pieces=pieces(document.blocks),
    )
    if stamp is None:
        report.added += 1
    else:
        report.changed += 1


def _open_without_following(path: str, flags: int) -> int:
    """Open a file that the walk saw; if a link or a pipe took its place since, fail instead of following."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _judge(content: bytes, path: Path) -> tuple[Document, list[str]]:
    """The document in a file's content, and what a person should know about it."""
    if is_binary(content):
        return Document(None, None, ()), ["binary"]
    is_cut = len(content) > MAX_FILE_BYTES
    remarks = ["cut"] if is_cut else []
    reading = read_content(content[:MAX_FILE_BYTES], path.suffix.lower(), is_cut=is_cut)
    if reading.is_encoding_guessed:
        remarks.append("encoding guessed")
    if not reading.document.blocks:
        remarks.append("empty")
    return reading.document, remarks


def readable_name(path: Path) -> str:
    """A title from a file's name; bytes that are no text are shown as such."""
    words = path.stem.replace("_", " ").replace("-", " ").strip() or path.name
    return os.fsencode(words).decode("utf-8", errors="replace")


class _Batches:
    """A transaction that is committed and begun anew every so often."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._files = self._bytes = 0

    def count(self, size: int) -> None:
        """One more file is done."""
        self._files += 1
        self._bytes += size
        if self._files >= BATCH_FILES or self._bytes >= BATCH_BYTES:
            self._connection.execute("COMMIT")
            self._connection.execute("BEGIN IMMEDIATE")
            self._files = self._bytes = 0

    def __enter__(self) -> _Batches:
        self._connection.execute("BEGIN IMMEDIATE")
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._connection.in_transaction:
            self._connection.execute("COMMIT" if kind is None else "ROLLBACK")
