"""Pages of the public web: fetched without any credential, and never from a private address.

    address  ->  checked (a plain http or https address; rewritten into one spelling)
             ->  looked up, all its addresses public, and the connection pinned to them
             ->  a redirect goes through the same again, a page is read within limits

A name is looked up once for each hop, and the connection is made to what was found, so a name that changes
its address between the look and the visit (DNS rebinding) gains nothing. What is sent is the address that
was checked, rebuilt from its parts, so that the HTTP library cannot read it differently.

A proxy that the environment names is told the address that was found, not the name (`tunnel.py`). Only who
says that the proxy keeps private addresses away (`proxy_looks_up`) lets it look names up; what is plainly
inside, and names that lead inside when looked up here, are refused all the same.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

from groundwire.address import is_public
from groundwire.errors import (
    AddressRefused,
    BodyTooLarge,
    ConnectFailed,
    PageUnreadable,
    RedirectRefused,
    TimedOut,
)
from groundwire.transport.base import Request, Response, Transport
from groundwire.transport.http import Http, Timeouts
from groundwire.transport.tunnel import tunnel

MOST_REDIRECTS = 5
MOST_BYTES = 5 * 1024 * 1024
SECONDS = 30.0
"""For a whole page, redirects included."""

Resolve = Callable[[str], Awaitable[list[str]]]
"""Looks a name up: its addresses as text. OSError when there are none."""
Connect = Callable[["Target", Sequence[str]], AbstractAsyncContextManager[Transport]]
"""A transport that reaches a host at these addresses and nowhere else."""
ProxyFor = Callable[["Target"], str | None]
"""The proxy through which a target is to be reached; None when there is none."""

_ACCEPT = "text/markdown, text/html;q=0.9, text/plain;q=0.9, application/json;q=0.9, */*;q=0.1"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_READABLE = re.compile(
    r"text/.*|application/(?:.*\+)?(?:json|xml|yaml)|application/(?:ld\+json|x-yaml|pdf|toml)"
)
_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]*)(?:\.[a-z0-9_][a-z0-9_-]*)*")
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|\d+)")
_INSIDE = ("localhost", "local", "internal", "localdomain", "home.arpa", "lan", "intranet", "corp", "home")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes: an address in its one spelling."""

    url: str
    host: str
    """A name in lower-case ASCII, or an IP address without brackets."""
    port: int

    @property
    def scheme(self) -> str:
        """http or https."""
        return self.url.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Page:
    """What was found at an address."""

    url: str
    """Where it was found in the end."""
    content_type: str
    charset: str
    """As the server says; empty when it does not."""
    body: bytes


