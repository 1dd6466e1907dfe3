"""A hosted web search: pages from the emulator's documents, narrowed to the domains a request allows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from groundwire.emulator.composing import Documents, Passage
from groundwire.emulator.openai.phrasing import domain

_WORD = re.compile(r"\w{4,}")
MAX_WORDS = 4
FILES_HOST = "documents.example"
WIDER = 8
"""How many times more passages are fetched than pages wanted: some share a page or are filtered out."""


@dataclass(frozen=True, slots=True)
class Page:
    """A search result: a page and what it says about the query, its passages one after the other."""

    title: str
    url: str
    text: str


def search(
    query: str,
    documents: Documents,
    *,
    limit: int,
    allowed: Sequence[str] = (),
    blocked: Sequence[str] = (),
) -> list[Page]:
    """The best pages, best first; a domain includes its subdomains."""
    found = documents.find(query, limit * WIDER)
    kept = [
        passage
        for passage in found
        if (not allowed or _within(passage.url, allowed)) and not _within(passage.url, blocked)
    ]
    return pages(kept)[:limit]


def related(query: str, documents: Documents, found: Sequence[Page], *, limit: int = 2) -> list[Page]:
    """Pages that share a single word with the query: what a search engine also lists and nobody cites."""
    known = {page.url for page in found}
    listed: dict[str, Page] = {}
    for word in [word for word in _WORD.findall(query) if word.lower() != query.strip().lower()][:MAX_WORDS]:
        for page in pages(documents.find(word, limit * WIDER)):
            if page.url not in known:
                listed.setdefault(page.url, page)
    return list(listed.values())[:limit]


def pages(passages: Iterable[Passage]) -> list[Page]:
    """One result per page, in the order of each page's best passage."""
    found: dict[str, Page] = {}
    for passage in passages:
        url = web_address(passage.url)
        known = found.get(url)
        if known is None:
            found[url] = Page(passage.title, url, passage.text)
        else:
            found[url] = replace(known, text=f"{known.text}\n\n{passage.text}")
    return list(found.values())


def web_address(url: str) -> str:
    """The address as a hosted search would give it: a file becomes a page of a site that does not exist."""
    return f"https://{FILES_HOST}{url.removeprefix('file://')}" if url.startswith("file:") else url


def _within(url: str, domains: Sequence[str]) -> bool:
    host = domain(url).lower()
    wanted = [one.lower().removeprefix("www.") for one in domains]
    return any(host == one or host.endswith(f".{one}") for one in wanted)
