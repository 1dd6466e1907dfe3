"""Markdown and plain text to blocks.

Lines that an editor wrapped are joined again; marks of emphasis, links and lists are removed, so a block is
what a reader would read aloud. Both kinds of file may begin with front matter, a few `key: value` lines
between two lines of three hyphens.
"""

from __future__ import annotations

import re
from itertools import pairwise

from groundwire.corpus.document import Block

_FRONT_MATTER = re.compile(
    r"\A---[ \t]*\n(.{0,8192}?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_FRONT_MATTER_LINE = re.compile(r"^([A-Za-z_-]+):(.*)$", re.MULTILINE)


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """The `key: value` lines before the text, and the text; quotes around a value are removed."""
    found = _FRONT_MATTER.match(text)
    if found is None:
        return {}, text
    values = {key.lower(): _unquoted(value.strip()) for key, value in _FRONT_MATTER_LINE.findall(found[1])}
    # Between two rules without any such line stands ordinary text.
    return (values, text[found.end() :]) if values else ({}, text)


def _unquoted(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value


_FENCE = re.compile(r"[ ]{0,3}(```+|~~~+)")
_HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+")
_CLOSING_HASHES = re.compile(r"(?<![^ \t])#++\Z")
_UNDERLINE = re.compile(r"[ ]{0,3}(?:={3,}|-{3,})[ \t]*\Z")
_RULE = re.compile(r"[ ]{0,3}(?:[-*_][ \t]*+){3,}+\Z|[ \t|:-]+\Z")
_ITEM = re.compile(r"[ \t]*(?:[-*+•·]|\d{1,3}[.)、])[ \t]+")
_QUOTE = re.compile(r"[ ]{0,3}(?:>[ ]?)+")

_INLINE = re.compile(
    # Each alternative begins with its own character: the regular expression engine then skips to those.
    r"\[(?P<link>[^\[\]\n]{0,400})\](?:\((?:[^()\s]|\([^()\s]*\)){0,2000}(?:[ \t]+\"[^\"\n]{0,400}\")?\)"
    r"|\[[^\[\]\n]{0,200}\])"
    r"|<(?P<address>https?://[^\s<>]{1,2000})>"
    r"|`(?P<code>[^`\n]{1,400})`|``(?P<ticked>[^\n]{1,400}?)``"
    r"|\*(?<![\w*]\*)(?=\S)(?P<emphasis>[^*\n]{1,800})(?<=\S)\*(?![\w*])"
    r"|\*\*(?=\S)(?P<bold>[^*\n]{1,800})(?<=\S)\*\*"
    r"|\*\*\*(?=\S)(?P<both>[^*\n]{1,800})(?<=\S)\*\*\*"
    r"|_(?<![\w_]_)(?=\S)(?P<underscored>[^_\n]{1,800})(?<=\S)_(?![\w_])"
    r"|__(?<![\w_]__)(?=\S)(?P<underlined>[^_\n]{1,800})(?<=\S)__(?![\w_])"
)


def without_inline_marks(text: str) -> str:
    """Markdown without emphasis, code ticks and link targets: the words a reader sees."""
    if "![" in text:
        text = text.replace("![", "[")
    return _INLINE.sub(lambda found: found[found.lastgroup or 0], text)


def markdown_blocks(text: str) -> list[Block]:
    """The blocks of a Markdown text."""
    gathering = _Gathering()
    fence: str | None = None
    for line in text.split("\n"):
        opening = _FENCE.match(line)
        if fence is not None:
            if opening and line.strip().startswith(fence) and not line.strip(" `~"):
                fence = None
            else:
                gathering.add_line(line.rstrip())
        elif opening:
            gathering.end_paragraph()
            fence = opening[1]
        else:
            _add_markdown_line(gathering, line)
    gathering.end_paragraph()
    return gathering.blocks


def _add_markdown_line(gathering: _Gathering, line: str) -> None:
    stripped = line.strip()
    if not stripped:
        gathering.end_paragraph()
    elif stripped[0] == "#" and (heading := _HEADING.match(line)):
        words = _CLOSING_HASHES.sub("", line[heading.end() :].strip())
        gathering.add_heading(without_inline_marks(words).strip())
    elif stripped[0] in "=-" and _UNDERLINE.match(line) and gathering.lines:
        gathering.turn_into_heading()
    elif stripped[0] in "-*_|:" and _RULE.match(line):
        gathering.end_paragraph()
    elif stripped[0] == "|":
        cells = [cell.strip() for cell in without_inline_marks(stripped).strip("|").split("|")]
        gathering.add_line(", ".join(cell for cell in cells if cell))
    else:
        stripped = _QUOTE.sub("", line).strip() if stripped[0] == ">" else stripped
        gathering.add(stripped, has_inline_marks=True)


def plain_blocks(text: str) -> list[Block]:
    """The blocks of a plain text; a short first line that stands alone is its heading."""
    gathering = _Gathering()
    for line in text.split("\n"):
        stripped = line.strip()
        if not stripped:
            gathering.end_paragraph()
        elif _UNDERLINE.match(line) and gathering.lines:
            gathering.turn_into_heading()
        elif not any(map(str.isalnum, stripped[:200])) and stripped.isascii():
            gathering.end_paragraph()
        else:
            gathering.add(stripped)
    gathering.end_paragraph()
    blocks = gathering.blocks
    if len(blocks) > 1 and not blocks[0].is_heading and _reads_like_a_title(blocks[0].text):
        blocks[0] = blocks[0]._replace(is_heading=True)
    return blocks


def _reads_like_a_title(line: str) -> bool:
    return len(line) <= 80 and line[-1] not in ".!?…。！？:：,，;；"


class _Gathering:
    """Blocks so far, and the wrapped lines of the paragraph that is still open."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.lines: list[str] = []
        self._has_inline_marks = False

    def add(self, line: str, *, has_inline_marks: bool = False) -> None:
        """A line of a paragraph or of a list item; it continues the open one if that was wrapped."""
        item = _ITEM.match(line)
        if item or (self.lines and not _looks_wrapped(self.lines[-1])):
            self.end_paragraph()
        self.lines.append(line[item.end() :] if item else line)
        self._has_inline_marks = has_inline_marks

    def add_heading(self, text: str) -> None:
        self.end_paragraph()
        if text:
            self.blocks.append(Block(text, is_heading=True))

    def add_line(self, text: str) -> None:
        """A line that stands for itself: code, a table row."""
        self.end_paragraph()
        if text.strip():
            self.blocks.append(Block(text))

    def turn_into_heading(self) -> None:
        """The open paragraph was underlined."""
        self.end_paragraph()
        if self.blocks:
            self.blocks[-1] = self.blocks[-1]._replace(is_heading=True)

    def end_paragraph(self) -> None:
        if not self.lines:
            return
        text = self.lines[0] if len(self.lines) == 1 else join_wrapped(self.lines)
        self.lines = []
        text = without_inline_marks(text) if self._has_inline_marks else text
        if text:
            self.blocks.append(Block(text))


_WRAPPING_COLUMN = 40
"""A line shorter than this (in columns, wide characters count two) ends where its author ended it."""


def _looks_wrapped(line: str) -> bool:
    start = line[:_WRAPPING_COLUMN]
    columns = len(start) + sum(character > "\u2e80" for character in start)
    return columns >= _WRAPPING_COLUMN


def join_wrapped(lines: list[str]) -> str:
    """Wrapped lines as one; a space where the script uses spaces."""
    if all(map(str.isascii, lines)):
        return " ".join(lines)
    joined = [lines[0]]
    for before, line in pairwise(lines):
        joined.append(line if before[-1:] > "\u2e80" and line[:1] > "\u2e80" else f" {line}")
    return "".join(joined)