class PublicWeb:
    """Fetches pages. `resolve`, `connect` and `allowed` are what tests replace."""

    def __init__(
        self,
        *,
        ca_file: Path | None = None,
        resolve: Resolve | None = None,
        connect: Connect | None = None,
        allowed: Callable[[IPv4Address | IPv6Address], bool] = is_public,
        proxy_for: ProxyFor = lambda target: None,
        proxy_looks_up: bool = False,
        seconds: float = SECONDS,
    ) -> None:
        self._resolve = resolve or look_up
        self._connect = connect or _connecting(ca_file, proxy_for, names=proxy_looks_up)
        self._proxy_for = proxy_for
        self._proxy_looks_up = proxy_looks_up
        self._allowed = allowed
        self._seconds = seconds

    async def get(self, url: str) -> Page:
        """The page at an address. A TransportError when it must not or cannot be read."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._follow(url)
        except TimeoutError:
            raise TimedOut(f"The page did not come within {self._seconds:g} seconds.") from None

    async def _follow(self, url: str) -> Page:
        for _ in range(MOST_REDIRECTS + 1):
            target = checked(url)
            addresses = await self._addresses_of(target)
            request = Request("GET", target.url, {"accept": _ACCEPT})
            async with (
                self._connect(target, addresses) as transport,
                await transport.send(request) as response,
            ):
                location = response.headers.get("location")
                if response.status not in _REDIRECTS or not location:
                    return await _read(response, target)
                url = urljoin(target.url, location)
        raise RedirectRefused(f"The page redirects more than {MOST_REDIRECTS} times.")

    async def _addresses_of(self, target: Target) -> list[str]:
        """The addresses of a host, when each of them may be visited; none when a proxy knows them."""
        host = target.host
        try:
            found = [host] if _is_address(host) else await self._resolve(host)
        except OSError as error:
            proxy = self._proxy_for(target)
            if proxy and self._proxy_looks_up:
                return []
            raise ConnectFailed(
                f"The host {host} was not found.",
                hint="Check the address. If only the proxy can look names up, see agent.proxy_looks_up."
                if proxy
                else "Check the address.",
            ) from error
        if not found or not all(self._allowed(ip_address(one.partition("%")[0])) for one in found):
            raise AddressRefused(
                f"{host} is not a public address; only pages of the public web can be fetched."
            )
        return found


def checked(url: str) -> Target:
    """The address in its one spelling. AddressRefused when it is not plainly one of the public web."""
    if not url.isprintable() or any(letter in url for letter in ' \\"<>^`{|}'):
        raise AddressRefused("The address holds characters that no address has.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise AddressRefused(f"The address cannot be read: {error}.") from None
    scheme = parts.scheme.lower()
    if scheme not in _PORTS:
        raise AddressRefused("Only http and https addresses can be fetched.")
    if "@" in parts.netloc:
        raise AddressRefused("An address with a user name or password in it is not fetched.")
    host = _host(parts.hostname or "")
    shown = f"[{host}]" if ":" in host else host
    place = shown if port in (None, _PORTS[scheme]) else f"{shown}:{port}"
    path = quote(parts.path, safe="/%:@!$&'()*+,;=~-._") or "/"
    query = f"?{quote(parts.query, safe=_QUERY)}" if parts.query else ""
    return Target(f"{scheme}://{place}{path}{query}", host, port or _PORTS[scheme])


_QUERY = "/?%:@!$&'()*+,;=~-._[]"


def _host(name: str) -> str:
    """A host in its one spelling: an address written as a number becomes an ordinary one."""
    if ":" in name:
        try:
            return str(IPv6Address(name))
        except ValueError:
            raise AddressRefused("The host is no IPv6 address.") from None
    try:
        plain = name.encode("idna").decode("ascii").lower().rstrip(".")
    except UnicodeError:
        raise AddressRefused("The host's name cannot be read.") from None
    if _NUMBER.fullmatch(
        plain.rpartition(".")[2]
    ):  # as every browser: 2130706433, 0x7f.1 and 0177.0.0.1 are 127.0.0.1
        try:
            return socket.inet_ntoa(socket.inet_aton(plain))
        except OSError:
            raise AddressRefused("The host is no IPv4 address.") from None
    if not _NAME.fullmatch(plain):
        raise AddressRefused("The host's name cannot be read.")
    if "." not in plain or plain.endswith(tuple(f".{inside}" for inside in _INSIDE)):
        raise AddressRefused(f"{plain} is not a public address; only pages of the public web can be fetched.")
    return plain


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


async def look_up(host: str) -> list[str]:
    """The addresses of a host, from the system."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _connecting(ca_file: Path | None, proxy_for: ProxyFor, *, names: bool) -> Connect:
    """Connects to the addresses, and through a proxy where there is one; with `names`, it is told names."""
    timeouts = Timeouts(connect=10.0, read=20.0)

    @asynccontextmanager
    async def connect(target: Target, addresses: Sequence[str]) -> AsyncIterator[Transport]:
        proxy = proxy_for(target)
        async with AsyncExitStack() as stack:
            if proxy is None:
                http = Http(timeouts=timeouts, ca_file=ca_file, pins={target.host: list(addresses)})
            elif names or _is_address(target.host):
                http = Http(timeouts=timeouts, ca_file=ca_file, proxy=proxy)
            elif target.port != _PORTS[target.scheme]:  # the HTTP library would not take the tunnel's port
                raise ConnectFailed(
                    f"Through a proxy no page at port {target.port} can be fetched.",
                    hint="See agent.proxy_looks_up.",
                )
            else:
                way = tunnel(proxy, addresses, target.port, ca_file=ca_file)
                place = await stack.enter_async_context(way)
                http = Http(timeouts=timeouts, ca_file=ca_file, pins={target.host: [place]})
            yield await stack.enter_async_context(http)

    return connect


async def _read(response: Response, target: Target) -> Page:
    kind = response.content_type or "text/html"
    if response.status >= 300 or response.status < 200:
        raise PageUnreadable(f"The page answered with status {response.status}.")
    if not _READABLE.fullmatch(kind):
        raise PageUnreadable(f"The page is {kind}, which cannot be read as text.")
    length = response.headers.get("content-length", "")
    if length.isdigit() and int(length) > MOST_BYTES:
        raise BodyTooLarge(f"The page is larger than {MOST_BYTES // (1024 * 1024)} MB.")
    body = await response.read(MOST_BYTES)
    charset = re.search(r"charset=\"?([\w.:-]+)", response.headers.get("content-type", ""), re.IGNORECASE)
    return Page(target.url, kind, charset[1] if charset else "", body)
