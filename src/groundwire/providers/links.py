"""Answers whose citations are written into the text: markdown links, raw markers, annotations.

OpenAI's and OpenRouter's models cite by writing links (`([site](address))`) or private markers into
the answer and describe them in annotations whose indices cannot be relied on. `grounded` turns such
parts into one GroundedAnswer: the text without any of it, and Citations where it stood. Links and
markers decide; an annotation's indices are only a hint for what no link covers.

The order of work, for each part of the text:

    1. find what must not be touched: code
    2. find citing things: links and groups of links, raw markers, `[n]` of a source list the model wrote
    3. place the annotations that none of these covers
    4. write the text anew without them, remembering where each one stood
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from groundwire.citations import CharOffset, Citation, GroundedAnswer, Source
from groundwire.providers.annotations import Annotation, Span, candidate_spans
from groundwire.providers.markdown_links import Link, code_spans, find_links
from groundwire.providers.page_address import cleaned, host, is_page, same_page_key
from groundwire.providers.raw_markers import Marker, find_markers
from groundwire.providers.source_list import SourceList, split_source_list
from groundwire.providers.spans import Spans

UNTIED = "(The provider did not say which statement each of these sources supports.)"

_GROUP_SEPARATOR = re.compile(r"[\s,;]*(?:and)?[\s,;]*")
_OWN_NUMBER = re.compile(r"(?:\[([^\[\]\n]{1,200})\])??\[(\d{1,3})\](?![(:])")
_STATEMENT_ENDS = tuple(".!?。！？…)\"'”»」")
_BULLETS = " \t-*+•>#0123456789.)"
_SPACES = " \t\u00a0\u202f\u2009"


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of an answer with the annotations that belong to it."""

    text: str
    annotations: tuple[Annotation, ...] = ()


@dataclass(slots=True)
class Cut:
    """A span of text that goes away, what stays in its place, and the pages it cited."""

    start: int
    end: int
    kept: str = ""
    urls: list[str] = field(default_factory=list)


def grounded(parts: Sequence[TextPart], consulted: Iterable[str] = (), raw: Any = None) -> GroundedAnswer:
    """One answer out of text parts: clean text, citations by first appearance, sources joined by page."""
    pages = Pages()
    for part in parts:
        for annotation in part.annotations:
            pages.meet(annotation.url, annotation.title)
    pages.declare_titles()
    texts: list[str] = []
    citations: list[Citation] = []
    length = 0
    for part in parts:
        text, cited = _without_cuts(part.text, _cuts(part, pages))
        for place, urls in cited:
            numbers = tuple(sorted({pages.number(url) for url in urls}))
            citations.append(Citation(CharOffset(length + place), numbers))
        texts.append(text)
        length += len(text)
    text = "".join(texts)
    text = text[: max([len(text.rstrip()), *(citation.at for citation in citations)])]
    for url in consulted:
        if is_page(url):
            pages.meet(url, None)
    sources, others = pages.cited(), pages.uncited()
    untied = not sources and bool(others)
    return GroundedAnswer(
        text=text,
        citations=_joined(text, citations),
        sources=others if untied else sources,
        consulted=() if untied else others,
        note=UNTIED if untied else "",
        raw=raw,
    )


def plain(text: str, *, line_so_far: str = "") -> str:
    """A piece of an answer without links and markers, for showing while the rest is still arriving.

    `line_so_far` is what was shown of the line that this piece continues.
    """
    return _without_cuts(text, _cuts(TextPart(text), Pages()), line_so_far=line_so_far)[0]


class Pages:
    """The pages an answer names, joined when they are the same page, numbered when first cited."""

    def __init__(self) -> None:
        self._url: dict[tuple[str, str, str], str] = {}
        self._title: dict[tuple[str, str, str], str] = {}
        self._declared: dict[tuple[str, str, str], str] = {}
        self._numbers: dict[tuple[str, str, str], int] = {}

    def meet(self, url: str, title: str | None) -> None:
        """Remember a page; a title fills in for one that had none."""
        key = same_page_key(url)
        self._url.setdefault(key, cleaned(url))
        if title:
            self._title.setdefault(key, title)

    def number(self, url: str) -> int:
        """The page's number, given out at its first citation."""
        self.meet(url, None)
        return self._numbers.setdefault(same_page_key(url), len(self._numbers) + 1)

    def declare_titles(self) -> None:
        """From here on, `declared_title` knows the titles that are known now."""
        self._declared = dict(self._title)

    def declared_title(self, url: str) -> str | None:
        """The page's title as the annotations have it; what links call the page does not count."""
        return self._declared.get(same_page_key(url))

    def with_host(self, name: str) -> str | None:
        """The first page on this host, for markers that name only a site."""
        return next((url for url in self._url.values() if host(url) == name.removeprefix("www.")), None)

    def cited(self) -> tuple[Source, ...]:
        """Sources in the order of their numbers."""
        return tuple(self._source(key) for key in sorted(self._numbers, key=self._numbers.__getitem__))

    def uncited(self) -> tuple[Source, ...]:
        """Pages that were named but never cited, in order of appearance."""
        return tuple(self._source(key) for key in self._url if key not in self._numbers)

    def _source(self, key: tuple[str, str, str]) -> Source:
        return Source(title=self._title.get(key), uri=self._url[key])


