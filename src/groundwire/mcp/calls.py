"""Carries out the calls of a session: file tools on threads, searches on an event loop.

What they need is loaded when the first call comes, or before that by `warm`, once the client has its list.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from groundwire.errors import GroundwireError
from groundwire.mcp.declarations import Offer, Offered
from groundwire.mcp.outcomes import error_outcome
from groundwire.mcp.protocol import StartCall
from groundwire.mcp.shapes import Outcome

if TYPE_CHECKING:
    from groundwire.mcp.file_calls import FileCalls
    from groundwire.mcp.search_calls import SearchCalls

Done = Callable[[int, Outcome | BaseException], None]
"""Gets the number of a call and what it gave."""


class Calls:
    """The tools of one server at work."""

    def __init__(self, offer: Offer, offered: Offered) -> None:
        self._offer = offer
        self._offered = offered
        self._gate = threading.Lock()
        """Held while a call begins, so that none begins while the rest is being closed."""
        self._closed = False
        self._loading = threading.Lock()
        self._files: FileCalls | None = None
        self._searches: SearchCalls | None = None
        self._cancels: dict[int, Callable[[], object]] = {}

    def start(self, call: StartCall, done: Done) -> None:
        """Begin a call; `done` gets what it gave, on any thread. Nothing is begun once this is closed."""
        over: list[bool] = []

        def ended(outcome: Outcome | BaseException) -> None:
            over.append(True)
            self._cancels.pop(call.number, None)
            done(call.number, outcome)

        with self._gate:
            if self._closed:
                return
            try:
                carrier = self._for_search() if call.name in self._offered.search else self._for_files()
            except GroundwireError as error:  # the workspace is gone
                ended(error_outcome(error))
                return
            self._cancels[call.number] = carrier.start(call.name, call.arguments, ended)
        if over:  # it ended before we knew how to cancel it
            self._cancels.pop(call.number, None)

    def cancel(self, number: int) -> None:
        """Stop a call, if it still runs."""
        stop = self._cancels.pop(number, None)
        if stop is not None:
            stop()

    def warm(self) -> None:
        """Load the file tools, without holding up who asks.

        A search takes seconds, so loading at its first call is not felt, and an idle server stays small.
        """
        if self._offer.tools != "search":
            threading.Thread(target=self._load, name="warm", daemon=True).start()

    def close(self) -> None:
        """Cancel everything and let go of threads and connections."""
        with self._gate:
            self._closed = True
        for number in list(self._cancels):
            self.cancel(number)
        if self._files is not None:
            self._files.close()
        if self._searches is not None:
            self._searches.close()

    def _load(self) -> None:
        with suppress(GroundwireError):  # told by the call that meets it
            self._for_files()

    def _for_files(self) -> FileCalls:
        with self._loading:
            if self._files is None:
                from groundwire.mcp.file_calls import FileCalls  # noqa: PLC0415  (lazy: every tool)

                self._files = FileCalls(self._offer, self._offered.writing)
            return self._files

    def _for_search(self) -> SearchCalls:
        with self._loading:
            if self._searches is None:
                from groundwire.mcp.search_calls import SearchCalls  # noqa: PLC0415  (lazy: an event loop)

                self._searches = SearchCalls(self._offered.search)
            return self._searches
