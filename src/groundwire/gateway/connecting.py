"""How the gateway's requests leave this machine: over kept connections, or through the company's proxy.

The pool of kept connections is many times faster than the ordinary transport, but speaks to servers directly.
So the ordinary one is used where a proxy is set for the address, and where this Python has no list of
certificate authorities to check a server against.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from contextlib import AsyncExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from groundwire.address import is_loopback
from groundwire.errors import InvalidConfig
from groundwire.gateway.upstream_connection import Patience
from groundwire.gateway.upstream_pool import UpstreamPool
from groundwire.transport.base import Request, Response, Transport
from groundwire.transport.http import Http, Timeouts


class Outward:
    """A Transport that sends each request the way its server needs. An async context manager."""

    def __init__(self, env: Mapping[str, str], patience: Patience | None = None) -> None:
        self._env = env
        self._patience = patience or Patience()
        self._stack = AsyncExitStack()
        self._pool = UpstreamPool(patience=self._patience, tls=lambda: self._tls)
        self._ways: dict[str, Transport] = {}
        self._ordinary: Http | None = None

    async def send(self, request: Request) -> Response:
        """Send one request."""
        server = request.url[: request.url.find("/", len("https://"))]
        way = self._ways.get(server)
        if way is None:
            way = self._ways[server] = await self._way_to(server)
        return await way.send(request)

    async def _way_to(self, server: str) -> Transport:
        if is_loopback(server) or not (behind_a_proxy(server, self._env) or self._unchecked(server)):
            return self._pool
        if self._ordinary is None:
            timeouts = Timeouts(self._patience.connect_seconds, self._patience.silent_seconds)
            ca_file = Path(self._ca_file) if self._ca_file else None
            self._ordinary = await self._stack.enter_async_context(Http(timeouts=timeouts, ca_file=ca_file))
        return self._ordinary

    def _unchecked(self, server: str) -> bool:
        """Whether nobody could vouch for a server. A folder of authorities (capath) is read when needed."""
        if server.startswith("http://"):
            return False
        return not self._tls.cert_store_stats()["x509_ca"] and ssl.get_default_verify_paths().capath is None

    @property
    def _ca_file(self) -> str | None:
        return self._env.get("SSL_CERT_FILE")

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return tls_context(self._ca_file)

    async def __aenter__(self) -> Self:
        if self._ca_file:
            _ = self._tls  # a file that cannot be used is told now, and not with the first request
        await self._stack.enter_async_context(self._pool)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()


def behind_a_proxy(url: str, env: Mapping[str, str]) -> bool:
    """Whether the environment says that this address is asked through a proxy."""
    parts = urlsplit(url)
    names = (f"{parts.scheme}_proxy", "all_proxy")
    if not any(env.get(name) or env.get(name.upper()) for name in names):
        return False
    exceptions = (env.get("no_proxy") or env.get("NO_PROXY") or "").split(",")
    # Networks in NO_PROXY (10.0.0.0/8) are the ordinary transport's business: it is asked when in doubt.
    return not any(_covers(exception.strip(), parts.hostname or "") for exception in exceptions)


def _covers(exception: str, host: str) -> bool:
    name = exception.lstrip("*").lstrip(".").lower()
    return exception == "*" or (bool(name) and (host == name or host.endswith(f".{name}")))


def tls_context(ca_file: str | None) -> ssl.SSLContext:
    """Checks servers against the system's authorities and those in `ca_file`."""
    try:
        context = ssl.create_default_context()
        if ca_file:
            context.load_verify_locations(ca_file)
    except (OSError, ssl.SSLError) as error:
        raise InvalidConfig(
            f"The certificate file {ca_file} cannot be used: {error}.", hint="Check SSL_CERT_FILE."
        ) from error
    context.set_alpn_protocols(["http/1.1"])
    return context
