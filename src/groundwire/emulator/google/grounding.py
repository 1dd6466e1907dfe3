"""Search answers in Gemini's form: grounding metadata with UTF-8 byte offsets into the answer."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from groundwire.emulator.composing import Found, SearchAnswer


def grounding_metadata(answer: SearchAnswer, link: Callable[[Found], str] | None = None) -> dict[str, Any]:
    """The metadata of an answer; `link` gives the address shown for a source (its own by default).

    Offsets count UTF-8 bytes of the candidate's whole text, and startIndex is absent when it is 0,
    as in the JSON form of a protocol buffer.
    """
    address = link or (lambda source: source.url)
    supports: list[dict[str, Any]] = []
    start = 0
    for claim in answer.claims:
        end = start + len(claim.text.encode())
        for sources in (claim.sources, claim.also):
            if sources:
                segment: dict[str, Any] = {"startIndex": start} if start else {}
                segment |= {"endIndex": end, "text": claim.text}
                supports.append({"segment": segment, "groundingChunkIndices": list(sources)})
        start = end
    metadata: dict[str, Any] = {
        "searchEntryPoint": {"renderedContent": _entry_point(answer.query)},
        "webSearchQueries": [answer.query],
    }
    if answer.sources:
        metadata["groundingChunks"] = [
            {"web": {"uri": address(source), "title": source.title}} for source in answer.sources
        ]
        metadata["groundingSupports"] = supports
    return metadata


def _entry_point(query: str) -> str:
    """The HTML that Google asks to be shown next to a grounded answer."""
    return (
        "<style>\n.container { align-items: center; display: flex; }\n</style>\n"
        f'<div class="container"><a class="chip" href="#">{escape(query)}</a></div>\n'
    )
