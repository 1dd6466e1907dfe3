"""Carries out calls of file tools on threads: reading ones side by side, writing ones in order."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from groundwire.mcp.declarations import Offer
from groundwire.mcp.outcomes import file_outcome
from groundwire.mcp.shapes import Outcome
from groundwire.tools.toolset import toolset

READERS = 8
"""How many calls may read at once."""


class FileCalls:
    """The file tools of one workspace at work."""

    def __init__(self, offer: Offer, writing: frozenset[str]) -> None:
        self._tools = toolset(offer.root, dialect=offer.dialect, read_only=offer.read_only)
        self._writing = writing
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="read")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="write")

    def start(
        self, name: str, arguments: object, done: Callable[[Outcome | BaseException], None]
    ) -> Callable[[], object]:
        """Begin a call; `done` gets what it gave. The function that comes back cancels it."""
        stop = threading.Event()

        def work() -> None:
            if stop.is_set():
                return
            try:
                result = self._tools.call_now(name, arguments, cancelled=stop.is_set)
                outcome: Outcome | BaseException = file_outcome(result)
            except Exception as error:  # noqa: BLE001  (a bug of one tool must not end the session)
                outcome = error
            done(outcome)

        (self._writer if name in self._writing else self._readers).submit(work)
        return stop.set

    def close(self) -> None:
        """Begin nothing more. What runs was told to stop by who started it."""
        for workers in (self._readers, self._writer):
            workers.shutdown(wait=False, cancel_futures=True)
