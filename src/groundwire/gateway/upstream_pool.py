"""HTTP/1.1 as a client, on httptools: a Transport whose connections are kept and used again.

It does what `transport.http` does for a tenth of the time per request, which is what a gateway is made of.
It speaks to servers directly; where a proxy stands between (HTTPS_PROXY), `transport.http` is used instead.

    a kept connection that the server closed meanwhile     the request is sent once more, on a new one
    the caller is cancelled or closes the response          the connection is closed at once
    the caller reads slowly                                 the server is read slowly
    the body ends before its end                            ConnectionCut
    nothing comes for `silent_seconds`                      TimedOut
"""

from __future__ import annotations

import asyncio
import ssl
from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from groundwire.address import host_of
from groundwire.errors import ConnectFailed, ConnectionCut
from groundwire.gateway.upstream_connection import ClosedWhileKept, Connection, Origin, Patience
from groundwire.secret import Secret
from groundwire.transport.base import Request, Response
from groundwire.transport.http import USER_AGENT


class UpstreamPool:
    """Sends requests over kept connections. Use as an async context manager, or call `close`."""

    def __init__(
        self,
        *,
        patience: Patience | None = None,
        tls: Callable[[], ssl.SSLContext] = ssl.create_default_context,
    ) -> None:
        self.patience = patience or Patience()
        self._tls = tls
        self._context: ssl.SSLContext | None = None
        self._idle: dict[Origin, list[Connection]] = defaultdict(list)
        self._open: set[Connection] = set()
        self._sweeping: asyncio.TimerHandle | None = None

    async def send(self, request: Request) -> Response:
        """Send one request; the body may still be arriving when this returns."""
        origin, payload = written(request)
        kept = self._kept(origin)
        if kept is not None:
            try:
                return await kept.exchange(payload)
            except ClosedWhileKept:
                pass
        connection = await self._connect(origin)
        try:
            return await connection.exchange(payload)
        except ClosedWhileKept:
            raise ConnectionCut(f"{origin.host} closed the connection without an answer.") from None

    def opened(self, connection: Connection) -> None:
        """A connection has begun."""
        self._open.add(connection)

    def keep(self, connection: Connection) -> None:
        """A connection has done its work and can be used again."""
        self._idle[connection.origin].append(connection)

    def lost(self, connection: Connection) -> None:
        """A connection has ended."""
        self._open.discard(connection)
        kept = self._idle[connection.origin]
        if connection in kept:
            kept.remove(connection)

    async def close(self) -> None:
        """Close every connection."""
        if self._sweeping is not None:
            self._sweeping.cancel()
            self._sweeping = None
        for connection in list(self._open):
            connection.close()

    def _kept(self, origin: Origin) -> Connection | None:
        kept = self._idle[origin]
        return kept.pop() if kept else None

    async def _connect(self, origin: Origin) -> Connection:
        loop = asyncio.get_running_loop()
        if self._sweeping is None:
            self._sweep()
        if origin.secure and self._context is None:
            self._context = self._tls()
        try:
            async with asyncio.timeout(self.patience.connect_seconds):
                _, connection = await loop.create_connection(
                    lambda: Connection(self, origin, loop),
                    origin.host,
                    origin.port,
                    ssl=self._context if origin.secure else None,
                )
        except TimeoutError:
            raise ConnectFailed(f"{origin.host} did not accept a connection in time.") from None
        except ssl.SSLCertVerificationError as error:
            raise ConnectFailed(
                f"The certificate of {origin.host} cannot be trusted: {error.verify_message}.",
                hint="Behind a company proxy, point SSL_CERT_FILE at its certificate authority.",
            ) from error
        except OSError as error:
            raise ConnectFailed(
                f"Could not connect to {origin.host}:{origin.port}: {_reason(error)}."
            ) from error
        return connection

    def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for connection in list(self._open):
            connection.check_time(now, self.patience)
        self._sweeping = loop.call_later(1.0, self._sweep)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


@lru_cache(maxsize=64)
def _address(url: str) -> tuple[Origin, str, str]:
    """Where a URL leads, the Host header, and the target."""
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    origin = Origin(secure, parts.hostname or "", parts.port or (443 if secure else 80))
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return origin, parts.netloc.rpartition("@")[2], target


def written(request: Request) -> tuple[Origin, bytes]:
    """The request as it goes over the wire, and where to."""
    try:
        origin, host, target = _address(request.url)
        lines = [f"{request.method} {target} HTTP/1.1\r\nhost: {host}\r\nuser-agent: {USER_AGENT}\r\n"]
        for name, value in request.headers.items():
            text = value.reveal() if isinstance(value, Secret) else value
            if "\r" in text or "\n" in text:
                raise ValueError("a line break in a header")
            lines.append(f"{name}: {text}\r\n")
        if request.body or request.method != "GET":
            lines.append(f"content-length: {len(request.body)}\r\n")
        lines.append("\r\n")
        return origin, "".join(lines).encode("latin-1") + request.body
    except ValueError as error:  # UnicodeEncodeError is one
        raise ConnectFailed(
            f"{host_of(request.url)} cannot be asked: {type(error).__name__}.",
            hint="Check the base URL and the key.",
        ) from None


def _reason(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__
