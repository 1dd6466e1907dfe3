"""One connection to an upstream: HTTP/1.1 as a client, on httptools, one request after another.

The answer to a request is an Exchange. It outlives its connection, which may be at other work already. Who
keeps connections is told when one begins, can be used again, and ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol, cast

import httptools

from groundwire.errors import ConnectionCut, TimedOut, TransportError
from groundwire.transport.base import Response

ROOM = 256 * 1024
"""Bytes of an answer that may wait for a slow reader before the server is made to wait."""


class Origin(NamedTuple):
    """Where a connection leads."""

    secure: bool
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds."""

    connect_seconds: float = 10.0
    silent_seconds: float = 600.0
    """A model may think for minutes before its first word."""
    idle_seconds: float = 30.0
    """How long a connection is kept without use; Google keeps them for minutes."""


class Keeper(Protocol):
    """Who keeps connections."""

    def opened(self, connection: Connection) -> None:
        """A connection has begun."""
        ...

    def keep(self, connection: Connection) -> None:
        """A connection has done its work and can be used again."""
        ...

    def lost(self, connection: Connection) -> None:
        """A connection has ended."""
        ...


class ClosedWhileKept(Exception):
    """The connection ended before the first byte of an answer: the server may never have seen the request."""


class Exchange:
    """One answer, as far as it has come."""

    __slots__ = (
        "_connection",
        "_loop",
        "_waiter",
        "ended",
        "failure",
        "headers",
        "received",
        "size",
        "status",
    )

    def __init__(self, connection: Connection, loop: asyncio.AbstractEventLoop) -> None:
        self._connection = connection
        self._loop = loop
        self._waiter: asyncio.Future[None] | None = None
        self.status = 0
        self.headers: dict[str, str] = {}
        self.received: list[bytes] = []
        self.size = 0
        self.ended = False
        self.failure: Exception | None = None

    async def changed(self) -> None:
        """Wait until there is something new; a caller cancelled meanwhile ends the connection."""
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        except asyncio.CancelledError:
            await self.close()
            raise

    def wake(self) -> None:
        """There is something new."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def fail(self, failure: Exception) -> None:
        """The rest will not come."""
        if not self.ended:
            self.ended, self.failure = True, failure
        self.wake()

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body as it comes."""
        while True:
            if self.received:
                data = self.received[0] if len(self.received) == 1 else b"".join(self.received)
                self.received.clear()
                self.size = 0
                if not self.ended:
                    self._connection.resume()
                yield data
            elif self.ended:
                if self.failure is not None:
                    raise self.failure
                return
            else:
                await self.changed()

    async def close(self) -> None:
        """End the connection, unless the body is complete."""
        if not self.ended:
            self._connection.close()


class Connection(asyncio.Protocol):
    """One connection. Its parser calls the `on_…` methods while `data_received` feeds it."""

    def __init__(self, keeper: Keeper, origin: Origin, loop: asyncio.AbstractEventLoop) -> None:
        self.origin = origin
        self._keeper = keeper
        self._loop = loop
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._exchange: Exchange | None = None
        self._headers: dict[str, str] = {}
        self._paused = False
        self._ends_with_connection = False
        self._since = loop.time()

    async def exchange(self, payload: bytes) -> Response:
        """Send a request and wait for the head of its answer."""
        if self._transport is None or self._transport.is_closing():
            raise ClosedWhileKept
        exchange = self._exchange = Exchange(self, self._loop)
        self._since = self._loop.time()
        self._transport.write(payload)
        while not exchange.status:
            await exchange.changed()
            if exchange.failure is not None and not exchange.status:
                raise exchange.failure
        return Response(exchange.status, exchange.headers, exchange.chunks(), exchange.close)

    def close(self) -> None:
        """Break off."""
        if self._transport is not None:
            self._transport.abort()
        self._lose(ConnectionCut(f"The connection to {self.origin.host} was closed."))

    def resume(self) -> None:
        """The reader has room again."""
        if self._paused and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()

    def check_time(self, now: float, patience: Patience) -> None:
        """End what has been silent for too long."""
        passed = now - self._since
        if self._exchange is None:
            if passed > patience.idle_seconds:
                self.close()
        elif passed > patience.silent_seconds and not self._paused:
            self._exchange.fail(
                TimedOut(f"{self.origin.host} stopped answering.", hint="Try again in a while.")
            )
            self.close()

    # What the event loop tells.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._keeper.opened(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        exchange = self._exchange
        if exchange is not None and exchange.status and self._ends_with_connection and error is None:
            self._done(exchange)
        self._lose(ConnectionCut(f"The connection to {self.origin.host} broke off."))

    def data_received(self, data: bytes) -> None:
        self._since = self._loop.time()
        exchange = self._exchange
        if exchange is None:  # nothing was asked: whatever this is, it is the last thing said here
            self.close()
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            exchange.fail(ConnectionCut(f"{self.origin.host} answered with something that is not HTTP."))
            self.close()
            return
        exchange.wake()

    # What the parser tells.

    def on_message_begin(self) -> None:
        if self._exchange is None:  # a second answer behind the one that was asked for
            self.close()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        exchange, headers, self._headers = self._exchange, self._headers, {}
        status = self._parser.get_status_code()
        if exchange is None or status < 200:  # 100 Continue, 103 Early Hints: the answer is still to come
            return
        self._ends_with_connection = (
            "content-length" not in headers
            and "transfer-encoding" not in headers
            and status not in (204, 304)
        )
        exchange.headers, exchange.status = headers, status

    def on_body(self, body: bytes) -> None:
        exchange = self._exchange
        if exchange is None:
            return
        exchange.received.append(body)
        exchange.size += len(body)
        if exchange.size > ROOM and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()

    def on_message_complete(self) -> None:
        exchange = self._exchange
        if exchange is not None and exchange.status:
            self._done(exchange)

    def _done(self, exchange: Exchange) -> None:
        exchange.ended = True
        exchange.wake()
        self._exchange = None
        self.resume()
        if self._transport is None or not self._parser.should_keep_alive():
            self.close()
        else:
            self._keeper.keep(self)

    def _lose(self, failure: TransportError) -> None:
        self._keeper.lost(self)
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            exchange.fail(failure if exchange.status else ClosedWhileKept())
