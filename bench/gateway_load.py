"""The load of the gateway benchmark: requests one after another, or streams, every event accounted for."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

BODY = (
    b'{"contents":[{"role":"user","parts":[{"text":"'
    + b"A question of ordinary length, asked again. " * 4
    + b'"}]}]}'
)
CONNECT_TOGETHER = 32

_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_EVENT = re.compile(rb"event (\d+) of (\d+) at (\d+\.\d+)")


def request(port: int, path: str, key: str) -> bytes:
    """A POST with a Gemini request in it."""
    head = (
        f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nx-goog-api-key: {key}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(BODY)}\r\n\r\n"
    )
    return head.encode() + BODY


class Asking(asyncio.Protocol):
    """Sends a request again and again until the time is over."""

    def __init__(self, payload: bytes, end: float, seconds: list[float]) -> None:
        self._payload = payload
        self._end = end
        self._seconds = seconds
        self._received = b""
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._ask()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("the proxy closed a connection"))

    def data_received(self, data: bytes) -> None:
        self._received += data
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            return
        length = _LENGTH.search(self._received, 0, end)
        whole = (
            len(self._received) >= end + 4 + int(length[1])
            if length
            else self._received.endswith(b"0\r\n\r\n")
        )
        if not whole:
            return
        if b" 200 " not in self._received[:16]:
            self.done.set_exception(RuntimeError(self._received[:300].decode("latin-1")))
            return
        self._received = b""
        now = time.perf_counter()
        self._seconds.append(now - self._began)
        if now < self._end:
            self._ask()
        else:
            self.done.set_result(None)
            self._transport.close()

    def _ask(self) -> None:
        self._began = time.perf_counter()
        self._transport.write(self._payload)


async def ask(
    port: int, path: str, key: str, *, concurrency: int, seconds: float
) -> tuple[float, list[float]]:
    """Requests per second, and how long each took."""
    taken: list[float] = []
    payload, began = request(port, path, key), time.perf_counter()
    loop = asyncio.get_running_loop()
    workers = [
        (await loop.create_connection(lambda: Asking(payload, began + seconds, taken), "127.0.0.1", port))[1]
        for _ in range(concurrency)
    ]
    await asyncio.gather(*(worker.done for worker in workers))
    return len(taken) / (time.perf_counter() - began), taken


@dataclass
class Streams:
    """What came of many streams: how late each event was, and every event that was not as it should be."""

    delays: list[float] = field(default_factory=list)
    lost: int = 0
    doubled: int = 0
    disordered: int = 0
    unfinished: int = 0

    @property
    def faultless(self) -> bool:
        """Whether every event came once and in its place."""
        return not (self.lost or self.doubled or self.disordered or self.unfinished)


class Reading(asyncio.Protocol):
    """Reads one stream to its end."""

    def __init__(self, payload: bytes, count: int, streams: Streams) -> None:
        self._payload = payload
        self._count = count
        self._streams = streams
        self._tail = b""
        self._seen: list[int] = []
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.write(self._payload)

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        received = self._tail + data
        consumed = 0
        for event in _EVENT.finditer(received):
            self._seen.append(int(event[1]))
            self._streams.delays.append(now - float(event[3]))
            consumed = event.end()
        self._tail = received[max(consumed, len(received) - 80) :]
        if received.endswith(b"0\r\n\r\n"):
            self._finish()
            self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self._streams.unfinished += 1
            self._finish()

    def _finish(self) -> None:
        if self.done.done():
            return
        self.done.set_result(None)
        self._streams.doubled += len(self._seen) - len(set(self._seen))
        self._streams.lost += self._count - len(set(self._seen))
        self._streams.disordered += sum(a > b for a, b in zip(self._seen, self._seen[1:], strict=False))


async def read_streams(
    port: int,
    path: str,
    key: str,
    *,
    concurrency: int,
    count: int,
    limit: float,
    watch: Callable[[], None] | None = None,
) -> Streams:
    """Read so many streams of `count` events at once; `watch` is called once a second meanwhile."""
    streams, loop = Streams(), asyncio.get_running_loop()
    payload = request(port, path, key)
    readers = []
    for number in range(concurrency):
        _, reader = await loop.create_connection(lambda: Reading(payload, count, streams), "127.0.0.1", port)
        readers.append(reader)
        if number % CONNECT_TOGETHER == CONNECT_TOGETHER - 1:
            await asyncio.sleep(0.05)  # people do not all press enter at the same moment
    waiting = asyncio.gather(*(reader.done for reader in readers))
    end = time.perf_counter() + limit
    while not waiting.done() and time.perf_counter() < end:
        await asyncio.wait([waiting], timeout=1.0)
        if watch is not None:
            watch()
    for reader in readers:
        if not reader.done.done():
            streams.unfinished += 1
            reader._finish()
            reader._transport.abort()
    await waiting
    return streams