def _cuts(part: TextPart, pages: Pages) -> list[Cut]:
    """Everything to take out of this part's text, in order and without overlaps."""
    code = code_spans(part.text)
    links = find_links(part.text, code)
    written = split_source_list(part.text, code)
    spans = candidate_spans(part.text, part.annotations)
    cuts = _link_cuts(part.text, [link for link in links if not written or link.end <= written.start], pages)
    if written:
        for title, url in written.entries.values():
            pages.meet(url, title)
        cuts.append(Cut(written.start, len(part.text)))
    cuts += _number_cuts(part.text, code, cuts, written)
    cuts += _marker_cuts(part, find_markers(part.text, code), spans, pages)
    cuts = _ordered(cuts)
    return _ordered(cuts + _annotation_cuts(part, spans, cuts, code))


def _link_cuts(text: str, links: list[Link], pages: Pages) -> list[Cut]:
    cuts: list[Cut] = []
    for group in _groups(text, links):
        first, last = group[0], group[-1]
        bracketed = text[first.start - 1 : first.start] == "(" and text[last.end : last.end + 1] == ")"
        if bracketed:
            cuts.append(Cut(first.start - 1, last.end + 1, "", [link.url for link in group]))
        else:
            cuts += [Cut(link.start, link.end, _kept_label(text, link, pages), [link.url]) for link in group]
        for link in group:
            pages.meet(link.url, None if link.is_site_label else link.label)
    return cuts


def _kept_label(text: str, link: Link, pages: Pages) -> str:
    """What stays of a link in the prose: its words, unless they only name the page it leads to."""
    if link.is_site_label:
        return ""
    after_statement = text[: link.start].rstrip(_SPACES).endswith(_STATEMENT_ENDS)
    return "" if after_statement and pages.declared_title(link.url) == link.label.strip() else link.label


def _groups(text: str, links: list[Link]) -> list[list[Link]]:
    """Links inside one pair of parentheses with nothing but separators between them, together."""
    groups: list[list[Link]] = []
    for link in links:
        previous = groups[-1] if groups else None
        if (
            previous
            and text[previous[0].start - 1 : previous[0].start] == "("
            and _GROUP_SEPARATOR.fullmatch(text, previous[-1].end, link.start)
        ):
            previous.append(link)
        else:
            groups.append([link])
    # A group that turns out not to end in a parenthesis is no group.
    return [
        piece
        for group in groups
        for piece in (
            [group] if text[group[-1].end : group[-1].end + 1] == ")" else [[link] for link in group]
        )
    ]


def _number_cuts(text: str, code: Spans, cuts: list[Cut], written: SourceList | None) -> list[Cut]:
    """The model's own `[n]`: renumbered when its source list says what is behind it, else removed."""
    taken = Spans((cut.start, cut.end) for cut in cuts)
    found: list[Cut] = []
    for match in _OWN_NUMBER.finditer(text, 0, written.start if written else len(text)):
        if code.contain(match.start()) or taken.contain(match.start()):
            continue
        entry = written.entries.get(int(match.group(2))) if written else None
        label = match.group(1) or ""  # a reference link, `[label][n]`
        found.append(Cut(match.start(), match.end(), label, [entry[1]] if entry else []))
    return found


