"""Corpus: a folder of documents, indexed and searched."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import TracebackType
from typing import Self

from groundwire.corpus import storage
from groundwire.corpus.candidates import candidates
from groundwire.corpus.finding import choose
from groundwire.corpus.index_file import (
    built_anew,
    default_cache_dir,
    index_path,
    is_damage,
    opened,
    storage_errors,
)
from groundwire.corpus.passages import Passage
from groundwire.corpus.refresh import IndexReport, Progress, refresh
from groundwire.corpus.terms import query_terms
from groundwire.corpus.turn import turn
from groundwire.corpus.walk import checked_folder
from groundwire.errors import MissingCorpus

BUNDLED_DOCUMENTS = Path(__file__).parent.parent / "emulator" / "documents"

CANDIDATES = 40
"""How many pieces are looked at closely, at least."""


class Corpus:
    """A searchable folder of documents. Safe to use from several threads; close it when done.

    `report` tells what the last refresh found; `index_file` is None for an index in memory.
    """

    def __init__(self, folder: Path, index_file: Path | None, now_ns: Callable[[], int]) -> None:
        self.folder = folder
        self.index_file = index_file
        self.report = IndexReport()
        self._now_ns = now_ns
        self._lock = threading.Lock()
        with storage_errors(index_file):
            self._connection, self._rebuilt = opened(index_file)

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

        Without `cache_dir` the index is kept under `default_cache_dir`. What `progress` raises stops the
        indexing; the next time it goes on from there.
        """
        root = checked_folder(folder)
        path = index_path(root, default_cache_dir(os.environ) if cache_dir is None else cache_dir)
        return cls(root, path, now_ns)._refreshed(progress)

    @classmethod
    def in_memory(cls, folder: str | os.PathLike[str] | None) -> Self:
        """The corpus of a small folder, indexed in memory each time."""
        return cls(checked_folder(folder), None, time.time_ns)._refreshed(None)

    @classmethod
    def bundled(cls) -> Self:
        """The small corpus that groundwire brings along, in memory."""
        return cls.in_memory(BUNDLED_DOCUMENTS)

    def refresh(self, progress: Callable[[Progress], None] | None = None) -> IndexReport:
        """Take in what changed in the folder since the last time."""
        checked_folder(self.folder)
        with self._lock, storage_errors(self.index_file):
            try:
                self.report = self._refresh(progress)
            except sqlite3.DatabaseError as error:
                if self.index_file is None or not is_damage(error):
                    raise
                self._connection.close()
                self._connection, self._rebuilt = built_anew(self.index_file, f"it was damaged ({error})")
                self.report = self._refresh(progress)
        self.report.rebuilt, self._rebuilt = self._rebuilt, None
        if not self.report.documents:
            raise MissingCorpus(
                f"The folder has no documents to search: {self.folder}{_left_out(self.report)}",
                hint="Put Markdown, plain text or HTML files into it, or name another folder.",
            )
        return self.report

    def _refreshed(self, progress: Callable[[Progress], None] | None) -> Self:
        try:
            self.refresh(progress)
        except BaseException:
            self.close()
            raise
        return self

    def _refresh(self, progress: Callable[[Progress], None] | None) -> IndexReport:
        def waiting() -> None:
            if progress is not None:
                progress(Progress(0, 0, self.folder))

        path = self.index_file
        return refresh(
            self._connection,
            self.folder,
            turn=nullcontext if path is None else lambda: turn(path.with_suffix(".lock"), waiting),
            progress=progress,
            now_ns=self._now_ns,
        )

    def find(self, query: str, limit: int = 5) -> list[Passage]:
        """The passages that answer the query best, best first; an empty list when nothing matches."""
        terms = query_terms(query)
        if not terms or limit < 1:
            return []
        with self._lock, storage_errors(self.index_file):
            found = candidates(self._connection, terms, max(CANDIDATES, 4 * limit))
        return choose(terms, found, limit)

    async def find_async(self, query: str, limit: int = 5) -> list[Passage]:
        """`find` in a thread, so that an event loop goes on meanwhile."""
        return await asyncio.to_thread(self.find, query, limit)

    def text_of(self, passage: Passage) -> str:
        """The whole text of the passage's document: `text[passage.start:passage.end] == passage.text`."""
        with self._lock, storage_errors(self.index_file):
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


def _left_out(report: IndexReport) -> str:
    counts = ", ".join(f"{reason}: {count}" for reason, count in sorted(report.left_out.items()))
    return f" (left out: {counts})" if counts else ""
