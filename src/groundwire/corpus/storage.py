"""The index in SQLite: tables, their version, and the few statements that write and read them.

    documents   one row a file: what tells whether it changed, its title and address
    pieces      the stretches of each document's text, in order and without gaps
    terms       an FTS5 table without content of its own; its rows are the pieces by rowid

`terms` is contentless because SQLite's copy would be of our term form, not of the text. Such a table wants
the old terms back to delete a row (contentless_delete is newer than the SQLite we must run on), so the
version of the index names everything that term form depends on: another version is built anew, never patched.
"""

from __future__ import annotations

import sqlite3
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from groundwire.corpus.passages import Piece
from groundwire.corpus.terms import TOKENIZER, index_form

SCHEMA = f"""
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    path BLOB NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL,
    digest BLOB NOT NULL,
    title TEXT NOT NULL,
    url TEXT NOT NULL,
    remarks TEXT NOT NULL
);
CREATE TABLE pieces (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents(id),
    start INTEGER NOT NULL,
    lead INTEGER NOT NULL,
    heading TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX pieces_of_document ON pieces(document, start);
CREATE VIRTUAL TABLE terms USING fts5(context, body, content='', tokenize="{TOKENIZER}");
"""

VERSION = zlib.crc32(f"2 {SCHEMA} {unicodedata.unidata_version}".encode()) & 0x7FFFFFFF
"""Kept in the file's user_version. Raise the number when term form or pieces change."""

BUSY_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells whether a file changed since it was indexed."""

    id: int
    size: int
    modified_ns: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class Candidate:
    """A piece that holds some of the query's terms, with FTS5's score turned so that higher is better."""

    document: int
    title: str
    url: str
    piece: Piece
    score: float


def connect(path: Path | None) -> sqlite3.Connection:
    """A connection to an index file, or to a new index in memory. Callers serialise their use of it."""
    connection = sqlite3.connect(
        ":memory:" if path is None else path,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    if path is None:
        return connection
    try:
        # Readers go on reading while another connection writes.
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA cache_size=-32768")
    except sqlite3.Error:  # not a database, or busy
        connection.close()
        raise
    return connection


def version_of(connection: sqlite3.Connection) -> int:
    """The version of the index in the file: 0 for an empty file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def create_tables(connection: sqlite3.Connection) -> None:
    """The tables of a new index, all or none; another process may have been faster."""
    connection.execute("BEGIN IMMEDIATE")
    if version_of(connection) == 0:
        for statement in SCHEMA.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version={VERSION}")
    connection.execute("COMMIT")


def stamps(connection: sqlite3.Connection) -> dict[bytes, Stamp]:
    """Every indexed file by its path."""
    rows = connection.execute("SELECT path, id, size, modified_ns, digest FROM documents")
    return {path: Stamp(*rest) for path, *rest in rows}


def touch(connection: sqlite3.Connection, path: bytes, size: int, modified_ns: int) -> None:
    """The file was written again with the same content."""
    connection.execute(
        "UPDATE documents SET size = ?, modified_ns = ? WHERE path = ?", (size, modified_ns, path)
    )


def remove(connection: sqlite3.Connection, path: bytes) -> None:
    """Forget a document, if it is there."""
    row = connection.execute("SELECT id, title FROM documents WHERE path = ?", (path,)).fetchone()
    if row is None:
        return
    document, title = row
    old = connection.execute(
        "SELECT id, heading, text FROM pieces WHERE document = ?", (document,)
    ).fetchall()
    connection.executemany(
        "INSERT INTO terms(terms, rowid, context, body) VALUES ('delete', ?, ?, ?)",
        [(row, context_of(title, heading), index_form(text)) for row, heading, text in old],
    )
    connection.execute("DELETE FROM pieces WHERE document = ?", (document,))
    connection.execute("DELETE FROM documents WHERE id = ?", (document,))


def add(
    connection: sqlite3.Connection,
    *,
    path: bytes,
    size: int,
    modified_ns: int,
    digest: bytes,
    title: str,
    url: str,
    remarks: Iterable[str],
    pieces: Iterable[Piece],
) -> None:
    """Index a document, in place of what was indexed under the same path."""
    remove(connection, path)
    document = connection.execute(
        "INSERT INTO documents(path, size, modified_ns, digest, title, url, remarks)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (path, size, modified_ns, digest, title, url, ", ".join(remarks)),
    ).lastrowid
    next_id = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM pieces").fetchone()[0]
    numbered = list(enumerate(pieces, next_id))
    connection.executemany(
        "INSERT INTO pieces(id, document, start, lead, heading, text) VALUES (?, ?, ?, ?, ?, ?)",
        [(row, document, piece.start, piece.lead, piece.heading, piece.text) for row, piece in numbered],
    )
    connection.executemany(
        "INSERT INTO terms(rowid, context, body) VALUES (?, ?, ?)",
        [(row, context_of(title, piece.heading), index_form(piece.text)) for row, piece in numbered],
    )


def context_of(title: str, heading: str) -> str:
    """What a piece is about beyond its own words, as terms."""
    return index_form(title if heading == title else f"{title} {heading}")


def row_count(connection: sqlite3.Connection, expression: str, at_most: int) -> int:
    """How many pieces match, counted no further than `at_most`."""
    counted = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM terms WHERE terms MATCH ? LIMIT ?)", (expression, at_most)
    )
    return int(counted.fetchone()[0])


def ranked(
    connection: sqlite3.Connection, expression: str, *, count: int, scored: int
) -> Iterator[tuple[int, Candidate]]:
    """The `count` best of the first `scored` pieces that match, by piece number, best first."""
    rows = connection.execute(
        "SELECT pieces.id, documents.id, title, url, start, text, heading, lead, found.score FROM"
        " (SELECT number, score FROM"
        "  (SELECT rowid AS number, bm25(terms) AS score FROM terms WHERE terms MATCH ? LIMIT ?)"
        "  ORDER BY score LIMIT ?) AS found"
        " JOIN pieces ON pieces.id = found.number JOIN documents ON documents.id = pieces.document"
        " ORDER BY found.score, pieces.id",
        (expression, scored, count),
    )
    for number, document, title, url, start, text, heading, lead, score in rows:
        yield number, Candidate(document, title, url, Piece(start, text, heading, lead), -score)


def text_of(connection: sqlite3.Connection, document: int) -> str:
    """The text of a document; empty if there is no such document."""
    rows = connection.execute("SELECT text FROM pieces WHERE document = ? ORDER BY start", (document,))
    return "".join(text for (text,) in rows)


def remark_counts(connection: sqlite3.Connection) -> Counter[str]:
    """How many documents carry each remark."""
    counts: Counter[str] = Counter()
    for remarks, documents in connection.execute("SELECT remarks, count(*) FROM documents GROUP BY remarks"):
        counts.update({remark: documents for remark in remarks.split(", ") if remark})
    return counts


def document_count(connection: sqlite3.Connection) -> int:
    """How many documents can be found: those with any text."""
    counted = connection.execute(
        "SELECT count(*) FROM documents WHERE EXISTS (SELECT 1 FROM pieces WHERE document = documents.id)"
    )
    return int(counted.fetchone()[0])
