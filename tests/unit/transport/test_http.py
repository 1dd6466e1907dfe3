"""The wire itself, against a server on loopback that misbehaves on purpose."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pyqwest
import pytest

from groundwire.address import host_of, is_loopback
from groundwire.errors import (
    BodyTooLarge,
    ConnectFailed,
    ConnectionCut,
    InvalidConfig,
    TimedOut,
    TransportError,
)
from groundwire.secret import Secret
from groundwire.transport.base import Request
from groundwire.transport.http import Http, Timeouts, translated

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def server(handler: Handler) -> AsyncIterator[str]:
    """A raw server on a free port of this machine; gives its address."""

    visits: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = asyncio.current_task()
        assert visit is not None
        visits.add(visit)
        try:
            with suppress(ConnectionError):
                await handler(reader, writer)
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            visits.discard(visit)

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        listening.close()
        for visit in list(visits):
            visit.cancel()
        await asyncio.gather(*visits, return_exceptions=True)
        await listening.wait_closed()


async def head_of(reader: asyncio.StreamReader) -> bytes:
    return await reader.readuntil(b"\r\n\r\n")


async def test_a_request_arrives_as_it_was_built_and_its_answer_streams() -> None:
    seen: list[bytes] = []

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await head_of(reader)
        seen.append(head.lower() + await reader.readexactly(5))
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: Text/Plain; x=y\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        writer.write(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")

    async with server(handler) as url, Http() as http:
        request = Request("POST", f"{url}/v1?x=1", {"X-Key": Secret("s3cret"), "X-Plain": "p"}, b"hello")
        async with await http.send(request) as response:
            assert (response.status, response.content_type) == (200, "text/plain")
            assert await response.read() == b"abcde"
    assert b"post /v1?x=1 http/1.1" in seen[0]
    assert b"x-key: s3cret" in seen[0]
    assert b"user-agent: groundwire/" in seen[0]
    assert seen[0].endswith(b"hello")
    assert "s3cret" not in repr(request)


async def test_a_redirect_is_not_followed_so_no_credential_travels() -> None:
    visits: list[bytes] = []

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visits.append(await head_of(reader))
        writer.write(b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")

    async with server(handler) as url, Http() as http, await http.send(Request("GET", url)) as response:
        assert (response.status, response.headers["location"]) == (302, "/elsewhere")
    assert len(visits) == 1


async def test_cancelling_the_caller_closes_the_connection() -> None:
    closed = asyncio.Event()
    started = asyncio.Event()

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n")
        started.set()
        assert await reader.read() == b""  # the client is gone
        closed.set()

    async def read(url: str, http: Http) -> None:
        async with await http.send(Request("GET", url)) as response:
            await response.read()

    async with server(handler) as url, Http() as http:
        task = asyncio.create_task(read(url, http))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(5):
            await closed.wait()


async def test_cancelling_the_caller_while_the_server_thinks_closes_the_connection() -> None:
    closed = asyncio.Event()
    asked = asyncio.Event()

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        asked.set()
        assert await reader.read() == b""
        closed.set()

    async with server(handler) as url, Http() as http:
        task = asyncio.create_task(http.send(Request("POST", url)))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(5):
            await closed.wait()


async def test_leaving_a_response_unread_closes_the_connection() -> None:
    closed = asyncio.Event()

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n")
        await reader.read()
        closed.set()

    async with server(handler) as url, Http() as http:
        async with await http.send(Request("GET", url)):
            pass
        async with asyncio.timeout(5):
            await closed.wait()


async def test_a_stalled_answer_times_out() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        await reader.read()

    async with server(handler) as url, Http(timeouts=Timeouts(read=0.05)) as http:
        with pytest.raises(TimedOut, match="stopped answering"):
            await http.send(Request("GET", url))


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"nonsense\r\n\r\n",
    ],
)
async def test_a_broken_answer_is_a_transport_error_of_ours(answer: bytes) -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(answer)

    async def read(url: str, http: Http) -> None:
        async with await http.send(Request("GET", url)) as response:
            await response.read()

    async with server(handler) as url, Http() as http:
        with pytest.raises(ConnectionCut):
            await read(url, http)


async def test_an_answer_of_any_size_is_read_within_bounds() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 31457280\r\n\r\n")
        for _ in range(30):
            writer.write(b"x" * 1024 * 1024)
            await writer.drain()

    async with server(handler) as url, Http() as http, await http.send(Request("GET", url)) as response:
        with pytest.raises(BodyTooLarge, match="20 MB"):
            await response.read()


async def test_nobody_listening_is_a_failed_connection_that_names_the_host() -> None:
    async with Http() as http:
        with pytest.raises(ConnectFailed, match=r"127\.0\.0\.1:9\b"):
            await http.send(Request("GET", "http://127.0.0.1:9/secret-path?key=k"))


async def test_loopback_never_goes_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")

    monkeypatch.delenv("NO_PROXY")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with server(handler) as url, Http() as http, await http.send(Request("GET", url)) as response:
        assert response.status == 204


async def test_other_hosts_go_through_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await head_of(reader))
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")

    async with server(handler) as url:
        monkeypatch.setenv("HTTP_PROXY", url)
        monkeypatch.setenv("http_proxy", url)
        async with Http() as http, await http.send(Request("GET", "http://company.example/x")) as response:
            assert response.status == 204
    assert seen[0].startswith(b"GET http://company.example/x HTTP/1.1")


@pytest.mark.parametrize("content", [None, b"not a certificate"])
async def test_a_certificate_file_that_cannot_be_used_is_named(tmp_path: Path, content: bytes | None) -> None:
    ca_file = tmp_path / "ca.pem"
    if content is not None:
        ca_file.write_bytes(content)
    async with Http(ca_file=ca_file) as http:
        with pytest.raises(InvalidConfig, match=r"ca\.pem"):
            await http.send(Request("GET", "https://company.example/"))


def foreign_errors() -> list[type[BaseException]]:
    """Every exception pyqwest exports, and the built-in ones its documentation names."""
    exported = [getattr(pyqwest, name) for name in pyqwest.__all__]
    errors = [kind for kind in exported if isinstance(kind, type) and issubclass(kind, BaseException)]
    return [*errors, ConnectionError, TimeoutError, ValueError, RuntimeError]


@pytest.mark.parametrize("kind", foreign_errors(), ids=lambda kind: kind.__name__)
def test_every_error_of_the_http_library_becomes_one_of_ours(kind: type[BaseException]) -> None:
    error = kind.__new__(kind)
    error.args = ("Request failed: boom",)
    with (
        pytest.raises(TransportError, match=r"example\.org") as caught,
        translated("https://example.org/path"),
    ):
        raise error
    assert type(caught.value) is not TransportError


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://127.0.0.1:80/x", True),
        ("http://127.9.9.9", True),
        ("http://[::1]:8080", True),
        ("http://localhost", True),
        ("http://api.localhost/", True),
        ("http://127.0.0.1.example.org", False),
        ("http://localhost.example.org", False),
        ("http://10.0.0.1", False),
        ("https://example.org", False),
        ("http://[broken", False),
        ("", False),
    ],
)
def test_loopback_is_recognised_by_the_host_alone(url: str, loopback: bool) -> None:
    assert is_loopback(url) is loopback


def test_a_host_for_messages_has_no_path_query_or_password() -> None:
    assert host_of("https://user:pass@example.org:8443/path?key=secret") == "example.org:8443"
    assert host_of("http://[broken") == "an unreadable address"
