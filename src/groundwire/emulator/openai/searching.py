"""A hosted web search: passages from the emulator's documents, narrowed to the domains a request allows."""

from __future__ import annotations

from collections.abc import Sequence

from groundwire.emulator.composing import Documents, Passage
from groundwire.emulator.openai.phrasing import distinct, domain

WIDER = 10
"""How many times more passages are fetched when some may be filtered out or share a page."""


def search(
    query: str,
    documents: Documents,
    *,
    limit: int,
    allowed: Sequence[str] = (),
    blocked: Sequence[str] = (),
) -> list[Passage]:
    """The best passages, at most one per page; a domain includes its subdomains."""
    found = documents.find(query, limit * WIDER)
    kept = [
        passage
        for passage in found
        if (not allowed or _within(passage.url, allowed)) and not _within(passage.url, blocked)
    ]
    return distinct(kept)[:limit]


def _within(url: str, domains: Sequence[str]) -> bool:
    host = domain(url).lower()
    wanted = [one.lower().removeprefix("www.") for one in domains]
    return any(host == one or host.endswith(f".{one}") for one in wanted)
