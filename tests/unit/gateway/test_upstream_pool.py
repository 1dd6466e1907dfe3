"""The client's side of HTTP, against a server that answers in exact bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from groundwire.errors import ConnectFailed, ConnectionCut, TimedOut
from groundwire.gateway.upstream_connection import ROOM, Patience
from groundwire.gateway.upstream_pool import UpstreamPool
from groundwire.secret import Secret
from groundwire.transport.base import Request
from tests.unit.gateway.raw_http import SECONDS, Visit, answer, chunked, read_request, serving, until

CHUNKED = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n"


def saying(*answers: bytes, visits: list[int] | None = None) -> Visit:
    """A server that gives these answers on each connection, then closes it; counts its visits."""

    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if visits is not None:
            visits.append(1)
        for said in answers:
            await read_request(reader)
            writer.write(said)
            await writer.drain()

    return visit


async def test_a_request_arrives_as_it_was_built() -> None:
    seen: list[tuple[bytes, bytes]] = []

    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await read_request(reader))
        writer.write(answer(b"fine", "200 OK", "X-Trace: T"))

    async with serving(visit) as url, UpstreamPool() as pool:
        headers: dict[str, str | Secret] = {"content-type": "x/y", "x-goog-api-key": Secret("s3cret")}
        async with await pool.send(Request("POST", f"{url}/v1beta/m:x?alt=sse", headers, b"{}")) as response:
            assert (response.status, response.headers["x-trace"]) == (200, "T")
            assert await response.read() == b"fine"
    head, body = seen[0]
    assert head.startswith(b"POST /v1beta/m:x?alt=sse HTTP/1.1\r\n")
    assert f"host: {url.removeprefix('http://')}\r\n".encode() in head
    assert b"x-goog-api-key: s3cret\r\n" in head
    assert body == b"{}"


async def test_connections_are_used_again() -> None:
    visits: list[int] = []
    async with serving(saying(*[answer(b"a")] * 5, visits=visits)) as url, UpstreamPool() as pool:
        for _ in range(5):
            async with await pool.send(Request("GET", url)) as response:
                assert await response.read() == b"a"
    assert len(visits) == 1


async def test_as_many_connections_are_opened_as_requests_are_under_way() -> None:
    visits: list[int] = []
    async with serving(saying(*[answer(b"a")] * 5, visits=visits)) as url, UpstreamPool() as pool:

        async def ask() -> bytes:
            async with await pool.send(Request("POST", url, {}, b"x")) as response:
                return await response.read()

        assert await asyncio.gather(*(ask() for _ in range(20))) == [b"a"] * 20
    assert 1 < len(visits) <= 20


async def test_a_kept_connection_that_was_closed_meanwhile_costs_nothing() -> None:
    visits: list[int] = []
    async with serving(saying(answer(b"a"), visits=visits)) as url, UpstreamPool() as pool:
        for _ in range(3):
            async with await pool.send(Request("POST", url, {}, b"x")) as response:
                assert await response.read() == b"a"
    assert len(visits) == 3


async def test_a_kept_connection_that_is_closed_upon_a_request_is_replaced_once() -> None:
    visits: list[int] = []

    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visits.append(1)
        await read_request(reader)
        writer.write(answer(b"a"))
        await read_request(reader)  # the next request is read and never answered

    async with serving(visit) as url, UpstreamPool() as pool:
        for _ in range(2):
            async with await pool.send(Request("POST", url, {}, b"x")) as response:
                assert await response.read() == b"a"
    assert len(visits) == 2


async def test_a_new_connection_that_is_closed_without_an_answer_is_an_error() -> None:
    visits: list[int] = []

    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visits.append(1)
        await read_request(reader)

    async with serving(visit) as url, UpstreamPool() as pool:
        with pytest.raises(ConnectionCut):
            await pool.send(Request("POST", url, {}, b"x"))
    assert len(visits) == 1


@pytest.mark.parametrize(
    ("said", "body"),
    [
        (CHUNKED + chunked(b"one ", b"two"), b"one two"),
        (b"HTTP/1.1 200 OK\r\n\r\nuntil the end", b"until the end"),
        (b"HTTP/1.0 200 OK\r\n\r\nold", b"old"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + answer(b"after"), b"after"),
        (b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" + answer(b"after"), b"after"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        (answer(b""), b""),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 10_000])
async def test_every_form_of_an_answer_is_read_however_it_is_split(
    said: bytes, body: bytes, size: int
) -> None:
    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        for start in range(0, len(said), size):
            writer.write(said[start : start + size])
            await writer.drain()
            await asyncio.sleep(0)

    async with serving(visit) as url, UpstreamPool() as pool:
        response = await pool.send(Request("GET", url))
        assert await response.read() == body


@pytest.mark.parametrize(
    "said",
    [
        CHUNKED + chunked(b"half", end=False),
        answer(b"whole")[:-2],
        CHUNKED + b"zz\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-",
    ],
)
async def test_an_answer_that_ends_too_early_is_an_error(said: bytes) -> None:
    async with serving(saying(said)) as url, UpstreamPool() as pool:
        with pytest.raises(ConnectionCut):
            async with await pool.send(Request("GET", url)) as response:
                await response.read()


async def test_something_else_than_http_is_an_error() -> None:
    async with serving(saying(b"SSH-2.0-OpenSSH_9.9\r\n\r\n")) as url, UpstreamPool() as pool:
        with pytest.raises(ConnectionCut):
            await pool.send(Request("GET", url))


async def test_what_comes_unasked_on_a_kept_connection_ends_it() -> None:
    visits: list[int] = []
    sent = asyncio.Event()

    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visits.append(1)
        await read_request(reader)
        writer.write(answer(b"a"))
        await writer.drain()
        writer.write(answer(b"nobody asked", "408 Request Timeout"))
        await writer.drain()
        sent.set()
        await reader.read()

    async with serving(visit) as url, UpstreamPool() as pool:
        for _ in range(2):
            sent.clear()
            async with await pool.send(Request("GET", url)) as response:
                assert await response.read() == b"a"
            async with asyncio.timeout(SECONDS):
                await sent.wait()
            await until(lambda: not pool._open)
    assert len(visits) == 2


class Thinking:
    """A server that sends a first part of an answer and then nothing, until its client goes away."""

    def __init__(self, first: bytes) -> None:
        self.asked = asyncio.Event()
        self.left = asyncio.Event()
        self._first = first

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(self._first)
        self.asked.set()
        try:
            await reader.read()
        finally:
            self.left.set()


async def test_a_caller_that_is_cancelled_before_the_answer_closes_the_connection_at_once() -> None:
    thinking = Thinking(b"")
    async with serving(thinking) as url, UpstreamPool() as pool, asyncio.timeout(SECONDS):
        asking = asyncio.create_task(pool.send(Request("POST", url, {}, b"x")))
        await thinking.asked.wait()
        asking.cancel()
        await thinking.left.wait()
        with pytest.raises(asyncio.CancelledError):
            await asking


async def test_a_caller_that_is_cancelled_in_the_answer_closes_the_connection_at_once() -> None:
    thinking = Thinking(CHUNKED + chunked(b"first", end=False))
    got: list[bytes] = []

    async def ask(pool: UpstreamPool, url: str) -> None:
        async with await pool.send(Request("POST", url, {}, b"x")) as response:
            async for chunk in response.chunks:
                got.append(chunk)  # noqa: PERF401  (each piece counts when it comes)

    async with serving(thinking) as url, UpstreamPool() as pool, asyncio.timeout(SECONDS):
        asking = asyncio.create_task(ask(pool, url))
        await until(lambda: got)
        asking.cancel()
        await thinking.left.wait()
        with pytest.raises(asyncio.CancelledError):
            await asking


async def test_an_answer_left_unread_closes_its_connection() -> None:
    thinking = Thinking(CHUNKED + chunked(b"first", end=False))
    async with serving(thinking) as url, UpstreamPool() as pool, asyncio.timeout(SECONDS):
        async with await pool.send(Request("POST", url, {}, b"x")):
            pass
        await thinking.left.wait()


async def test_a_slow_reader_makes_the_server_wait_and_loses_nothing() -> None:
    pieces: Sequence[bytes] = [bytes([65 + number % 26]) * 65536 for number in range(400)]
    progress = [0]

    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(CHUNKED)
        for piece in pieces:
            writer.write(chunked(piece, end=False))
            await writer.drain()
            progress[0] += len(piece)
        writer.write(b"0\r\n\r\n")

    async with serving(visit) as url, UpstreamPool() as pool, asyncio.timeout(60):
        response = await pool.send(Request("GET", url))
        (connection,) = pool._open
        await until(lambda: connection._paused)
        assert sum(map(len, pieces)) - progress[0] > ROOM
        assert await response.read(100 * 1024 * 1024) == b"".join(pieces)


async def test_a_server_that_falls_silent_is_given_up() -> None:
    thinking = Thinking(CHUNKED + chunked(b"first", end=False))
    patience = Patience(silent_seconds=600)
    async with serving(thinking) as url, UpstreamPool(patience=patience) as pool, asyncio.timeout(SECONDS):
        async with await pool.send(Request("POST", url, {}, b"x")) as response:
            chunks = response.chunks
            assert await anext(chunks) == b"first"
            (connection,) = pool._open
            now = asyncio.get_running_loop().time()
            connection.check_time(now + 599, patience)
            connection.check_time(now + 601, patience)
            with pytest.raises(TimedOut):
                await anext(chunks)
        await thinking.left.wait()


async def test_a_connection_at_rest_is_closed_before_its_server_would() -> None:
    async with serving(saying(*[answer(b"a")] * 2)) as url, UpstreamPool() as pool:
        async with await pool.send(Request("GET", url)) as response:
            await response.read()
        (connection,) = pool._open
        now = asyncio.get_running_loop().time()
        connection.check_time(now + pool.patience.idle_seconds - 1, pool.patience)
        assert pool._open
        connection.check_time(now + pool.patience.idle_seconds + 1, pool.patience)
        assert not pool._open


async def test_nobody_listens() -> None:
    async with serving(saying()) as url:
        pass
    async with UpstreamPool() as pool:
        with pytest.raises(ConnectFailed, match="Could not connect to 127"):
            await pool.send(Request("GET", url))


@pytest.mark.parametrize("key", ["two\r\nlines: 1", "schlüssel\u2028"])
async def test_a_key_that_cannot_travel_is_told_without_being_shown(key: str) -> None:
    async with UpstreamPool() as pool:
        with pytest.raises(ConnectFailed) as told:
            await pool.send(Request("GET", "http://127.0.0.1:9", {"x-goog-api-key": Secret(key)}))
    assert key not in str(told.value)
