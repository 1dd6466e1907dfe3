"""Pages of the public web: what is never visited, however it is spelled, and the limits of what is read."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from groundwire.errors import (
    AddressRefused,
    BodyTooLarge,
    ConnectFailed,
    PageUnreadable,
    RedirectRefused,
    TimedOut,
    TransportError,
)
from groundwire.testing import reply
from groundwire.transport.base import Request, Response, Transport
from groundwire.transport.public_web import MOST_BYTES, Page, PublicWeb, Target, checked

PUBLIC = "93.184.216.34"


class World:
    """Names and pages: what is looked up, where is connected, what is sent."""

    def __init__(self, names: dict[str, list[list[str]]], pages: dict[str, Response]) -> None:
        self._names = names
        self._pages = pages
        self.looked_up: list[str] = []
        self.connected: list[tuple[str, tuple[str, ...]]] = []
        self.asked: list[Request] = []

    async def resolve(self, host: str) -> list[str]:
        self.looked_up.append(host)
        if host not in self._names:
            raise OSError("no such host")
        answers = self._names[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]

    @asynccontextmanager
    async def connect(self, target: Target, addresses: Sequence[str]) -> AsyncIterator[Transport]:
        self.connected.append((target.host, tuple(addresses)))
        yield self

    async def send(self, request: Request) -> Response:
        self.asked.append(request)
        return self._pages[request.url]

    def web(self, **options: Any) -> PublicWeb:
        return PublicWeb(resolve=self.resolve, connect=self.connect, **options)


def page(body: str = "hello", **options: Any) -> Response:
    return reply(body, **options)


def redirect(to: str, status: int = 302) -> Response:
    return reply("", status=status, headers={"location": to})


async def refused(url: str, names: dict[str, list[list[str]]] | None = None) -> World:
    world = World(names or {}, {})
    with pytest.raises(AddressRefused):
        await world.web().get(url)
    assert not world.connected
    return world


SPELLINGS = [
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://127.0.0.1./",
    "http://１２７.0.0.1/",
    "http://127。0。0。1/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[0:0:0:0:0:ffff:a9fe:a9fe]/",
    "http://[fd00:ec2::254]/",
    "http://[fe80::1%25eth0]/",
    "http://0/",
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/",
    "http://10.0.0.1/",
    "http://192.168.0.1:8080/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
    "http://localhost/",
    "http://LOCALHOST/",
    "http://localhost./",
    "http://foo.localhost/",
    "http://printer.local/",
    "http://metadata.google.internal/",
    "http://intranet/",
]


@pytest.mark.parametrize("url", SPELLINGS)
async def test_a_private_address_is_not_visited_however_it_is_spelled(url: str) -> None:
    await refused(url)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://",
        "http:///path",
        "//example.org/",
        "example.org",
        "http://user@example.org/",
        "http://user:password@example.org/",
        "http://example.org\\@127.0.0.1/",
        "http://example.org:99999/",
        "http://example.org:x/",
        "http://exa mple.org/",
        "http://example.org/\r\nHost: x",
        "http://exam\tple.org/",
        "http://[::1/",
        "http://[x]/",
        "http://ex%61mple.org/",
        "http://-.example.org/",
        "http://256.256.256.256/",
        "http://1.2.3.4.5/",
        f"http://{'a' * 64}.org/",
        "",
    ],
)
async def test_what_is_not_plainly_an_address_is_not_visited(url: str) -> None:
    await refused(url)


@pytest.mark.parametrize("found", ["10.0.0.5", "127.0.0.1", "::1", "fe80::1%eth0", "169.254.169.254"])
async def test_a_name_that_leads_inside_is_not_visited(found: str) -> None:
    world = await refused("http://evil.example/", {"evil.example": [[found]]})
    assert world.looked_up == ["evil.example"]
    await refused("http://evil.example/", {"evil.example": [[PUBLIC, found]]})


async def test_a_connection_goes_where_the_look_up_said_and_the_name_is_not_looked_up_again() -> None:
    """DNS rebinding: the second answer would be this machine."""
    world = World({"evil.example": [[PUBLIC], ["127.0.0.1"]]}, {"http://evil.example/": page()})
    assert (await world.web().get("http://evil.example/")).body == b"hello"
    assert world.looked_up == ["evil.example"]
    assert world.connected == [("evil.example", (PUBLIC,))]


@pytest.mark.parametrize("to", [*SPELLINGS, "file:///etc/passwd", "//localhost/x", "http://inside.example/"])
async def test_a_redirect_does_not_lead_inside(to: str) -> None:
    names = {"a.example": [[PUBLIC]], "inside.example": [["10.1.1.1"]]}
    world = World(names, {"http://a.example/": redirect(to)})
    with pytest.raises(AddressRefused):
        await world.web().get("http://a.example/")
    assert len(world.connected) == 1


async def test_a_redirect_to_the_same_host_is_looked_up_and_judged_again() -> None:
    world = World({"a.example": [[PUBLIC], ["127.0.0.1"]]}, {"http://a.example/": redirect("/next")})
    with pytest.raises(AddressRefused):
        await world.web().get("http://a.example/")
    assert world.looked_up == ["a.example", "a.example"]


async def test_redirects_are_followed_and_counted() -> None:
    names = {"a.example": [[PUBLIC]], "b.example": [["1.1.1.1"]]}
    pages = {
        "http://a.example/": redirect("https://b.example/x?y=1#z"),
        "https://b.example/x?y=1": page("there"),
    }
    world = World(names, pages)
    assert await world.web().get("http://a.example") == Page(
        "https://b.example/x?y=1", "text/plain", "", b"there"
    )
    assert [addresses for _, addresses in world.connected] == [(PUBLIC,), ("1.1.1.1",)]
    endless = World(names, {"http://a.example/": redirect("/")})
    with pytest.raises(RedirectRefused, match="more than 5 times"):
        await endless.web().get("http://a.example/")
    assert len(endless.asked) == 6


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("HTTP://EXAMPLE.org", "http://example.org/"),
        ("https://example.org:443/a/../b", "https://example.org/a/../b"),
        ("http://example.org:8080/?q=北京&x=%20", "http://example.org:8080/?q=%E5%8C%97%E4%BA%AC&x=%20"),
        ("http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"),
        ("http://example.org/#part", "http://example.org/"),
        ("http://134744072/", "http://8.8.8.8/"),
        ("http://[2606:4700:4700:0::1111]/", "http://[2606:4700:4700::1111]/"),
    ],
)
def test_an_address_is_sent_in_one_spelling(url: str, sent: str) -> None:
    assert checked(url).url == sent


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (lambda: page(status=404), PageUnreadable, "status 404"),
        (lambda: page(status=500), PageUnreadable, "status 500"),
        (lambda: page(status=304), PageUnreadable, "status 304"),
        (lambda: page(content_type="image/png"), PageUnreadable, "image/png"),
        (lambda: page(content_type="application/octet-stream"), PageUnreadable, "octet-stream"),
        (lambda: page(headers={"content-length": str(MOST_BYTES + 1)}), BodyTooLarge, "5 MB"),
        (lambda: page("x" * (MOST_BYTES + 1)), BodyTooLarge, "5 MB"),
    ],
)
async def test_what_cannot_be_read_is_told(
    answer: Callable[[], Response], error: type[TransportError], words: str
) -> None:
    world = World({"a.example": [[PUBLIC]]}, {"http://a.example/": answer()})
    with pytest.raises(error, match=words):
        await world.web().get("http://a.example/")


@pytest.mark.parametrize(
    ("header", "kind", "charset"),
    [
        ("text/html; charset=GB2312", "text/html", "GB2312"),
        ('Text/Plain; charset="utf-8"', "text/plain", "utf-8"),
        ("application/json", "application/json", ""),
        ("application/feed+json", "application/feed+json", ""),
        ("application/rss+xml", "application/rss+xml", ""),
        ("application/pdf", "application/pdf", ""),
        ("text/markdown", "text/markdown", ""),
    ],
)
async def test_text_of_many_kinds_is_read(header: str, kind: str, charset: str) -> None:
    world = World({"a.example": [[PUBLIC]]}, {"http://a.example/": page(content_type=header)})
    got = await world.web().get("http://a.example/")
    assert (got.content_type, got.charset) == (kind, charset)


async def test_a_host_that_does_not_exist_is_told() -> None:
    with pytest.raises(ConnectFailed, match=r"nowhere\.example was not found"):
        await World({}, {}).web().get("http://nowhere.example/")


async def test_a_page_that_takes_too_long_is_left() -> None:
    async def never(host: str) -> list[str]:
        await asyncio.Event().wait()
        return []

    with pytest.raises(TimedOut, match=r"within 0\.01 seconds"):
        await PublicWeb(resolve=never, seconds=0.01).get("http://a.example/")


async def test_no_credential_is_sent() -> None:
    world = World({"a.example": [[PUBLIC]]}, {"http://a.example/": page()})
    await world.web().get("http://a.example/")
    assert set(world.asked[0].headers) == {"accept"}


# -- over real sockets ---------------------------------------------------------------------------------


@asynccontextmanager
async def serving(answer: bytes) -> AsyncIterator[tuple[int, list[bytes]]]:
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], heard


async def local(host: str) -> list[str]:
    return ["127.0.0.1"]


def answered(body: bytes, *lines: str) -> bytes:
    head = ["HTTP/1.1 200 OK", f"Content-Length: {len(body)}", "Connection: close", *lines]
    return "\r\n".join([*head, "", ""]).encode() + body


async def test_a_real_connection_is_made_to_the_pinned_address_and_to_no_proxy() -> None:
    """The name exists nowhere and every proxy leads nowhere: only the pin can be the way."""
    async with serving(answered(b"hello", "Content-Type: text/plain")) as (port, heard):
        web = PublicWeb(resolve=local, allowed=lambda address: True)
        got = await web.get(f"http://pages.example.test:{port}/x")
    assert (got.body, got.url) == (b"hello", f"http://pages.example.test:{port}/x")
    assert f"host: pages.example.test:{port}".encode() in heard[0].lower()


async def test_a_body_that_grows_when_it_is_unpacked_is_bounded() -> None:
    bomb = gzip.compress(bytes(64 * 1024 * 1024))
    async with serving(answered(bomb, "Content-Type: text/plain", "Content-Encoding: gzip")) as (port, _):
        web = PublicWeb(resolve=local, allowed=lambda address: True)
        with pytest.raises(BodyTooLarge):
            await web.get(f"http://pages.example.test:{port}/")


async def test_this_machine_is_not_visited_by_a_name_that_leads_to_it() -> None:
    async with serving(answered(b"secret", "Content-Type: text/plain")) as (port, heard):
        for url in (f"http://pages.example.test:{port}/", f"http://127.0.0.1:{port}/"):
            with pytest.raises(AddressRefused):
                await PublicWeb(resolve=local).get(url)
    assert heard == []
