"""A folder of documents, searchable: Markdown, plain text and HTML in any language, with SQLite FTS5.

    >>> from groundwire.corpus import Corpus
    >>> with Corpus.bundled() as corpus:
    ...     passage = corpus.find("How warm is it in Beijing in July?", limit=1)[0]
    ...     passage.title
    ...     passage.url
    ...     corpus.text_of(passage)[passage.start : passage.end] == passage.text
    'Weather in Beijing'
    'https://weather.example.org/beijing'
    True

`Corpus.open(folder)` does the same for a person's own folder and keeps its index in a cache folder.

    walk ─► reading ─► passages ─► storage        refresh: folder to index
    query ─► terms ─► storage ─► finding          find: query to passages
"""

from __future__ import annotations

from groundwire.corpus.corpus import Corpus
from groundwire.corpus.index_file import default_cache_dir
from groundwire.corpus.passages import Passage
from groundwire.corpus.refresh import IndexReport, Progress

__all__ = ["Corpus", "IndexReport", "Passage", "Progress", "default_cache_dir"]
