"""The server that waits for a browser: only the right answer ends it, and the browser sees how it ended."""

from __future__ import annotations

import asyncio
import http.client
import socket
from urllib.parse import urlsplit

import pytest

from groundwire.credentials.login_callback import CallbackServer
from groundwire.errors import SignInFailed


def get(server: CallbackServer, target: str, method: str = "GET") -> tuple[int, str]:
    """One request, as a browser on this machine sends it."""
    connection = http.client.HTTPConnection(server.redirect_uri.split("/")[2], timeout=10)
    connection.request(method, target)
    response = connection.getresponse()
    content = response.status, response.read().decode()
    connection.close()
    return content


async def ask(server: CallbackServer, target: str, method: str = "GET") -> tuple[int, str]:
    return await asyncio.to_thread(get, server, target, method)


async def test_the_right_answer_gives_the_code_and_the_browser_waits_for_its_page() -> None:
    async with CallbackServer("/cb", "S") as server:
        browser = asyncio.create_task(ask(server, "/cb?state=S&code=4%2F0abc&scope=x"))
        assert await server.code(10) == "4/0abc"
        assert not browser.done()
        server.show("<p>done</p>")
        assert await browser == (200, "<p>done</p>")


@pytest.mark.parametrize(
    ("target", "method", "status"),
    [
        ("/favicon.ico", "GET", 404),
        ("/", "GET", 404),
        ("/cb/more?state=S&code=x", "GET", 404),
        ("/oauth2callbackx?state=S&code=x", "GET", 404),
        ("/cb", "GET", 400),
        ("/cb?code=x", "GET", 400),
        ("/cb?state=T&code=x", "GET", 400),
        ("/cb?state=S%20&code=x", "GET", 400),
        ("/cb?state=%C3%A9&code=x", "GET", 400),
        ("/cb?state=T&error=access_denied", "GET", 400),
        ("/cb?state=S", "GET", 400),
        ("/cb?state=S&code=", "GET", 400),
        ("/cb?state=S&code=x", "HEAD", 405),
        ("/cb?state=S&code=x", "POST", 405),
    ],
)
async def test_a_stray_request_is_answered_and_the_waiting_goes_on(
    target: str, method: str, status: int
) -> None:
    async with CallbackServer("/cb", "S") as server:
        assert (await ask(server, target, method))[0] == status
        server.show("done")
        assert (await ask(server, "/cb?state=S&code=good")) == (200, "done")
        assert await server.code(10) == "good"


async def test_bytes_that_are_no_request_do_not_end_it() -> None:
    async with CallbackServer("/cb", "S") as server:
        host, port = server.redirect_uri.split("/")[2].split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"\x16\x03\x01\x02\x00 not http\r\n\r\n")
        await writer.drain()
        await reader.read()
        writer.close()
        server.show("done")
        assert (await ask(server, "/cb?state=S&code=good"))[0] == 200


async def test_a_refusal_on_the_page_ends_the_sign_in_with_its_reason() -> None:
    async with CallbackServer("/cb", "S") as server:
        status, page = await ask(server, "/cb?state=S&error=access_denied")
        assert status == 200
        assert "You are not signed in" in page
        with pytest.raises(SignInFailed, match="refused on the page"):
            await server.code(10)


async def test_an_error_is_shown_as_text_and_not_as_markup() -> None:
    async with CallbackServer("/cb", "S") as server:
        _, page = await ask(server, "/cb?state=S&error=x&error_description=%3Cscript%3Ealert(1)%3C/script%3E")
        assert "<script" not in page
        assert "&lt;script&gt;" in page
        with pytest.raises(SignInFailed, match="answered with an error"):
            await server.code(10)


async def test_a_page_that_is_reloaded_shows_the_same_end() -> None:
    async with CallbackServer("/cb", "S") as server:
        browsers = [asyncio.create_task(ask(server, f"/cb?state=S&code={code}")) for code in ("a", "a")]
        assert await server.code(10) == "a"
        server.show("done")
        assert await asyncio.gather(*browsers) == [(200, "done")] * 2


async def test_giving_up_tells_the_browser_that_is_still_waiting() -> None:
    async with CallbackServer("/cb", "S") as server:
        browser = asyncio.create_task(ask(server, "/cb?state=S&code=a"))
        await server.code(10)
    assert "given up" in (await browser)[1]


async def test_nobody_coming_back_is_told_after_a_while() -> None:
    async with CallbackServer("/cb", "S") as server:
        with pytest.raises(SignInFailed, match="Nobody signed in"):
            await server.code(0)


async def test_a_port_that_is_taken_leads_to_the_next_one() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        async with CallbackServer("/cb", "S", ports=(port, 0)) as server:
            assert f":{port}/" not in server.redirect_uri
        with pytest.raises(SignInFailed, match=f"port {port} is in use"):
            async with CallbackServer("/cb", "S", ports=(port,)):
                pass


async def test_it_listens_on_this_machine_only() -> None:
    async with CallbackServer("/cb", "S") as server:
        assert server.redirect_uri.startswith("http://127.0.0.1:")
        with pytest.raises(OSError, match=r"refused|unreachable|assign"):
            socket.create_connection(("127.0.0.2", urlsplit(server.redirect_uri).port or 0), timeout=5)
