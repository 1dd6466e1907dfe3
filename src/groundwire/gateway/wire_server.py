"""HTTP/1.1 as a server, on httptools: requests in, whole or chunked replies out, and nothing of Gemini.

A Connection reads requests and gives each, with its Reply, to a handler that runs as a task of its own.
Requests that come before the last one is answered (pipelining) wait for their turn. A client that stops
reading makes `Reply.write` wait; one that goes away, or closes its sending half, has its handler cancelled at
once: what is answered here costs money, and nobody would read it.

Time limits are kept by one sweep over all connections instead of a timer for each request.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

import httptools

from groundwire.gateway.wire_reply import Reply

_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER with no time: closing resets the connection, so that no client can take it for an end."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a client may ask of us, in bytes and seconds."""

    body_bytes: int = 20 * 1024 * 1024
    head_bytes: int = 64 * 1024
    waiting_requests: int = 16
    idle_seconds: float = 75.0
    """How long a connection may rest between two requests."""
    silent_seconds: float = 30.0
    """How long a client may pause in the middle of a request, or read nothing of what we sent."""


@dataclass(slots=True)
class Inbound:
    """One request. Header names are in lower case; of a repeated header the last one counts."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes


Handler = Callable[[Inbound, Reply], Awaitable[None]]


class Server:
    """Accepts connections for a handler, watches their time limits, and stops with or without patience."""

    def __init__(
        self,
        handler: Handler,
        *,
        limits: Limits | None = None,
        refused: Callable[[int, str], bytes] | None = None,
    ) -> None:
        """`refused` words the body of an answer to what is not even a request: a status and what is wrong."""
        self.handler = handler
        self.limits = limits or Limits()
        self.refused = refused or (lambda status, trouble: b"")
        self.connections: set[Connection] = set()
        self.draining = False
        self._listening: asyncio.Server | None = None
        self._sweeping: asyncio.TimerHandle | None = None
        self._all_gone = asyncio.Event()

    async def listen(self, listener: socket.socket) -> None:
        """Begin to accept connections on a bound socket."""
        loop = asyncio.get_running_loop()
        self._listening = await loop.create_server(
            lambda: Connection(self, loop), sock=listener, backlog=1024
        )
        self._sweep()

    async def stop(self) -> None:
        """Accept nothing more, let every request in progress come to its end, then return."""
        self.draining = True
        if self._listening is not None:
            self._listening.close()
        for connection in list(self.connections):
            connection.close_when_done()
        if self.connections:
            self._all_gone.clear()
            await self._all_gone.wait()
        self.stop_now()

    def stop_now(self) -> None:
        """Break every connection off."""
        self.draining = True
        if self._sweeping is not None:
            self._sweeping.cancel()
        if self._listening is not None:
            self._listening.close()
        for connection in list(self.connections):
            connection.cut()

    def gone(self, connection: Connection) -> None:
        """A connection has ended."""
        self.connections.discard(connection)
        if not self.connections:
            self._all_gone.set()

    def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for connection in list(self.connections):
            connection.check_time(now)
        self._sweeping = loop.call_later(1.0, self._sweep)


class Connection(asyncio.Protocol):
    """One client. Its parser calls the `on_…` methods while `data_received` feeds it."""

    def __init__(self, server: Server, loop: asyncio.AbstractEventLoop) -> None:
        self._server = server
        self._loop = loop
        self._limits = server.limits
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpRequestParser(self)
        self._waiting: deque[tuple[Inbound, Reply]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._drain: asyncio.Future[None] | None = None
        self._since = loop.time()
        self._reading = False
        self._unread = 0
        """Bytes that a slow client had not read when its time was last looked at."""
        self._deaf = False
        """Whether what still comes in is thrown away: the connection is about to end."""
        self.full = False
        self._begin()

    @property
    def draining(self) -> bool:
        """Whether the server is stopping."""
        return self._server.draining

    # What the event loop tells.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._server.connections.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()
        self.resume_writing()
        self._server.gone(self)

    def eof_received(self) -> None:
        """A client that will send no more is taken as gone, as node does: see the first paragraph."""
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        self.full = True
        self._unread = 0
        self._since = self._loop.time()

    def resume_writing(self) -> None:
        self.full = False
        if self._drain is not None and not self._drain.done():
            self._drain.set_result(None)

    def data_received(self, data: bytes) -> None:
        self._since = self._loop.time()
        while data and not self._deaf:
            try:
                self._parser.feed_data(data)
                return
            except httptools.HttpParserUpgrade as upgrade:
                data = self._without_upgrade() + data[upgrade.args[0] :]
            except httptools.HttpParserCallbackError as error:
                cause = error.__context__
                self._refuse(
                    *(cause.args if isinstance(cause, _Refused) else (400, "This request cannot be read."))
                )
            except httptools.HttpParserError as error:
                self._refuse(400, f"This is not HTTP: {error}.")

    # What the parser tells.

    def on_url(self, url: bytes) -> None:
        self._reading = True
        self._url += url
        self._count_head(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count_head(len(name) + len(value))
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        length = self._headers.get("content-length", "")
        if length.isdigit() and int(length) > self._limits.body_bytes:
            raise _Refused(413, self._too_large)
        if self._headers.get("expect", "").lower() == "100-continue" and self._task is None:
            self.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        if self._body_bytes > self._limits.body_bytes:
            raise _Refused(413, self._too_large)
        self._body.append(body)

    def on_message_complete(self) -> None:
        if self._parser.should_upgrade():  # only the head has been read
            return
        method = self._parser.get_method().decode("latin-1")
        path, _, query = self._target().partition("?")
        body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
        request = Inbound(method, path, query, self._headers, body)
        reply = Reply(
            self,
            keep_alive=self._parser.should_keep_alive(),
            old=self._parser.get_http_version() == "1.0",
            without_body=method == "HEAD",
        )
        self._begin()
        if self._task is None:
            self._task = self._loop.create_task(self._answer(request, reply))
            return
        self._waiting.append((request, reply))
        if len(self._waiting) >= self._limits.waiting_requests and self._transport is not None:
            self._transport.pause_reading()

    # What a Reply and the Server do.

    def write(self, data: bytes) -> None:
        """Send, unless the client is gone."""
        if self._transport is not None:
            self._transport.write(data)

    async def drained(self) -> None:
        """Wait until the client has read enough of what was sent."""
        while self.full and self._transport is not None:
            self._drain = self._loop.create_future()
            await self._drain

    def cut(self, *, reset: bool = False) -> None:
        """End the connection here and now; with `reset`, so that the client cannot take it for an end."""
        if self._transport is None:
            return
        if reset:
            raw = self._transport.get_extra_info("socket")
            with suppress(OSError):
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self._transport.abort() if reset or self.full else self._transport.close()

    def close_when_done(self) -> None:
        """End the connection now if it is at rest; otherwise the answer in progress will be the last."""
        if self._task is None and self._transport is not None:
            self._transport.close()

    def check_time(self, now: float) -> None:
        """End the connection if the client has been silent, or deaf, for too long."""
        passed = now - self._since
        if self._transport is None:
            return
        if self.full or self._deaf:
            unread, self._unread = self._unread, self._transport.get_write_buffer_size()
            if self._unread < unread:  # slowly, but it reads
                self._since = now
            elif passed > self._limits.silent_seconds:
                self._transport.abort()
        elif self._reading:
            if passed > self._limits.silent_seconds:
                self._refuse(408, "The request did not arrive in time.")
        elif self._task is None and passed > self._limits.idle_seconds:
            self._transport.close()

    async def _answer(self, request: Inbound, reply: Reply) -> None:
        while True:
            try:
                await self._server.handler(request, reply)
            finally:
                if not reply.ended:  # it was forgotten, or the handler is broken
                    reply.cut()
            if self._transport is None:
                return
            self._since = self._loop.time()
            if not reply.keeps_connection or self.draining:
                self._transport.close()
                return
            if not self._waiting:
                self._task = None
                return
            request, reply = self._waiting.popleft()
            self._transport.resume_reading()

    def _without_upgrade(self) -> bytes:
        """The head that was just read, without the offer of another protocol, for a parser that starts anew.

        Java's client offers h2c with each request. A server may stay with HTTP/1.1; the parser stops there.
        """
        method, url = self._parser.get_method(), self._url
        if method == b"CONNECT":
            self._refuse(405, "This is not a proxy.")
            return b""
        left_out = ("connection", "upgrade", "http2-settings")
        kept = [f"{name}: {value}" for name, value in self._headers.items() if name not in left_out]
        self._parser = httptools.HttpRequestParser(self)
        self._begin()
        return b"%b %b HTTP/1.1\r\n" % (method, url) + "\r\n".join([*kept, "", ""]).encode("latin-1")

    def _target(self) -> str:
        """What is asked for, as a path. A client that takes us for a proxy writes the server before it, and
        then that is the server it means."""
        target = self._url.decode("latin-1").partition("#")[0]
        _, with_server, rest = target.partition("://")
        if target.startswith("/") or not with_server:
            return target
        self._headers["host"], _, path = rest.partition("/")
        return f"/{path}"

    def _begin(self) -> None:
        """Forget the last request: the next one begins."""
        self._url = b""
        self._headers: dict[str, str] = {}
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._head_bytes = 0
        self._reading = False

    def _count_head(self, length: int) -> None:
        self._head_bytes += length
        if self._head_bytes > self._limits.head_bytes:
            raise _Refused(431, "The headers of this request are too large.")

    @property
    def _too_large(self) -> str:
        return f"The request is larger than {self._limits.body_bytes // (1024 * 1024)} MB."

    def _refuse(self, status: int, trouble: str) -> None:
        """Answer what is no good request, and end the connection once the client could read why.

        A client that is still sending would lose the answer if we closed at once, so its bytes are
        thrown away for a while; the sweep ends it.
        """
        self._deaf = True
        self._reading = False
        if self._task is not None:  # in the middle of another answer: nothing can be said
            self.cut()
            return
        reply = Reply(self, keep_alive=False, old=False, without_body=False)
        reply.send(
            status,
            (("content-type", "application/json; charset=UTF-8"),),
            self._server.refused(status, trouble),
        )
        if self._transport is not None and self._transport.can_write_eof():
            self._transport.write_eof()


class _Refused(Exception):
    """Raised inside the parser: a status and what is wrong."""
