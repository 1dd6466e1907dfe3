"""A web page as text to read: headings, lists, tables, code and links in Markdown, everything else left out.

What is not the page's own content (scripts, navigation, footers, hidden elements) is skipped; where the
page says which part is its main one, only that is given. The tree comes from an HTML5 parser (selectolax),
because a page may be broken, or written to be slow to read.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import urljoin

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_EMBEDDED = {"script", "style", "template", "svg", "math", "iframe", "object", "canvas", "audio", "video"}
_NEVER = _EMBEDDED | {"head", "noscript", "button", "select", "input", "textarea", "dialog"}
_ASIDE = {"nav", "footer", "aside"}
_TEXT_BLOCKS = {"p", "ul", "ol", "dl", "table", "blockquote", "figure", "address", "details", "summary", "hr"}
_BLOCKS = _TEXT_BLOCKS | _ASIDE | {"div", "section", "article", "main", "header", "fieldset", "form", "body"}
_LINES = {"tr", "dt", "dd", "caption", "figcaption", "option", "legend"}
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
_LEAST_MAIN = 200
"""Characters from which a main part is believed to be the page's content."""
_MOST_HTML = 2_000_000
"""Characters of a page that are looked at."""
_DEEPEST = 1000
"""Elements inside each other; the parser's time grows with the square of it."""
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_MARKUP = re.compile(r"<(?:script|style)\b[^<]*(?:<(?!/(?:script|style)\b)[^<]*)*|<[^<>]*>", re.IGNORECASE)
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_UNCLOSED = _VOID | {
    "p",
    "li",
    "td",
    "th",
    "tr",
    "dt",
    "dd",
    "option",
    "tbody",
    "thead",
    "body",
    "html",
    "head",
}
"""Elements that end without a tag, or never hold another."""


def decoded(body: bytes, charset: str = "") -> str:
    """The text of a body: by its byte order mark, the server's word, the page's word, or as UTF-8."""
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if body.startswith(mark):
            return body.decode(name, "replace")
    said = _META_CHARSET.search(body[:4096])
    for name in (charset, said[1].decode("ascii") if said else ""):
        with suppress(LookupError, UnicodeError):  # no such charset, or none of text
            return body.decode(name, "replace")
    return body.decode("utf-8", "replace")


