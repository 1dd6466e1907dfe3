"""Google's grounding links lead through a redirect; here they become the addresses of the pages themselves.

Only addresses of that redirect service are asked, all at once and within a time budget; a link that
does not resolve in time stays as it is.
"""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import msgspec

from groundwire.address import is_loopback
from groundwire.citations import GroundedAnswer, Source
from groundwire.errors import GroundwireError
from groundwire.providers.page_address import is_page
from groundwire.transport.base import Request, Transport

GOOGLE_HOST = "vertexaisearch.cloud.google.com"
REDIRECT_PATH = "/grounding-api-redirect/"
BUDGET_SECONDS = 4.0
_AT_ONCE = 16


async def with_real_addresses(
    answer: GroundedAnswer, transport: Transport, budget: float = BUDGET_SECONDS
) -> GroundedAnswer:
    """The answer with its sources' redirect links resolved, as far as the budget reaches."""
    links = {source.uri for source in answer.sources if source.uri and is_redirect(source.uri)}
    found = await _resolve_all(links, transport, budget) if links else {}
    return msgspec.structs.replace(
        answer, sources=tuple(_moved(source, found.get(source.uri or "")) for source in answer.sources)
    )


def is_redirect(url: str) -> bool:
    """Whether this is a link of Google's redirect service (or of an emulator on this machine)."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    known = parts.hostname == GOOGLE_HOST or is_loopback(url)
    return known and parts.path.startswith(REDIRECT_PATH)


async def _resolve_all(links: set[str], transport: Transport, budget: float) -> dict[str, str]:
    found: dict[str, str] = {}
    gate = asyncio.Semaphore(_AT_ONCE)

    async def resolve(link: str) -> None:
        async with gate:
            try:
                async with await transport.send(Request("GET", link)) as response:
                    target = response.headers.get("location")
            except GroundwireError:
                return  # the original link still works for a person
        if response.status in (301, 302, 303, 307, 308) and target and is_page(target):
            found[link] = target

    try:
        async with asyncio.timeout(budget), asyncio.TaskGroup() as group:
            for link in sorted(links):
                group.create_task(resolve(link))
    except TimeoutError:
        pass  # what was found in time is used
    return found


def _moved(source: Source, target: str | None) -> Source:
    if not target:
        return source
    wire = None
    if source.wire is not None:
        web = source.wire.get("web")
        wire = {**source.wire, "web": {**(web if isinstance(web, dict) else {}), "uri": target}}
    return Source(title=source.title, uri=target, wire=wire)
