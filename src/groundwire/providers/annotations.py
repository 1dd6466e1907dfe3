"""`url_citation` annotations: read from the wire, and laid over the text in every unit they might count in.

OpenAI documents neither code points nor UTF-16 units, middlemen shift texts after counting, and Exa
sends zeros. So an annotation's span is a list of candidates, best first, and may be empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from groundwire.providers.page_address import is_page

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Annotation:
    """One citation: an address, maybe a title, and a span that may or may not be right."""

    url: str
    title: str | None = None
    start: int = 0
    end: int = 0
    source_id: str = ""
    """What raw markers in the text call this source, when the server says."""


def read_annotations(wire: Any) -> tuple[Annotation, ...]:
    """The citations in an `annotations` list; whatever is not one is passed over."""
    if not isinstance(wire, list):
        return ()
    read = (read_annotation(record) for record in wire)
    return tuple(annotation for annotation in read if annotation is not None)


def read_annotation(wire: Any) -> Annotation | None:
    """A citation from the wire, flat (Responses) or nested (Chat Completions), or None."""
    if not isinstance(wire, dict) or wire.get("type", "url_citation") != "url_citation":
        return None
    nested = wire.get("url_citation")
    record = nested if isinstance(nested, dict) else wire
    url, title = record.get("url"), record.get("title")
    if not is_page(url):
        return None
    return Annotation(
        url=str(url),
        title=title if isinstance(title, str) and title.strip() else None,
        start=_index(record.get("start_index")),
        end=_index(record.get("end_index")),
        source_id=str(record.get("source_id") or ""),
    )


def _index(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def candidate_spans(text: str, annotations: Sequence[Annotation]) -> list[list[Span]]:
    """For each annotation its possible spans in characters: counted as code points, UTF-16 units, bytes."""
    usable = [annotation for annotation in annotations if 0 <= annotation.start < annotation.end]
    offsets = {offset for annotation in usable for offset in (annotation.start, annotation.end)}
    counted = [{offset: offset for offset in offsets if offset <= len(text)}]
    if not text.isascii():
        counted += [_in_characters(text, offsets, "utf-16-le", 2), _in_characters(text, offsets, "utf-8", 1)]
    return [
        [
            (places[annotation.start], places[annotation.end])
            for places in counted
            if 0 <= annotation.start < annotation.end and annotation.end in places
        ]
        for annotation in annotations
    ]


def _in_characters(text: str, offsets: Iterable[int], encoding: str, unit: int) -> dict[int, int]:
    """Where offsets counted in units of an encoding fall, in characters; those past the end are left out."""
    encoded = text.encode(encoding, "surrogatepass")
    places: dict[int, int] = {}
    done = characters = 0
    for offset in sorted(offsets):
        end = offset * unit
        if end > len(encoded):
            break
        characters += len(encoded[done:end].decode(encoding, "ignore"))
        done, places[offset] = end, characters
    return places
