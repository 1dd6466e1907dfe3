"""The parts an OpenAI-style cited answer is made of: messages, annotations and their index units.

A phrasing style (see `styles`) writes a `Draft` sentence by sentence; the draft remembers
where each citation marker stands, in code points. An annotation is turned into the unit a style asks
for only when it goes on the wire, so the same answer can be told in code points, UTF-16 units or bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any
from urllib.parse import urlsplit

from groundwire.emulator.composing import Passage

CLAIM_LIMIT = 280
"""A quoted claim stops at the last sentence that ends before this many characters."""

_FENCE = re.compile(r"```.*?```", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
_LINE_MARK = re.compile(r"^\s*(?:#{1,6}|[-*+>]|\d+\.)\s+", re.MULTILINE)
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|$)|[。！？]|$)", re.DOTALL)


class Unit(Enum):
    """What `start_index` and `end_index` count."""

    CODE_POINTS = "code points"
    UTF16 = "UTF-16 code units"
    UTF8 = "UTF-8 bytes"


@dataclass(frozen=True)
class Annotation:
    """One `url_citation`: which page, and which code points of the text its marker covers."""

    url: str
    title: str | None = None
    start: int = 0
    end: int = 0
    unit: Unit = Unit.CODE_POINTS
    content: str | None = None
    source_id: str | None = None

    def to_wire(self, text: str) -> dict[str, Any]:
        """The annotation as the Responses API prints it: flat, indices in this annotation's unit."""
        wire: dict[str, Any] = {
            "type": "url_citation",
            "end_index": _measure(text, self.end, self.unit),
            "start_index": _measure(text, self.start, self.unit),
        }
        if self.title is not None:
            wire["title"] = self.title
        wire["url"] = self.url
        if self.content is not None:
            wire["content"] = self.content
        if self.source_id is not None:
            wire["source_id"] = self.source_id
        return wire


@dataclass(frozen=True)
class OutputMessage:
    """One assistant message of an answer."""

    text: str
    annotations: tuple[Annotation, ...] = ()
    phase: str | None = None


@dataclass(frozen=True)
class CitedAnswer:
    """What the emulated model says after a search: its messages and the pages it consulted."""

    messages: tuple[OutputMessage, ...]
    consulted: tuple[str, ...] = ()
    searched: bool = True
    api_source: str | None = None
    delta_size: int = 24
    """How many code points one streamed delta carries; 1 or 2 splits every marker."""

    @property
    def text(self) -> str:
        """All messages, one after the other."""
        return "".join(message.text for message in self.messages)


@dataclass
class Draft:
    """A message being written; knows where it has put its markers."""

    text: str = ""
    annotations: list[Annotation] = field(default_factory=list)

    def write(self, words: str) -> None:
        """Append words that cite nothing."""
        self.text += words

    def cite(self, marker: str, url: str, title: str | None, unit: Unit = Unit.CODE_POINTS) -> None:
        """Append a marker and annotate exactly the characters it takes."""
        start = len(self.text)
        self.text += marker
        self.annotations.append(Annotation(url, title, start, len(self.text), unit))

    def message(self, phase: str | None = None) -> OutputMessage:
        """The finished message."""
        return OutputMessage(self.text, tuple(self.annotations), phase)


def claim(passage: Passage) -> str:
    """The first sentences of a passage as plain prose: no markup, no links, no code."""
    plain = _LINE_MARK.sub("", _LINK.sub(r"\1", _FENCE.sub(" ", passage.text))).replace("`", "")
    flat = " ".join(plain.split())
    said = ""
    for sentence in _SENTENCE.findall(flat):
        if said and len(said) + len(sentence) > CLAIM_LIMIT:
            break
        said += sentence
    return said.strip() or passage.title


def shortened(answer: CitedAnswer) -> CitedAnswer:
    """The answer cut off in the middle of its last message, with the annotations that still fit."""
    *whole, last = answer.messages
    text = last.text[: len(last.text) * 2 // 3]
    kept = tuple(annotation for annotation in last.annotations if annotation.end <= len(text))
    return replace(answer, messages=(*whole, replace(last, text=text, annotations=kept)))


def listed_result(passage: Passage) -> Annotation:
    """A search result as an annotation: no position, and the highlights of the page as its content."""
    highlights = "\n...\n".join(part for part in passage.text.split("\n\n")[:3] if part.strip())
    return Annotation(passage.url, passage.title, content=highlights)


def domain(url: str) -> str:
    """The host as models name it: without `www.`."""
    return (urlsplit(url).hostname or url).removeprefix("www.")


def tracked(url: str) -> str:
    """The URL with the tracking parameter OpenAI adds to every cited link."""
    base, hash_sign, fragment = url.partition("#")
    joint = "&" if "?" in base else "?"
    return f"{base}{joint}utm_source=openai{hash_sign}{fragment}"


def _measure(text: str, index: int, unit: Unit) -> int:
    """A code-point index of `text` counted in another unit."""
    if unit is Unit.UTF16:
        return len(text[:index].encode("utf-16-le")) // 2
    if unit is Unit.UTF8:
        return len(text[:index].encode("utf-8"))
    return index
