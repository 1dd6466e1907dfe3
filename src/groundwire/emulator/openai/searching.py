"""A hosted web search: pages from the emulator's documents, narrowed to the domains a request allows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from groundwire.emulator.composing import Documents, Passage
from groundwire.emulator.openai.phrasing import domain

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
