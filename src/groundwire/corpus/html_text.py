"""HTML to title, address and blocks, in linear time whatever the page looks like.

Not a browser: scripts, styles, navigation and comments are left out, block elements end a line, preformatted
text keeps its lines, character references become characters. An unclosed comment or script swallows the
rest, as in a browser.
"""

from __future__ import annotations

import re
from html import unescape

from groundwire.corpus.document import Block, Document, web_address

_TAG = re.compile(
    # Every repetition is bounded, so that a page of unclosed tags and quotes is read in linear time.
    r"<(?P<comment>!--)|<(?P<closing>/?)(?P<name>[a-zA-Z][a-zA-Z0-9:-]{0,40})"
    r"(?P<attributes>(?:[^<>\"']{1,1000}+|\"[^\"]{0,1000}+\"|'[^']{0,1000}+'){0,200}+)>|<[!?/][^<>]{0,1000}>"
)
_ATTRIBUTE = re.compile(r"([a-zA-Z:-]{1,40})\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_DECLARED_ENCODING = re.compile(
    rb"<meta[^>]{0,400}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE
)

_UNREAD = frozenset({"script", "style", "noscript", "template", "svg", "nav", "iframe", "textarea", "select"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_INLINE = frozenset(
    {
        *(
            "a",
            "abbr",
            "acronym",
            "b",
            "bdi",
            "bdo",
            "big",
            "cite",
            "code",
            "data",
            "del",
            "dfn",
            "em",
            "font",
        ),
        *("i", "img", "ins", "kbd", "label", "mark", "q", "rp", "rt", "ruby", "s", "samp", "small", "span"),
        *("strike", "strong", "sub", "sup", "td", "th", "time", "tt", "u", "var", "wbr"),
    }
)


def declared_encoding(content: bytes) -> str | None:
    """The encoding an HTML page says it has, within its first kilobytes."""
    found = _DECLARED_ENCODING.search(content[:4096])
    return found[1].decode("ascii") if found else None


def parse_html(page: str) -> Document:
    """The document in an HTML page."""
    reading = _Reading(page)
    reading.read()
    first_heading = next((block.text for block in reading.blocks if block.is_heading), None)
    return Document(
        title=reading.title or first_heading, url=web_address(reading.url), blocks=tuple(reading.blocks)
    )


class _Reading:
    """One pass over a page: the blocks so far and the pieces of the line that is still open."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.blocks: list[Block] = []
        self.title: str | None = None
        self.url: str | None = None
        self._pieces: list[str] = []
        self._in_heading = False
        self._in_pre = False

    def read(self) -> None:
        position = 0
        while (tag := _TAG.search(self.page, position)) is not None:
            self._pieces.append(self.page[position : tag.start()])
            position = self._after_comment(tag) if tag["comment"] else self._after_tag(tag)
        self._pieces.append(self.page[position:])
        self._end_block()

    def _after_comment(self, tag: re.Match[str]) -> int:
        end = self.page.find("-->", tag.end())
        return len(self.page) if end < 0 else end + 3

    def _after_tag(self, tag: re.Match[str]) -> int:
        name = (tag["name"] or "").lower()
        if tag["closing"]:
            self._close(name)
            return tag.end()
        if name == "link" or name == "meta":
            self._read_address(tag["attributes"])
        elif name == "title":
            return self._read_title(tag.end())
        elif name in _UNREAD:
            return self._after_element(name, tag.end())
        elif name in _HEADINGS:
            self._end_block()
            self._in_heading = True
        elif name and name not in _INLINE:
            self._end_block()
            self._in_pre = self._in_pre or name == "pre"
        return tag.end()

    def _close(self, name: str) -> None:
        if name in ("td", "th"):
            self._pieces.append(", ")
        elif name not in _INLINE:
            self._end_block()
            self._in_heading = False
            self._in_pre = self._in_pre and name != "pre"

    def _read_title(self, start: int) -> int:
        end = self._after_element("title", start)
        if self.title is None:
            words = _TAG.sub(" ", self.page[start:end])
            self.title = " ".join(unescape(words).split()) or None
        return end

    def _after_element(self, name: str, start: int) -> int:
        """Where the element ends. One that is never closed goes on to the end of the page."""
        closing = re.compile(f"</{name}[^>]{{0,400}}>", re.IGNORECASE).search(self.page, start)
        return len(self.page) if closing is None else closing.end()

    def _read_address(self, attributes: str) -> None:
        values = {key.lower(): unescape(a or b or c) for key, a, b, c in _ATTRIBUTE.findall(attributes)}
        if values.get("rel", "").lower() == "canonical":
            self.url = values.get("href") or self.url
        elif values.get("property", "").lower() == "og:url":
            self.url = self.url or values.get("content")

    def _end_block(self) -> None:
        text = unescape("".join(self._pieces))
        self._pieces = []
        if self._in_pre:
            self.blocks += [Block(line.rstrip()) for line in text.split("\n") if line.strip()]
        elif words := " ".join(text.split()).strip(" ,"):
            self.blocks.append(Block(words, is_heading=self._in_heading))
