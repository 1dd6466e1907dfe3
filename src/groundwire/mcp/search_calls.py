"""Carries out calls of search tools on an event loop in a thread of its own.

One runtime serves all searches of a server, so that connections are used again. The configuration is read
when the first search comes; credentials are looked up for every search, so a key that is stored while the
server runs counts.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import AsyncExitStack, suppress

from groundwire.citations import WebSearchResult, failure
from groundwire.errors import GroundwireError
from groundwire.mcp.outcomes import search_outcome
from groundwire.mcp.shapes import Outcome
from groundwire.runtime import Runtime, config_from_world

CLOSE_SECONDS = 1.0
"""How long closing may take: hosts do not wait much longer for a server to end."""


class Searches:
    """The search tools on one runtime, which is opened when it is first needed."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._runtime: Runtime | None = None

    async def call(self, name: str, arguments: object) -> WebSearchResult:
        """The result of one call; `name` is the one clients use."""
        try:
            runtime = await self._open()
        except GroundwireError as error:
            return failure(error)
        return await runtime.call_search_tool(self._names[name], arguments)

    async def _open(self) -> Runtime:
        async with self._opening:
            if self._runtime is None:
                config = config_from_world()
                for problem in config.problems:
                    sys.stderr.write(f"groundwire: {problem}\n")
                self._runtime = await self._stack.enter_async_context(Runtime(config))
            return self._runtime

    async def close(self) -> None:
        """Close the connections."""
        await self._stack.aclose()


class SearchCalls:
    """Searches for callers without an event loop."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._searches = Searches(names)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="searches", daemon=True)
        self._thread.start()

    def start(
        self, name: str, arguments: object, done: Callable[[Outcome | BaseException], None]
    ) -> Callable[[], object]:
        """Begin a call; `done` gets what it gave. The function that comes back cancels it."""

        def told(future: Future[WebSearchResult]) -> None:
            if not future.cancelled():
                error = future.exception()
                done(search_outcome(future.result()) if error is None else error)

        future = asyncio.run_coroutine_threadsafe(self._searches.call(name, arguments), self._loop)
        future.add_done_callback(told)
        return future.cancel

    def close(self) -> None:
        """Cancel what still runs, close the connections, and end the loop."""
        closed = asyncio.run_coroutine_threadsafe(self._close(), self._loop)
        with suppress(TimeoutError):
            closed.result(CLOSE_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSE_SECONDS)
        if not self._loop.is_running():
            self._loop.close()

    async def _close(self) -> None:
        searches = asyncio.all_tasks() - {asyncio.current_task()}
        for task in searches:
            task.cancel()
        await asyncio.gather(*searches, return_exceptions=True)
        await self._searches.close()
