"""Which style the answer to a query is told in, and that answer.

A scenario may name the style. Otherwise a hash of the query chooses among those no client should
trip over, so the same query always gets the same style and different queries meet different ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from groundwire.emulator.composing import Passage
from groundwire.emulator.openai.phrasing import CitedAnswer, OutputMessage, listed_result
from groundwire.emulator.openai.styles import STYLES

HARMLESS_NATIVE: Final = ("native", "native-titles", "descriptive-links", "grouped", "api-sources", "phases")
"""For models that search by themselves."""
HARMLESS_EXA: Final = ("exa", "exa-brackets")
"""For models that get a search engine's results pasted into the prompt."""
LISTS_RESULTS: Final = ("exa", "exa-brackets", "untitled", "numbered")
"""Styles whose annotations are the search results, not the citations."""


def chosen(query: str, among: Sequence[str]) -> str:
    """The style a query gets when nobody names one: always the same for the same query."""
    digest = hashlib.sha256(query.encode("utf-8", "surrogatepass")).digest()
    return among[digest[0] % len(among)]


def style_in(scenarios: Iterable[str]) -> str | None:
    """The style that the scenarios of a request name, as `style-NAME`."""
    return next((name for name in STYLES if f"style-{name}" in scenarios), None)


def compose(
    query: str, passages: Sequence[Passage], style: str, related: Sequence[Passage] = ()
) -> CitedAnswer:
    """The answer to a query in a style; without a passage, an honest sentence that nothing was found.

    Each passage is taken to be of another page (`searching` sees to that). The related ones are
    listed wherever the style lists results, and cited by none.
    """
    if not passages and style != "no-search":
        return CitedAnswer((OutputMessage(f'I searched the web and found nothing about "{query}".'),))
    answer = STYLES[style](query, passages)
    if not answer.searched:
        return answer
    consulted = (*answer.consulted, *(passage.url for passage in related))
    if style not in LISTS_RESULTS:
        return replace(answer, consulted=consulted)
    *before, last = answer.messages
    results = [listed_result(passage) for passage in related]
    if style == "untitled":
        results = [replace(result, title=None) for result in results]
    listing = replace(last, annotations=(*last.annotations, *results))
    return replace(answer, messages=(*before, listing), consulted=consulted)
