"""The server's side of HTTP, asked in exact bytes."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from groundwire.gateway.wire_reply import Reply
from groundwire.gateway.wire_server import Connection, Handler, Inbound, Limits, Server
from tests.unit.gateway.raw_http import SECONDS, Client, chunked, get, post, until

TEXT = (("content-type", "text/plain"),)


@asynccontextmanager
async def listening(handler: Handler, limits: Limits | None = None) -> AsyncIterator[tuple[Server, Client]]:
    """A server with this handler, and one client of it."""
    server = Server(handler, limits=limits, refused=lambda status, trouble: trouble.encode())
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)
    await server.listen(listener)
    client = await Client.to(f"http://127.0.0.1:{listener.getsockname()[1]}")
    try:
        yield server, client
    finally:
        server.stop_now()
        await client.close()
        async with asyncio.timeout(SECONDS):
            await server.stop()


async def echo(request: Inbound, reply: Reply) -> None:
    reply.send(200, TEXT, f"{request.method} {request.path} {request.query} ".encode() + request.body)


async def test_a_connection_carries_one_request_after_another() -> None:
    async with listening(echo) as (_, client):
        for number in (b"1", b"2", b"3"):
            client.send(post("/a?x=1", number))
            assert (await client.hear()).body == b"POST /a x=1 " + number


async def test_requests_sent_before_their_turn_are_answered_in_order() -> None:
    async with listening(echo, Limits(waiting_requests=2)) as (_, client):
        client.send(b"".join(post("/", b"%d" % number) for number in range(10)))
        heard = [(await client.hear()).body for _ in range(10)]
        assert heard == [b"POST /  %d" % number for number in range(10)]


@pytest.mark.parametrize(
    ("target", "understood"),
    [
        ("http://localhost:8766/a?x=1", b"localhost:8766 /a x=1"),
        ("http://other.example", b"other.example / "),
        ("made://up/a", b"up /a "),
        ("/a?x=http://y#part", b"127.0.0.1 /a x=http://y"),
        ("*", b"127.0.0.1 * "),
    ],
)
async def test_a_target_is_read_as_a_path_and_its_server_as_the_host(target: str, understood: bytes) -> None:
    async def tells(request: Inbound, reply: Reply) -> None:
        reply.send(200, TEXT, f"{request.headers['host']} {request.path} {request.query}".encode())

    async with listening(tells) as (_, client):
        client.send(get(target))
        assert (await client.hear()).body == understood


@pytest.mark.parametrize("size", [1, 3, 1000])
async def test_a_request_may_come_in_pieces_of_any_size(size: int) -> None:
    async with listening(echo) as (_, client):
        request = post("/p?q=%20", b"some body")
        for start in range(0, len(request), size):
            client.send(request[start : start + size])
            await asyncio.sleep(0)
        assert (await client.hear()).body == b"POST /p q=%20 some body"


async def test_a_chunked_request_is_read() -> None:
    async with listening(echo) as (_, client):
        client.send(
            b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n" + chunked(b"abc", b"de")
        )
        assert (await client.hear()).body == b"POST /  abcde"


async def test_a_client_that_asks_before_sending_is_told_to_go_on() -> None:
    async with listening(echo) as (_, client):
        client.send(b"POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n")
        assert (await client.hear_head()).status == 100
        client.send(b"ok")
        assert (await client.hear()).body == b"POST /  ok"


async def test_an_offer_of_http_2_is_answered_in_http_1() -> None:
    offer = (
        "connection: Upgrade, HTTP2-Settings",
        "upgrade: h2c",
        "http2-settings: AAMAAABkAARAAAAAAAIAAAAA",
    )
    async with listening(echo) as (_, client):
        client.send(post("/", b"first", *offer))
        assert (await client.hear()).body == b"POST /  first"
        client.send(get("/second", *offer))
        assert (await client.hear()).body == b"GET /second  "
        client.send(get("/third"))
        assert (await client.hear()).body == b"GET /third  "


async def test_an_old_client_gets_its_stream_until_the_connection_ends() -> None:
    async def two_pieces(request: Inbound, reply: Reply) -> None:
        reply.start(200, TEXT)
        await reply.write(b"one ")
        await reply.write(b"two")
        reply.end()

    async with listening(two_pieces) as (_, client):
        client.send(b"GET / HTTP/1.0\r\n\r\n")
        heard = await client.hear()
        assert heard.body == b"one two"
        assert heard.headers["connection"] == "close"


async def test_an_old_client_that_wants_to_stay_is_told_that_it_may() -> None:
    async with listening(echo) as (_, client):
        for _ in range(2):
            client.send(b"GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n")
            assert (await client.hear()).headers["connection"] == "keep-alive"


async def test_a_head_has_no_body() -> None:
    async with listening(echo) as (_, client):
        client.send(b"HEAD / HTTP/1.1\r\nhost: x\r\n\r\n" + get("/next"))
        assert (await client.hear_head()).headers["content-length"] == str(len("HEAD /  "))
        assert (await client.hear()).body == b"GET /next  "


async def test_a_client_that_says_close_is_let_go() -> None:
    async with listening(echo) as (_, client):
        client.send(get("/", "connection: close"))
        assert (await client.hear()).headers["connection"] == "close"
        assert await client.is_closed()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"this is not http\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n", 400),
        (
            b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            400,
        ),
        (b"GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n", 400),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nhost: x\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nhost: x\r\n" + b"x: y\r\n" * 70_000 + b"\r\n", 431),
        (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 11\r\n\r\n", 413),
        (b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n" + b"4\r\nabcd\r\n" * 4, 413),
    ],
)
async def test_what_is_no_good_request_is_refused_and_ends_the_connection(sent: bytes, status: int) -> None:
    async with listening(echo, Limits(body_bytes=10)) as (_, client):
        client.send(sent)
        heard = await client.hear()
        assert heard.status == status
        assert heard.body
        assert await client.is_closed()


async def test_a_body_of_the_largest_size_arrives_whole() -> None:
    size = Limits().body_bytes

    async def measure(request: Inbound, reply: Reply) -> None:
        reply.send(200, TEXT, str(len(request.body)).encode())

    async with listening(measure) as (_, client):
        client.send(post("/", b"x" * size))
        assert (await client.hear()).body == str(size).encode()


class Endless:
    """A handler that streams until it is stopped, and remembers how that was."""

    def __init__(self, piece: bytes = b"x") -> None:
        self.began = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.written = 0
        self._piece = piece

    async def __call__(self, request: Inbound, reply: Reply) -> None:
        reply.start(200, TEXT)
        try:
            while True:
                await reply.write(self._piece)
                self.written += len(self._piece)
                self.began.set()
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


def leave(client: Client) -> None:
    client.writer.close()


def reset(client: Client) -> None:
    client.writer.transport.abort()


def half_close(client: Client) -> None:
    client.writer.write_eof()


@pytest.mark.parametrize("how", [leave, reset, half_close])
async def test_a_client_that_goes_away_ends_its_answer_at_once(how: Callable[[Client], None]) -> None:
    endless = Endless()
    async with listening(endless) as (server, client):
        client.send(get("/"))
        async with asyncio.timeout(SECONDS):
            await endless.began.wait()
            how(client)
            await endless.cancelled.wait()
            await until(lambda: not server.connections)


async def test_a_client_that_does_not_read_makes_the_answer_wait() -> None:
    endless = Endless(b"x" * 65536)
    async with listening(endless) as (server, client):
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        client.send(get("/"))
        await until(lambda: any(connection.full for connection in server.connections))
        held = endless.written
        for _ in range(100):
            await asyncio.sleep(0)
        assert endless.written == held
        client.writer.transport.resume_reading()  # type: ignore[attr-defined]
        async with asyncio.timeout(SECONDS):
            while endless.written < held + 65536:
                await client.reader.read(65536)


async def test_a_client_that_reads_slowly_keeps_its_answer_and_one_that_stops_loses_it() -> None:
    async def large(request: Inbound, reply: Reply) -> None:
        reply.send(200, TEXT, b"x" * 64 * 1024 * 1024)

    async with listening(large, Limits(silent_seconds=30)) as (server, client):
        client.send(get("/"))
        await until(lambda: server.connections and only(server).full)
        connection, minutes_later = only(server), asyncio.get_running_loop().time()
        connection.check_time(minutes_later)
        async with asyncio.timeout(SECONDS):
            for _ in range(4):
                await client.reader.readexactly(8 * 1024 * 1024)
                minutes_later += 60
                connection.check_time(minutes_later)
        connection.check_time(minutes_later + 20)
        assert server.connections
        connection.check_time(minutes_later + 60)
        await until(lambda: not server.connections)


async def test_an_answer_that_is_cut_has_no_end() -> None:
    async def breaks(request: Inbound, reply: Reply) -> None:
        reply.start(200, TEXT)
        await reply.write(b"half")
        reply.cut()

    async with listening(breaks) as (_, client):
        client.send(get("/"))
        heard = await client.hear()
        assert (heard.body, heard.cut) == (b"half", True)


async def test_an_old_client_cannot_take_a_cut_for_an_end() -> None:
    told = asyncio.Event()

    async def breaks(request: Inbound, reply: Reply) -> None:
        reply.start(200, TEXT)
        await reply.write(b"half")
        await told.wait()
        reply.cut()

    async with listening(breaks) as (_, client):
        client.send(b"GET / HTTP/1.0\r\n\r\n")
        await client.hear_head()
        assert await client.reader.readexactly(4) == b"half"
        told.set()
        with pytest.raises(ConnectionResetError):
            await client.reader.read()


async def test_a_handler_that_forgets_to_end_its_answer_breaks_it_off() -> None:
    async def forgets(request: Inbound, reply: Reply) -> None:
        reply.start(200, TEXT)

    async with listening(forgets) as (_, client):
        client.send(get("/"))
        assert (await client.hear()).cut


async def test_a_handler_that_fails_breaks_its_answer_off() -> None:
    async def fails(request: Inbound, reply: Reply) -> None:
        reply.start(200, TEXT)
        raise RuntimeError("a bug")

    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    async with listening(fails) as (_, client):
        client.send(get("/"))
        assert (await client.hear()).cut


def only(server: Server) -> Connection:
    (connection,) = server.connections
    return connection


async def test_a_connection_at_rest_is_closed_after_a_while_and_not_before() -> None:
    async with listening(echo, Limits(idle_seconds=75)) as (server, client):
        client.send(get("/"))
        await client.hear()
        now = asyncio.get_running_loop().time()
        only(server).check_time(now + 74)
        client.send(get("/"))
        assert (await client.hear()).status == 200
        only(server).check_time(asyncio.get_running_loop().time() + 76)
        assert await client.is_closed()


async def test_a_request_that_stops_in_the_middle_is_refused() -> None:
    async with listening(echo, Limits(silent_seconds=30)) as (server, client):
        client.send(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nab")
        await until(lambda: only(server)._reading)
        only(server).check_time(asyncio.get_running_loop().time() + 31)
        assert (await client.hear()).status == 408
        assert await client.is_closed()


async def test_an_answer_that_takes_its_time_is_not_disturbed() -> None:
    told = asyncio.Event()

    async def slow(request: Inbound, reply: Reply) -> None:
        await told.wait()
        reply.send(200, TEXT, b"at last")

    async with listening(slow) as (server, client):
        client.send(get("/"))
        await until(lambda: only(server)._task)
        only(server).check_time(asyncio.get_running_loop().time() + 3600)
        told.set()
        assert (await client.hear()).body == b"at last"


async def test_stopping_lets_an_answer_come_to_its_end_and_takes_no_more() -> None:
    began, told = asyncio.Event(), asyncio.Event()

    async def slow(request: Inbound, reply: Reply) -> None:
        reply.start(200, TEXT)
        await reply.write(b"first ")
        began.set()
        await told.wait()
        await reply.write(b"last")
        reply.end()

    async with listening(slow) as (server, client):
        port = client.writer.get_extra_info("peername")[1]
        resting = await Client.to(f"http://127.0.0.1:{port}")
        client.send(get("/"))
        await began.wait()
        stopping = asyncio.create_task(server.stop())
        assert await resting.is_closed()
        with pytest.raises(ConnectionError):
            await Client.to(f"http://127.0.0.1:{port}")
        assert not stopping.done()
        told.set()
        heard = await client.hear()
        assert (heard.body, heard.cut) == (b"first last", False)
        async with asyncio.timeout(SECONDS):
            await stopping
        await resting.close()


async def test_stopping_now_breaks_everything_off() -> None:
    endless = Endless()
    async with listening(endless) as (server, client):
        client.send(get("/"))
        async with asyncio.timeout(SECONDS):
            await endless.began.wait()
            stopping = asyncio.create_task(server.stop())
            await asyncio.sleep(0)
            server.stop_now()
            await stopping
            await endless.cancelled.wait()
