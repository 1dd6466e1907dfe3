"""The wire itself: sends a Request with pyqwest, the only module that imports an HTTP library.

Redirects are not followed (a credential must not travel to another host), answers are streamed, and
cancelling the caller closes the connection at once, even while the server is still thinking. Every error of
the HTTP library becomes one of ours in `translate`, and a test proves that none is forgotten.

Company networks: HTTPS_PROXY, HTTP_PROXY and NO_PROXY are honoured, requests to this machine never
go through a proxy, and SSL_CERT_FILE adds certificate authorities to the system's.
"""

from __future__ import annotations

import atexit
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from groundwire.address import host_of, is_loopback
from groundwire.errors import ConnectFailed, ConnectionCut, InvalidConfig, TimedOut, TransportError
from groundwire.secret import Secret
from groundwire.transport.base import Request, Response
from groundwire.version import __version__

if TYPE_CHECKING:
    import pyqwest

USER_AGENT = f"groundwire/{__version__}"
_DIRECT = "no proxy, whatever the environment says"
STEP = 0.001
"""Seconds between two looks at the threads that are still busy."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long to wait, in seconds: for a connection, and for each next piece of an answer."""

    connect: float = 10.0
    read: float = 90.0


class Http:
    """Sends requests over the network. Use as an async context manager, or call `close`."""

    def __init__(
        self,
        *,
        timeouts: Timeouts | None = None,
        ca_file: Path | None = None,
        pins: Mapping[str, Sequence[str]] | None = None,
        proxy: str | None = None,
    ) -> None:
        """`pins` says at which addresses a host is to be reached: its name is not looked up again, and no
        proxy is asked, which would look it up itself. `proxy` is asked whatever the environment says."""
        self._timeouts = timeouts or Timeouts()
        self._ca_file = ca_file
        self._pins = pins
        self._proxy = proxy
        self._clients: dict[bool, pyqwest.HTTPTransport] = {}

    async def send(self, request: Request) -> Response:
        """Send one request; the response's body is still arriving when this returns."""
        client = self._client(loopback=is_loopback(request.url))
        with translated(request.url):
            response = await client.execute(_foreign(request))
        return Response(
            status=response.status,
            headers={name.lower(): value for name, value in response.headers.items()},
            chunks=_chunks(response, request.url),
            close=CloseOnce(response),
        )

    def _client(self, *, loopback: bool) -> pyqwest.HTTPTransport:
        if loopback not in self._clients:
            direct = loopback or self._pins is not None
            self._clients[loopback] = _build_client(
                self._timeouts, self._ca_file, _DIRECT if direct else self._proxy, self._pins
            )
        return self._clients[loopback]

    async def close(self) -> None:
        """Close idle connections."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


@cache
def _end_quietly() -> None:
    """Once per process: wait for the HTTP library's threads before the interpreter ends."""
    atexit.register(wait_for_foreign_threads)


def wait_for_foreign_threads(seconds: float = 1.0) -> None:
    """Wait until no thread that Python did not start is inside Python, at most this long.

    A thread of the HTTP library hands over a result by calling the event loop. When the main thread is faster
    and ends the interpreter during that call, Python before 3.14 ends the other thread too, Rust cannot
    unwind it, and the process aborts (exit code 134) after it has done everything right.
    """
    ours = {thread.ident for thread in threading.enumerate()}
    waited = 0.0
    while waited < seconds and sys._current_exceptions().keys() - ours:
        time.sleep(STEP)
        waited += STEP


def _build_client(
    timeouts: Timeouts, ca_file: Path | None, proxy: str | None, pins: Mapping[str, Sequence[str]] | None
) -> pyqwest.HTTPTransport:
    import pyqwest  # noqa: PLC0415  (lazy: tens of milliseconds that --help need not pay)

    _end_quietly()
    nowhere = pyqwest.Proxy("http://127.0.0.1:9", no_proxy="*,localhost,127.0.0.0/8,::1")
    try:
        return pyqwest.HTTPTransport(
            tls_ca_cert=ca_file.read_bytes() if ca_file is not None else None,
            tls_include_system_certs=True,
            proxy=nowhere if proxy is _DIRECT else proxy,
            dns_overrides=pins,
            connect_timeout=timeouts.connect,
            read_timeout=timeouts.read,
            use_system_dns=True,
            follow_redirects=False,
            enable_otel=False,
        )
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or error
        raise InvalidConfig(
            f"The certificate file {ca_file} cannot be used: {reason}.", hint="Check SSL_CERT_FILE."
        ) from error


def _foreign(request: Request) -> pyqwest.Request:
    import pyqwest  # noqa: PLC0415  (lazy, as above)

    headers = {"user-agent": USER_AGENT}
    for name, value in request.headers.items():
        headers[name.lower()] = value.reveal() if isinstance(value, Secret) else value
    return pyqwest.Request(
        request.method, request.url, pyqwest.Headers(headers.items()), request.body or None
    )


class CloseOnce:
    """Closes a response the first time it is called; the connection of an unread body is dropped."""

    def __init__(self, response: pyqwest.Response) -> None:
        self._response: pyqwest.Response | None = response

    async def __call__(self) -> None:
        response, self._response = self._response, None
        if response is not None:
            await response.__aexit__(None, None, None)


async def _chunks(response: pyqwest.Response, url: str) -> AsyncIterator[bytes]:
    content = response.content
    while True:
        with translated(url):
            chunk = await anext(content, None)
        if chunk is None:
            return
        yield bytes(chunk)


@contextmanager
def translated(url: str) -> Iterator[None]:
    """The border: whatever pyqwest raises inside leaves as one of our TransportErrors."""
    from pyqwest import ReadError, RemoteProtocolError, TooManyRedirects, WriteError  # noqa: PLC0415  (lazy)

    try:
        yield
    except (
        OSError,  # ConnectionError, ConnectTimeout, TimeoutError
        RemoteProtocolError,
        ReadError,
        WriteError,
        TooManyRedirects,
        ValueError,  # an address or a header that cannot be sent
        RuntimeError,
    ) as error:
        raise translate(error, host_of(url)) from error


def translate(error: Exception, host: str) -> TransportError:
    """Our error for one of pyqwest's, naming the host and the innermost cause."""
    cause = str(error).rpartition(": ")[2].rstrip(".")
    if isinstance(error, ConnectionError):
        if isinstance(error, TimeoutError):  # pyqwest's ConnectTimeout is both
            return ConnectFailed(f"{host} did not accept a connection in time.")
        return ConnectFailed(f"Could not connect to {host}: {cause}.")
    if isinstance(error, TimeoutError):
        return TimedOut(f"{host} stopped answering.", hint="Try again; if it repeats, raise the timeout.")
    if isinstance(error, ValueError | RuntimeError):
        return ConnectFailed(f"{host} cannot be asked: {cause}.", hint="Check the base URL and the key.")
    return ConnectionCut(f"The connection to {host} broke off: {cause}.")