def _marker_cuts(part: TextPart, markers: list[Marker], spans: list[list[Span]], pages: Pages) -> list[Cut]:
    """Raw markers, with the pages they stand for when an annotation or a site name tells."""
    places = Spans((marker.start, marker.end) for marker in markers)
    urls_at: dict[int, list[str]] = {}
    for annotation, candidates in zip(part.annotations, spans, strict=True):
        for start, end in candidates:
            marker_span = places.around(start) or places.around(end - 1)
            if marker_span:
                urls_at.setdefault(marker_span[0], []).append(annotation.url)
                break
    by_id = {annotation.source_id: annotation.url for annotation in part.annotations if annotation.source_id}
    cuts: list[Cut] = []
    for marker in markers:
        by_site = pages.with_host(marker.site) if marker.site else None
        urls = [by_id[name] for name in marker.ids if name in by_id]
        urls = urls or urls_at.get(marker.start) or ([by_site] if by_site else [])
        if urls or marker.is_noise:
            cuts.append(Cut(marker.start, marker.end, "", urls))
    return cuts


def _annotation_cuts(part: TextPart, spans: list[list[Span]], cuts: list[Cut], code: Spans) -> list[Cut]:
    """Places for annotations that no link or marker covers: the end of the statement they span."""
    taken = Spans((cut.start, cut.end) for cut in cuts if cut.end > cut.start)
    placed: list[Cut] = []
    for annotation, candidates in zip(part.annotations, spans, strict=True):
        if candidates and not any(taken.touch(start, end) for start, end in candidates):
            placed += _annotation_cut(part.text, annotation, candidates, code)
    return placed


def _annotation_cut(text: str, annotation: Annotation, candidates: list[Span], code: Spans) -> list[Cut]:
    address = cleaned(annotation.url)
    naming = [span for span in candidates if address in text[slice(*span)]]
    start, end = naming[0] if naming else candidates[0]
    statement = text[start:end].strip()
    if statement[:1] == "(" and statement[-1:] == ")" and cleaned(statement[1:-1]) == address:
        return [Cut(start, end, "", [annotation.url])]
    place = _after_word(text, end, code)
    return [Cut(place, place, "", [annotation.url])] if statement else []


def _after_word(text: str, place: int, code: Spans) -> int:
    """`place`, moved out of a word or a piece of code it falls into."""
    inside = code.around(place)
    if inside and inside[0] < place:
        return inside[1]
    while 0 < place < len(text) and _in_word(text[place - 1]) and _in_word(text[place]):
        place += 1
    return place


def _in_word(character: str) -> bool:
    """Whether words are made of such characters: Chinese and Japanese run on without spaces."""
    return character.isalnum() and character < "\u2e80"


def _ordered(cuts: list[Cut]) -> list[Cut]:
    """Cuts by place; of two that overlap the one that starts first wins, and takes over the other's pages."""
    kept: list[Cut] = []
    for cut in sorted(cuts, key=lambda cut: (cut.start, -cut.end)):
        if kept and cut.start < kept[-1].end:
            kept[-1].urls += [url for url in cut.urls if url not in kept[-1].urls]
        else:
            kept.append(cut)
    return kept


def _without_cuts(
    text: str, cuts: list[Cut], *, line_so_far: str = ""
) -> tuple[str, list[tuple[int, list[str]]]]:
    """The text with its cuts carried out, and the places in the new text where pages were cited."""
    pieces: list[str] = []
    cited: list[tuple[int, list[str]]] = []
    line = line_so_far
    length = done = 0
    for cut in cuts:
        before = text[done : cut.start]
        if cut.end > cut.start and not cut.kept:
            bare = before.rstrip(_SPACES)
            # Spaces before a vanishing citation go with it, but not a line's indentation or its bullet's.
            before = bare if _last_line(line, bare).strip(_BULLETS) else before
        line = _last_line(_last_line(line, before), cut.kept)
        pieces += [before, cut.kept]
        length += len(before) + len(cut.kept)
        if cut.urls:
            cited.append((length, cut.urls))
        done = cut.end
    pieces.append(text[done:])
    return "".join(pieces), cited


def _last_line(line: str, more: str) -> str:
    """The line we are in after `more` was added to `line`."""
    _, broken, rest = more.rpartition("\n")
    return rest if broken else line + more


def _joined(text: str, citations: list[Citation]) -> tuple[Citation, ...]:
    """Citations at one place made one; a repeat with only spaces since its twin is dropped."""
    numbers_at: dict[int, set[int]] = {}
    last_seen: dict[int, int] = {}
    for citation in citations:
        for number in citation.numbers:
            since = last_seen.get(number)
            if since is not None and not text[since : citation.at].strip():
                continue
            last_seen[number] = citation.at
            numbers_at.setdefault(citation.at, set()).add(number)
    return tuple(
        Citation(CharOffset(at), tuple(sorted(numbers))) for at, numbers in sorted(numbers_at.items())
    )
