"""The content of a file to a Document, by the ending of its name. Nothing here touches the disk.

Markdown and plain text may begin with front matter, of which we read two keys:

    ---
    title: Weather in Beijing
    url: https://weather.example.org/beijing
    ---

HTML has `<title>` and `<link rel="canonical">` for the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from groundwire.corpus.decoding import decode
from groundwire.corpus.document import Document, web_address
from groundwire.corpus.html_text import declared_encoding, parse_html
from groundwire.corpus.markup import markdown_blocks, plain_blocks, split_front_matter

MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mdx"})
HTML = frozenset({".html", ".htm", ".xhtml"})
PLAIN = frozenset({"", ".txt", ".text", ".rst", ".org", ".adoc", ".asciidoc"})
SUFFIXES = MARKDOWN | HTML | PLAIN
"""File name endings we read; a file without any is read as plain text."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A document, and whether its encoding had to be guessed."""

    document: Document
    is_encoding_guessed: bool


def read_content(content: bytes, suffix: str, *, is_cut: bool = False) -> Reading:
    """The document in a file's bytes; `suffix` is the ending of the file's name in lower case."""
    if suffix in HTML:
        decoded = decode(content, declared=declared_encoding(content), is_cut=is_cut)
        return Reading(parse_html(decoded.text), decoded.is_guess)
    decoded = decode(content, is_cut=is_cut)
    front_matter, body = split_front_matter(decoded.text)
    blocks = tuple(markdown_blocks(body) if suffix in MARKDOWN else plain_blocks(body))
    first_heading = next((block.text for block in blocks if block.is_heading), None)
    document = Document(
        title=front_matter.get("title") or first_heading,
        url=web_address(front_matter.get("url")),
        blocks=blocks,
    )
    return Reading(document, decoded.is_guess)
