"""HTTP by hand, on both sides: a client that sends, and a server that answers with, exact bytes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Self

import msgspec

SECONDS = 20
"""How long a test waits for what must come before it fails."""

Visit = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Heard:
    """One answer; `cut` says that the connection ended before the answer did."""

    status: int
    headers: dict[str, str]
    body: bytes = b""
    pieces: list[bytes] = field(default_factory=list)
    cut: bool = False

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)

    @property
    def error(self) -> dict[str, Any]:
        """The error in Google's form."""
        found: dict[str, Any] = self.json["error"]
        return found

    @property
    def events(self) -> list[Any]:
        """The data of each event; an AssertionError when a byte is not in the plainest form."""
        blocks = self.body.split(b"\n\n")
        assert blocks.pop() == b"", "the last event has its blank line"
        for block in blocks:
            assert block.startswith(b"data: ")
            assert b"\n" not in block
            assert b"\r" not in block
        return [msgspec.json.decode(block[6:]) for block in blocks]


class Client:
    """A connection that sends what it is told and reads answers one by one."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def to(cls, url: str) -> Self:
        host, _, port = url.removeprefix("http://").rpartition(":")
        return cls(*await asyncio.open_connection(host, int(port)))

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def hear(self) -> Heard:
        """The next answer."""
        async with asyncio.timeout(SECONDS):
            heard = await self.hear_head()
            if "transfer-encoding" in heard.headers:
                await self.hear_chunks(heard)
            elif "content-length" in heard.headers:
                heard.body = await self.reader.readexactly(int(heard.headers["content-length"]))
            else:
                heard.body = await self.reader.read()
            return heard

    async def hear_head(self) -> Heard:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = [line.partition(":") for line in head[1:] if line]
        return Heard(int(head[0].split()[1]), {name.lower(): value.strip() for name, _, value in pairs})

    async def hear_chunks(self, heard: Heard) -> None:
        """The rest of an answer in chunks."""
        try:
            while size := int((await self.reader.readuntil(b"\r\n")), 16):
                heard.pieces.append((await self.reader.readexactly(size + 2))[:-2])
            await self.reader.readexactly(2)
        except (asyncio.IncompleteReadError, ConnectionError):
            heard.cut = True
        heard.body = b"".join(heard.pieces)

    async def is_closed(self) -> bool:
        """Wait until the other side ends the connection; whether it did so without another word."""
        async with asyncio.timeout(SECONDS):
            try:
                return await self.reader.read() == b""
            except ConnectionError:
                return True

    async def close(self) -> None:
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()


def post(path: str, body: bytes, *lines: str) -> bytes:
    """A POST request as bytes."""
    head = [f"POST {path} HTTP/1.1", "host: 127.0.0.1", f"content-length: {len(body)}", *lines]
    return "\r\n".join([*head, "", ""]).encode() + body


def get(path: str, *lines: str) -> bytes:
    """A GET request as bytes."""
    return "\r\n".join([f"GET {path} HTTP/1.1", "host: 127.0.0.1", *lines, "", ""]).encode()


@asynccontextmanager
async def serving(visit: Visit) -> AsyncIterator[str]:
    """A server on a free port of this machine, each connection handled by `visit`; gives its address."""
    visits: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        visits.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                await visit(reader, writer)
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            visits.discard(task)

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    finally:
        listening.close()
        for task in list(visits):
            task.cancel()
        await asyncio.gather(*visits, return_exceptions=True)
        await listening.wait_closed()


async def until(holds: Callable[[], object]) -> None:
    """Let others work until something holds."""
    async with asyncio.timeout(SECONDS):
        while not holds():  # noqa: ASYNC110  (what is waited for knows nothing of events)
            await asyncio.sleep(0)


async def read_request(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """The head and the body of the next request on a connection."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        (
            int(line.split(b":")[1])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length")
        ),
        0,
    )
    return head, await reader.readexactly(length)


def chunked(*pieces: bytes, end: bool = True) -> bytes:
    """Pieces in chunked framing."""
    framed = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces if piece)
    return framed + (b"0\r\n\r\n" if end else b"")


def answer(body: bytes, status: str = "200 OK", *lines: str) -> bytes:
    """A whole answer as bytes."""
    head = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", *lines]
    return "\r\n".join([*head, "", ""]).encode() + body
