"""What a document is: a title, an address, and blocks of plain text.

A block is a heading, a paragraph, a list item, a table row or a line of code. The document's text is its
blocks, one a line, so the end of a line is always the end of a sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple


class Block(NamedTuple):
    """One line of a document's text."""

    text: str
    is_heading: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """What is known of a document; title and url are None when it does not say."""

    title: str | None
    url: str | None
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        """The blocks, one a line, each with its line end."""
        return "".join(f"{block.text}\n" for block in self.blocks)


def web_address(url: str | None) -> str | None:
    """The address if it is one of the web; anything else is not a link we would show."""
    return url if url and re.match(r"https?://[^\s<>\"]+\Z", url) else None
