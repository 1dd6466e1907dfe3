"""Passages: a document cut into pieces to index, and a piece cut into sentences to quote.

The pieces of a document follow each other without gaps: joined, they are its text. Each begins at a heading
if one is near, and knows how long that heading is, so that a quotation can start after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from groundwire.corpus.document import Block

PIECE_CHARACTERS = 700
"""A piece grows by whole blocks or sentences up to about this length."""

HEADING_CHARACTERS = 200
"""A longer heading is a page that marks up everything as one."""

SENTENCE_CHARACTERS = 400
"""A run of text without an end of sentence is cut after this many characters."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A quotation that answers a query: one or a few whole sentences of a document.

    `start` and `end` are character positions in the document's text (`Corpus.text_of(passage)`);
    `document` is its number in this index. `url` is the address the document gives itself,
    else the file's own `file://` address. A higher `score` is a better match; scores of different queries
    are not comparable.
    """

    text: str
    start: int
    end: int
    title: str
    url: str
    document: int
    score: float


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a document's text that is one row of the index."""

    start: int
    text: str
    heading: str
    lead: int
    """How many characters at the beginning are headings."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its position in the text it was cut from."""

    start: int
    end: int


_SENTENCE_END = re.compile(
    # Western marks need a space and no small letter after them, and before them a word that is not a single
    # letter or an abbreviation; East Asian and Indic marks stand for themselves; a line end always counts.
    # Repetitions give nothing back, and a run of marks is tried only from its beginning: linear time.
    r"(?<![.!?…])(?<!\b[A-Za-z])(?<!\b(?:Dr|Mr|Ms|St|vs|No))(?<!\b(?:Mrs|e\.g|i\.e))"
    r"[.!?…]++[\"'”’)\]]*+\s++(?=[^a-z])"
    r"|[。！？｡।॥؟]++[」』”’）】]*+\s*+|\n++"
)


def sentences(text: str, begin: int = 0) -> Iterator[Sentence]:
    """The sentences of a text from `begin` on, without the space around them."""
    start = begin
    for end in _sentence_ends(text, begin):
        stretch = text[start:end]
        words = stretch.strip()
        if words:
            at = start + len(stretch) - len(stretch.lstrip())
            yield Sentence(at, at + len(words))
        start = end


def _sentence_ends(text: str, begin: int) -> Iterator[int]:
    start = begin
    for found in _SENTENCE_END.finditer(text, begin):
        yield from _forced_ends(text, start, found.end())
        yield found.end()
        start = found.end()
    if start < len(text):
        yield from _forced_ends(text, start, len(text))
        yield len(text)


def _forced_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Cuts inside a run of text that is too long for a sentence, at a space if there is one."""
    while end - start > SENTENCE_CHARACTERS * 3 // 2:
        cut = text.rfind(" ", start + SENTENCE_CHARACTERS // 2, start + SENTENCE_CHARACTERS) + 1
        start = cut or start + SENTENCE_CHARACTERS
        yield start


def pieces(blocks: Iterable[Block]) -> Iterator[Piece]:
    """The pieces of a document, in order and without gaps."""
    start = 0
    gathered: list[str] = []
    length = 0
    lead = 0
    heading = ""
    for block in blocks:
        is_heading = block.is_heading and len(block.text) <= HEADING_CHARACTERS
        ends_here = is_heading or length + len(block.text) > PIECE_CHARACTERS
        if ends_here and (length > lead or length > PIECE_CHARACTERS):
            yield Piece(start, "".join(gathered), heading, lead)
            start += length
            gathered, length, lead = [], 0, 0
        line = f"{block.text}\n"
        gathered.append(line)
        length += len(line)
        if is_heading:
            heading = block.text
            lead = length
        elif length > PIECE_CHARACTERS * 3 // 2:
            *whole, rest = _cut("".join(gathered), lead)
            for text in whole:
                yield Piece(start, text, heading, lead)
                start += len(text)
                lead = 0
            gathered, length = [rest], len(rest)
    if gathered:
        yield Piece(start, "".join(gathered), heading, lead)


def _cut(text: str, lead: int) -> Iterator[str]:
    """A long text in stretches of about a piece's length, cut between sentences."""
    start = 0
    for end in _sentence_ends(text, lead):
        if end - start >= PIECE_CHARACTERS and end < len(text):
            yield text[start:end]
            start = end
    yield text[start:]
