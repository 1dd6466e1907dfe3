"""A way through an HTTP proxy to one address that was checked: what connects here comes out there.

A proxy that is told a name looks it up itself, and nobody knows where it ends up. So it is told the address
(`CONNECT 93.184.216.34:443`), and the HTTP client, which speaks TLS with the site through the tunnel, still
checks the certificate of the name. The client gets in by a port of this machine, which leads one connection.
"""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from groundwire.address import host_of
from groundwire.errors import ConnectFailed

_PIECE = 65536
_PORTS = {"http": 80, "https": 443}

Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]
"""What comes out of a connection, and what goes in."""


@asynccontextmanager
async def tunnel(
    proxy: str, addresses: Sequence[str], port: int, *, ca_file: Path | None = None
) -> AsyncIterator[str]:
    """The place on this machine (`127.0.0.1:port`) that leads to the first address the proxy reaches.
    ConnectFailed when it reaches none."""
    far = await _to_one_of(proxy, addresses, port, ca_file)
    leading: list[asyncio.Task[None]] = []

    def lead(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if leading:
            writer.close()
        else:
            leading.append(asyncio.ensure_future(_join((reader, writer), far)))

    server = await asyncio.start_server(lead, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        await _closed(far[1])
        await asyncio.gather(*leading)


async def _join(near: Ends, far: Ends) -> None:
    """Let everything through in both directions until one of the two ends."""
    directions = [
        asyncio.ensure_future(_pour(near[0], far[1])),
        asyncio.ensure_future(_pour(far[0], near[1])),
    ]
    try:
        await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for direction in directions:
            direction.cancel()
        await asyncio.gather(*directions, return_exceptions=True)
        await _closed(near[1])
        await _closed(far[1])


async def _pour(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):  # either side may leave when it likes
        while piece := await source.read(_PIECE):
            target.write(piece)
            await target.drain()


async def _closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


async def _to_one_of(proxy: str, addresses: Sequence[str], port: int, ca_file: Path | None) -> Ends:
    refusal = ConnectFailed("There is no address to connect to.")
    for address in sorted(addresses, key=lambda one: ":" in one):  # proxies with IPv6 are rare
        try:
            return await _connected(
                proxy, f"[{address}]:{port}" if ":" in address else f"{address}:{port}", ca_file
            )
        except ConnectFailed as error:
            refusal = error
    raise refusal


async def _connected(proxy: str, place: str, ca_file: Path | None) -> Ends:
    """A connection to a place, made by the proxy."""
    try:
        named = urlsplit(proxy)
        reader, writer = await _to_the_proxy(named, ca_file)
    except (OSError, ValueError) as error:
        raise ConnectFailed(f"The proxy {host_of(proxy)} cannot be used: {error}.") from error
    try:
        writer.write(_request(place, named))
        head = await reader.readuntil(b"\r\n\r\n")
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        await _closed(writer)
        raise ConnectFailed(f"The proxy {host_of(proxy)} broke off.") from error
    status = head.partition(b"\r\n")[0].decode("latin-1")[:100]
    if status.split()[1:2] != ["200"]:
        await _closed(writer)
        raise ConnectFailed(
            f"The proxy {host_of(proxy)} does not lead to {place}: {status}.",
            hint="It may lead only to names: see agent.proxy_looks_up.",
        )
    return reader, writer


async def _to_the_proxy(proxy: SplitResult, ca_file: Path | None) -> Ends:
    if proxy.scheme not in _PORTS or not proxy.hostname:
        raise ValueError("only http and https proxies can be used for pages")
    context = ssl.create_default_context(cafile=ca_file) if proxy.scheme == "https" else None
    return await asyncio.open_connection(proxy.hostname, proxy.port or _PORTS[proxy.scheme], ssl=context)


def _request(place: str, proxy: SplitResult) -> bytes:
    lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
    if proxy.username is not None:
        pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()
        lines.append(f"Proxy-Authorization: Basic {base64.b64encode(pair).decode('ascii')}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
