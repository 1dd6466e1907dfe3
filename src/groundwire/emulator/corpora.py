"""The documents that searches run over: a folder, anything with `find`, or the bundled ones.

Documents do not change while an emulator runs, so the latest searches are answered from memory.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from groundwire.emulator.composing import Documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.corpus import Corpus, Passage


REMEMBERED = 512
"""How many different searches are kept in memory."""


class FolderDocuments:
    """A folder of documents, indexed when first searched (or when `open` is called)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._corpus: Corpus | None = None
        self._remembered = lru_cache(REMEMBERED)(self._search)

    def open(self) -> Corpus:
        """Index the folder now; the index is kept for the next time."""
        from groundwire.corpus import Corpus  # noqa: PLC0415  (sqlite3 loads only for searching)

        if self._corpus is None:
            self._corpus = Corpus.open(self._folder)
        return self._corpus

    def find(self, query: str, limit: int) -> Sequence[Passage]:
        """The passages that answer the query best."""
        return self._remembered(query, limit)

    def _search(self, query: str, limit: int) -> tuple[Passage, ...]:
        return tuple(self.open().find(query, limit))

    def close(self) -> None:
        """Let go of the index."""
        if self._corpus is not None:
            self._corpus.close()
            self._corpus = None


class BundledDocuments:
    """The documents that come along, indexed in memory once per process, when first searched."""

    def find(self, query: str, limit: int) -> Sequence[Passage]:
        """The passages that answer the query best."""
        return _search_bundled(query, limit)


@lru_cache(REMEMBERED)
def _search_bundled(query: str, limit: int) -> tuple[Passage, ...]:
    return tuple(_bundled().find(query, limit))


@cache
def _bundled() -> Corpus:
    from groundwire.corpus import Corpus  # noqa: PLC0415  (sqlite3 loads only for searching)

    return Corpus.bundled()


def documents_from(corpus: Documents | Path | str | None) -> Documents:
    """The documents to search."""
    if corpus is None:
        return BundledDocuments()
    return FolderDocuments(Path(corpus)) if isinstance(corpus, str | Path) else corpus
