"""Serving on this machine: a socket that listens, and an application that answers while a block lasts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from groundwire.errors import InvalidConfig
from groundwire.serving import listening, serving

HOST = "127.0.0.1"


async def hello(scope: Any, receive: Any, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"hello"})


async def told_by(port: int) -> bytes:
    reader, writer = await asyncio.open_connection(HOST, port)
    writer.write(b"GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n")
    told = await reader.read()
    writer.close()
    return told


async def test_an_application_answers_while_the_block_lasts_and_no_longer() -> None:
    listener = listening(HOST, 0, "The test")
    port = listener.getsockname()[1]
    async with serving(hello, listener):
        assert (await told_by(port)).endswith(b"hello")
    with pytest.raises(ConnectionRefusedError):
        await told_by(port)


async def test_a_block_that_fails_ends_the_serving_too() -> None:
    listener = listening(HOST, 0, "The test")
    port = listener.getsockname()[1]
    with pytest.raises(KeyError):
        async with serving(hello, listener):
            raise KeyError
    with pytest.raises(ConnectionRefusedError):
        await told_by(port)


def test_a_port_that_is_taken_is_told_in_the_name_of_who_wanted_it() -> None:
    with listening(HOST, 0, "The first") as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            InvalidConfig, match=f"The second cannot listen on {HOST}:{port}: .*in use.*--port"
        ):
            listening(HOST, port, "The second")


@pytest.mark.parametrize("port", [-1, 65536, 10**9])
def test_a_number_that_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(InvalidConfig, match="a port is a number up to 65535"):
        listening(HOST, port, "The test")


def test_a_host_that_is_not_of_this_machine_is_refused() -> None:
    with pytest.raises(InvalidConfig, match=r"cannot listen on 192\.0\.2\.1.*address of this machine"):
        listening("192.0.2.1", 0, "The test")