def readable(html: str, address: str) -> str:
    """The page as Markdown; `address` completes its links."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415  (lazy: only who opens a page needs it)

    html = html[:_MOST_HTML]
    if _is_too_deep(html):
        return _SPACES.sub(" ", unescape(_MARKUP.sub(" ", html))).strip()
    tree = LexborHTMLParser(html)
    if tree.body is None:
        return ""
    title = tree.css_first("head title")
    heading = _SPACES.sub(" ", title.text()).strip() if title is not None else ""
    text = _content(tree.body, address, tree.css_first("main, [role=main], article"))
    if not heading or heading in text[:500]:
        return text
    return f"# {heading}\n\n{text}".rstrip()


def _is_too_deep(html: str) -> bool:
    """Whether more elements may be open at once than the parser should be given. Counted by name: a closing
    tag closes nothing but its own kind."""
    still_open: Counter[str] = Counter()
    depth = 0
    for closing, name in _TAG.findall(html):
        tag = name.lower()
        if tag in _UNCLOSED:
            continue
        if not closing:
            still_open[tag] += 1
            depth += 1
            if depth > _DEEPEST:
                return True
        elif still_open[tag]:
            still_open[tag] -= 1
            depth -= 1
    return False


def _content(body: LexborNode, address: str, main: LexborNode | None) -> str:
    if main is not None:
        text = _Writer(address, _NEVER | _ASIDE).written(main)
        if len(text) >= _LEAST_MAIN:
            return text
    text = _Writer(address, _NEVER | _ASIDE).written(body)
    return text if len(text) >= _LEAST_MAIN else _Writer(address, _NEVER).written(body)


class _Writer:
    """Goes over a tree once and writes its text."""

    def __init__(self, address: str, skipped: set[str]) -> None:
        self._address = address
        self._skipped = skipped
        self._pieces: list[str] = []
        self._at_line_start = True
        self._at_item_start = False
        self._lists: list[int | None] = []
        """For each open list the number of its next item; None when it has no numbers."""
        self._in_code = 0
        self._links: list[int] = []

    def written(self, root: LexborNode) -> str:
        for node, opening in _walk(root, self._skipped):
            if node.tag == "-text":
                self._say(node.text_content or "")
            elif opening:
                self._open(node, str(node.tag))
            else:
                self._close(node, str(node.tag))
        lines = "".join(self._pieces).split("\n")
        text = "\n".join(line.rstrip() for line in lines)
        return re.sub(r"\n{3,}", "\n\n", text).strip()

    def _open(self, node: LexborNode, tag: str) -> None:
        if tag in _HEADINGS:
            self._break(2)
            self._put(_HEADINGS[tag])
        elif tag == "pre":
            self._break(2)
            self._put("```\n")
            self._in_code += 1
        elif tag in ("ul", "ol"):
            self._break(1 if self._lists else 2)
            self._lists.append(1 if tag == "ol" else None)
        elif tag == "li":
            self._item()
        elif tag in ("td", "th"):
            if not self._at_line_start:
                self._put(" | ")
        elif tag == "br":
            self._put("\n")
        elif tag == "img":
            alternative = _SPACES.sub(" ", node.attributes.get("alt") or "").strip()
            self._say(f"({alternative})" if alternative else "")
        elif tag == "a":
            self._links.append(len(self._pieces))
        elif tag in _BLOCKS or tag in _LINES:
            self._break(2 if tag in _BLOCKS and not self._lists else 1)

    def _close(self, node: LexborNode, tag: str) -> None:
        if tag == "pre":
            self._in_code -= 1
            self._break(1)
            self._put("```")
            self._break(2)
        elif tag in ("ul", "ol"):
            self._lists.pop()
            self._break(1 if self._lists else 2)
        elif tag == "a":
            self._link(self._links.pop(), node.attributes.get("href") or "")
        elif tag in _HEADINGS or (tag in _BLOCKS and not self._lists):
            self._break(2)
        elif tag in _LINES or tag in _BLOCKS or tag == "li":
            self._break(1)

    def _item(self) -> None:
        self._break(1)
        depth = max(0, len(self._lists) - 1)
        number = self._lists[-1] if self._lists else None
        self._put("  " * depth + ("- " if number is None else f"{number}. "))
        if number is not None:
            self._lists[-1] = number + 1
        self._at_line_start = self._at_item_start = True

    def _link(self, start: int, target: str) -> None:
        """What was written since `start` becomes a link, when it leads to another page."""
        words = "".join(self._pieces[start:])
        inner = words.strip()
        try:
            goal = urljoin(self._address, target.strip())
        except ValueError:
            return
        if not inner or "\n" in inner or self._in_code or not target or target.startswith("#"):
            return
        if goal.startswith(("http://", "https://")) and not any(letter in goal for letter in " ()<>\n"):
            before, after = words[: len(words) - len(words.lstrip())], words[len(words.rstrip()) :]
            self._pieces[start:] = [f"{before}[{inner}]({goal}){after}"]

    def _say(self, words: str) -> None:
        if self._in_code:
            self._put(words)
            return
        words = _SPACES.sub(" ", words)
        if self._at_line_start or (self._pieces and self._pieces[-1].endswith((" ", "\n"))):
            words = words.lstrip()
        if words:
            self._put(words)

    def _put(self, words: str) -> None:
        if words:
            self._pieces.append(words)
            self._at_line_start = words.endswith("\n")
            self._at_item_start = False

    def _break(self, lines: int) -> None:
        """End the line; with 2, leave an empty one. The first block of an item stays beside its mark."""
        if self._at_item_start:
            return
        if self._pieces:
            ended = self._pieces[-1].endswith("\n")
            self._put("\n" * (lines - (1 if ended else 0)) or "")
        self._at_line_start = True


def _walk(root: LexborNode, skipped: set[str]) -> Iterator[tuple[LexborNode, bool]]:
    """Each node when it opens, each element also when it closes. Without recursion: a page can be deep."""
    node = root
    above: list[LexborNode] = []
    while True:
        if node.tag == "-text":
            yield node, True
        elif not _is_skipped(node, skipped):
            yield node, True
            below = node.child
            if below is not None:
                above.append(node)
                node = below
                continue
            yield node, False
        while above and node.next is None:
            node = above.pop()
            yield node, False
        beside = node.next
        if not above or beside is None:
            return
        node = beside


def _is_skipped(node: LexborNode, skipped: set[str]) -> bool:
    if node.tag in skipped or not node.is_element_node:
        return True
    attributes = node.attributes
    if not attributes:
        return False
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or _HIDDEN_STYLE.search(attributes.get("style") or "") is not None
    )
