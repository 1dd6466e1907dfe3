"""Carries out calls for a server that has an event loop: reading side by side, writing in order."""

from __future__ import annotations

import asyncio

from groundwire.mcp.declarations import Offer, Offered
from groundwire.mcp.outcomes import file_outcome, search_outcome
from groundwire.mcp.search_calls import Searches
from groundwire.mcp.shapes import Outcome
from groundwire.tools.toolset import toolset


class AsyncCalls:
    """The tools of one server at work. Cancelling a call stops its work."""

    def __init__(self, offer: Offer, offered: Offered) -> None:
        self._offered = offered
        self._searches = Searches(offered.search)
        self._tools = toolset(offer.root, dialect=offer.dialect, read_only=offer.read_only)
        self._writing = asyncio.Lock()

    async def call(self, name: str, arguments: object) -> Outcome:
        """What a tool of the offer gave."""
        if name in self._offered.search:
            return search_outcome(await self._searches.call(name, arguments))
        if name not in self._offered.writing:
            return file_outcome(await self._tools.call(name, arguments))
        async with self._writing:
            return file_outcome(await self._tools.call(name, arguments))

    async def close(self) -> None:
        """Close the connections."""
        await self._searches.close()
