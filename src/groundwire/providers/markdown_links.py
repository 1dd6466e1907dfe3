"""Markdown links in a text, with balanced parentheses, outside code; and where the code is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from groundwire.providers.page_address import cleaned, host, is_page
from groundwire.providers.spans import Spans

_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[^\n]*$", re.MULTILINE)
_TICKS = re.compile(r"`+")
_OPENING = re.compile(r"\]\(\s*<?(?=https?://)", re.IGNORECASE)
_TITLE = re.compile(r"""\s+(?:"[^"\n]*"|'[^'\n]*')""")
_SITE = re.compile(r"(?:www\.)?(?:[\w-]+\.)+[a-z]{2,}(?:/\S*)?", re.IGNORECASE)
_NUMBER = re.compile(r"\[?\^?\d{1,3}\]?")
_MAX_LABEL = 500
_MAX_URL = 4000


@dataclass(frozen=True, slots=True)
class Link:
    """One markdown link: its span in the text, its label and the address it leads to."""

    start: int
    end: int
    label: str
    url: str

    @property
    def is_site_label(self) -> bool:
        """Whether the label only names where the link leads, so that it says nothing once it is a number."""
        label = self.label.strip().strip("*_`")
        return (
            not label
            or bool(_NUMBER.fullmatch(label))
            or is_page(label)
            or bool(_SITE.fullmatch(label))
            or label.lower() in (host(self.url), "source", "link", cleaned(self.url).lower())
        )


def code_spans(text: str) -> Spans:
    """Where fenced blocks and inline code are."""
    spans: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for fence in _FENCE.finditer(text):
        mark = fence.group(1)
        if opened is None:
            opened = (fence.start(), mark)
        elif mark[0] == opened[1][0] and len(mark) >= len(opened[1]) and fence.group().strip() == mark:
            spans.append((opened[0], fence.end()))
            opened = None
    if opened is not None:
        spans.append((opened[0], len(text)))
    return Spans(spans + _inline_code(text, Spans(spans)))


def _inline_code(text: str, fenced: Spans) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    open_at: dict[int, int] = {}
    paragraph = 0
    for ticks in _TICKS.finditer(text):
        if fenced.contain(ticks.start()):
            continue
        if "\n\n" in text[paragraph : ticks.start()]:  # inline code does not reach over a blank line
            open_at.clear()
        paragraph = ticks.start()
        length = ticks.end() - ticks.start()
        if length in open_at:
            spans.append((open_at[length], ticks.end()))
            open_at.clear()
        else:
            open_at[length] = ticks.start()
    return spans


def find_links(text: str, code: Spans) -> list[Link]:
    """Every http(s) link outside code that is not an image, in order."""
    links: list[Link] = []
    for opening in _OPENING.finditer(text):
        if code.contain(opening.start()):
            continue
        floor = links[-1].end if links else 0
        start = _label_start(text, opening.start(), floor)
        end = _url_end(text, opening.end())
        if start is None or end is None:
            continue
        url = text[opening.end() : end.url]
        if start > 0 and text[start - 1] == "!":
            continue
        links.append(Link(start, end.link, text[start + 1 : opening.start()], url))
    return links


def _label_start(text: str, closing: int, floor: int) -> int | None:
    """The `[` that belongs to the `]` at `closing`, no further back than `floor`."""
    depth = 0
    for place in range(closing, max(floor, closing - _MAX_LABEL) - 1, -1):
        if text[place] == "]":
            depth += 1
        elif text[place] == "[":
            depth -= 1
            if depth == 0:
                return place
    return None


@dataclass(frozen=True, slots=True)
class _End:
    url: int
    link: int


def _url_end(text: str, start: int) -> _End | None:
    """Where the address that starts at `start` ends, and where its link ends."""
    depth = 0
    for place in range(start, min(len(text), start + _MAX_URL)):
        character = text[place]
        if character == "(":
            depth += 1
        elif character == ")":
            if depth == 0:
                return _End(place, place + 1)
            depth -= 1
        elif character == ">" and depth == 0 and text[place + 1 : place + 2] == ")":
            return _End(place, place + 2)
        elif character.isspace():
            title = _TITLE.match(text, place)
            after = title.end() if title else place
            while after < len(text) and text[after] in " \t\n":
                after += 1
            return _End(place, after + 1) if text[after : after + 1] == ")" else None
    return None
