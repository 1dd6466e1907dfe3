"""The wire itself: sends a Request with pyreqwest, the only module that imports an HTTP library.

Redirects are not followed (a credential must not travel to another host), answers are streamed,
and cancelling the caller closes the connection. Every error of the HTTP library becomes one of
ours in `translated`, and a test proves that none is forgotten.

Company networks: HTTPS_PROXY, HTTP_PROXY and NO_PROXY are honoured, requests to this machine never
go through a proxy, and SSL_CERT_FILE adds certificate authorities to the system's.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from groundwire.errors import ConnectFailed, ConnectionCut, InvalidConfig, TimedOut, TransportError
from groundwire.secret import Secret
from groundwire.transport.address import host_of, is_loopback
from groundwire.transport.base import Request, Response
from groundwire.version import __version__

if TYPE_CHECKING:
    from pyreqwest.client import Client
    from pyreqwest.request import StreamRequest
    from pyreqwest.response import Response as ForeignResponse

USER_AGENT = f"groundwire/{__version__}"


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long to wait, in seconds: for a connection, and for each next piece of an answer."""

    connect: float = 10.0
    read: float = 90.0


class Http:
    """Sends requests over the network. Use as an async context manager, or call `close`."""

    def __init__(self, *, timeouts: Timeouts | None = None, ca_file: Path | None = None) -> None:
        self._timeouts = timeouts or Timeouts()
        self._ca_file = ca_file
        self._clients: dict[bool, Client] = {}

    async def send(self, request: Request) -> Response:
        """Send one request; the response's body is still arriving when this returns."""
        with translated(request.url):
            exchange = self._exchange(request)
            response = await exchange.__aenter__()
        return Response(
            status=response.status,
            headers={name.lower(): value for name, value in response.headers.items()},
            chunks=_chunks(response, request.url),
            close=CloseOnce(exchange),
        )

    def _exchange(self, request: Request) -> StreamRequest:
        client = self._client(loopback=is_loopback(request.url))
        builder = client.request(request.method, request.url)
        for name, value in request.headers.items():
            if isinstance(value, Secret):
                builder = builder.header(name, value.reveal(), is_sensitive=True)
            else:
                builder = builder.header(name, value)
        if request.body:
            builder = builder.body_bytes(request.body)
        # With pyreqwest's default buffer, chunks of a slow stream arrive up to 200 ms late.
        return builder.streamed_read_buffer_limit(0).build_streamed()

    def _client(self, *, loopback: bool) -> Client:
        if loopback not in self._clients:
            self._clients[loopback] = _build_client(self._timeouts, self._ca_file, loopback)
        return self._clients[loopback]

    async def close(self) -> None:
        """Close idle connections."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _build_client(timeouts: Timeouts, ca_file: Path | None, loopback: bool) -> Client:
    from pyreqwest.client import ClientBuilder  # noqa: PLC0415  (lazy: 8 ms that --help need not pay)
    from pyreqwest.exceptions import BuilderError  # noqa: PLC0415

    builder = (
        ClientBuilder()
        .user_agent(USER_AGENT)
        .follow_redirects(False)
        .connect_timeout(timedelta(seconds=timeouts.connect))
        .read_timeout(timedelta(seconds=timeouts.read))
    )
    if loopback:
        return builder.no_proxy().build()
    try:
        if ca_file is not None:
            builder = builder.add_root_certificate_pem(ca_file.read_bytes())
        return builder.build()
    except (OSError, BuilderError) as error:
        raise InvalidConfig(
            f"The certificate file {ca_file} cannot be used: {error}.",
            hint="Check the path in SSL_CERT_FILE.",
        ) from error


class CloseOnce:
    """Closes an exchange the first time it is called; a connection whose body was left unread is dropped."""

    def __init__(self, exchange: StreamRequest) -> None:
        self._exchange: StreamRequest | None = exchange

    async def __call__(self) -> None:
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            await exchange.__aexit__(None, None, None)


async def _chunks(response: ForeignResponse, url: str) -> AsyncIterator[bytes]:
    reader = response.body_reader
    while True:
        with translated(url):
            chunk = await reader.read_chunk()
        if chunk is None:
            return
        yield bytes(chunk)


@contextmanager
def translated(url: str) -> Iterator[None]:
    """The border: whatever pyreqwest raises inside leaves as one of our TransportErrors."""
    from pyreqwest.exceptions import PyreqwestError  # noqa: PLC0415  (lazy, as above)

    try:
        yield
    except PyreqwestError as error:
        raise translate(error, host_of(url)) from error


def translate(error: Exception, host: str) -> TransportError:
    """Our error for one of pyreqwest's, naming the host and the innermost cause."""
    from pyreqwest import exceptions as foreign  # noqa: PLC0415  (lazy, as above)

    cause = _innermost(error)
    if isinstance(error, foreign.ConnectTimeoutError | foreign.PoolTimeoutError):
        return ConnectFailed(f"{host} did not accept a connection in time.")
    if isinstance(error, foreign.RequestTimeoutError):
        return TimedOut(f"{host} stopped answering.", hint="Try again; if it repeats, raise the timeout.")
    if isinstance(error, foreign.ConnectError):
        return ConnectFailed(f"Could not connect to {host}: {cause}.")
    if isinstance(error, foreign.BuilderError):
        return ConnectFailed(f"{host} cannot be addressed: {cause}.", hint="Check the base URL.")
    if isinstance(error, foreign.NetworkError | foreign.DecodeError | foreign.RedirectError):
        return ConnectionCut(f"The connection to {host} broke off: {cause}.")
    return ConnectionCut(f"The exchange with {host} failed: {cause}.")


def _innermost(error: Exception) -> str:
    details = getattr(error, "details", None) or {}
    causes = details.get("causes") if isinstance(details, dict) else None
    message = causes[-1]["message"] if causes else str(error)
    return str(message).rstrip(".")
