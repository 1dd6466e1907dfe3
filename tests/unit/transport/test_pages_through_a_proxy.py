"""Pages through a real proxy on this machine: it is told addresses that were checked, and no page inside."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from groundwire.config import load_config
from groundwire.emulator import Emulator
from groundwire.errors import AddressRefused, ConnectFailed, TransportError
from groundwire.runtime import Runtime
from groundwire.testing import AsgiTransport
from groundwire.transport.proxies import proxy_for
from groundwire.transport.public_web import PublicWeb
from tests.unit.transport.test_public_web import answered, serving
from tests.unit.transport.vouched import vouched

PUBLIC = "93.184.216.34"


@dataclass
class Proxy:
    """A proxy that leads every CONNECT to one port of this machine, and answers everything else itself."""

    leads_to: int
    refuses: str = ""
    port: int = 0
    asked: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Proxy]:
        visits: list[asyncio.Task[None]] = []

        def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            visits.append(asyncio.create_task(self._serve(reader, writer)))

        server = await asyncio.start_server(visit, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            await asyncio.gather(*visits)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.asked.append(head)
        if self.refuses:
            writer.write(f"HTTP/1.1 {self.refuses}\r\n\r\n".encode())
        elif not head.startswith("CONNECT"):
            writer.write(answered(b"by the proxy", "Content-Type: text/plain"))
        else:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.leads_to)
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            there = asyncio.create_task(pour(reader, far_writer))
            await pour(far_reader, writer)
            there.cancel()
            await asyncio.gather(there, return_exceptions=True)
            await gone(far_writer)
        await gone(writer)


async def pour(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await source.read(65536):
            target.write(piece)


async def gone(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


@asynccontextmanager
async def secure_site(folder: Path, name: str) -> AsyncIterator[tuple[int, Path]]:
    """A site with a certificate for a name: its port, and the file that vouches for it."""
    authority_file, certificate_file, key_file = vouched(folder, name)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate_file, key_file)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(PAGE)
        await gone(writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1], authority_file
    finally:
        server.close()


async def public(host: str) -> list[str]:
    return ["2606:2800:220:1::1", PUBLIC]


async def inside(host: str) -> list[str]:
    return ["10.0.0.1"]


async def unknown(host: str) -> list[str]:
    raise OSError("no such host")


PAGE = answered(b"hello", "Content-Type: text/plain")


async def test_the_proxy_is_told_the_address_and_the_site_the_name() -> None:
    async with serving(PAGE) as (port, heard), Proxy(port).serving() as proxy:
        web = PublicWeb(resolve=public, proxy_for=lambda target: proxy.url)
        page = await web.get("http://pages.example.test/x")
    assert (page.body, page.url) == (b"hello", "http://pages.example.test/x")
    assert [head.splitlines()[0] for head in proxy.asked] == [f"CONNECT {PUBLIC}:80 HTTP/1.1"]
    assert heard[0].startswith(b"GET /x HTTP/1.1\r\n")
    assert b"host: pages.example.test\r\n" in heard[0].lower()


async def test_the_certificate_of_the_name_is_checked_through_the_proxy(tmp_path: Path) -> None:
    async with secure_site(tmp_path, "pages.example.test") as (port, ca_file), Proxy(port).serving() as proxy:
        web = PublicWeb(resolve=public, proxy_for=lambda target: proxy.url, ca_file=ca_file)
        assert (await web.get("https://pages.example.test/")).body == b"hello"
        with pytest.raises(TransportError):
            await web.get("https://other.example.test/")
    assert {head.splitlines()[0] for head in proxy.asked} == {f"CONNECT {PUBLIC}:443 HTTP/1.1"}


async def test_another_port_than_the_usual_one_is_not_reached_by_a_checked_address() -> None:
    async with Proxy(1).serving() as proxy:
        web = PublicWeb(resolve=public, proxy_for=lambda target: proxy.url)
        with pytest.raises(ConnectFailed, match="port 8080"):
            await web.get("http://pages.example.test:8080/")
        web = PublicWeb(resolve=public, proxy_for=lambda target: proxy.url, proxy_looks_up=True)
        await web.get("http://pages.example.test:8080/")
    assert [head.split()[1] for head in proxy.asked] == ["http://pages.example.test:8080/"]


async def test_a_name_that_leads_inside_is_not_put_to_the_proxy() -> None:
    async with Proxy(1).serving() as proxy:
        for trusted in (False, True):
            web = PublicWeb(resolve=inside, proxy_for=lambda target: proxy.url, proxy_looks_up=trusted)
            for url in ("http://pages.example.test/", "http://10.0.0.1/", "http://metadata.google.internal/"):
                with pytest.raises(AddressRefused):
                    await web.get(url)
    assert proxy.asked == []


async def test_a_redirect_through_a_proxy_does_not_lead_inside() -> None:
    moved = b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n"
    async with serving(moved) as (port, _), Proxy(port).serving() as proxy:
        web = PublicWeb(resolve=public, proxy_for=lambda target: proxy.url)
        with pytest.raises(AddressRefused):
            await web.get("http://pages.example.test/")
    assert len(proxy.asked) == 1


async def test_only_who_trusts_the_proxy_lets_it_look_names_up() -> None:
    async with Proxy(1).serving() as proxy:
        web = PublicWeb(resolve=unknown, proxy_for=lambda target: proxy.url)
        with pytest.raises(ConnectFailed, match=r"agent\.proxy_looks_up"):
            await web.get("http://pages.example.test/")
        assert proxy.asked == []
        web = PublicWeb(resolve=unknown, proxy_for=lambda target: proxy.url, proxy_looks_up=True)
        assert (await web.get("http://pages.example.test/")).body == b"by the proxy"
    assert proxy.asked[0].startswith("GET http://pages.example.test/ HTTP/1.1\r\n")


async def test_an_address_is_reached_through_the_proxy_too() -> None:
    async with Proxy(1).serving() as proxy:
        web = PublicWeb(proxy_for=lambda target: proxy.url)
        assert (await web.get(f"http://{PUBLIC}/")).body == b"by the proxy"
    assert proxy.asked[0].startswith(f"GET http://{PUBLIC}/ ")


async def test_a_proxy_that_refuses_is_named_without_its_password_and_gets_it() -> None:
    async with Proxy(1, refuses="403 Forbidden").serving() as proxy:
        url = f"http://me:p%40ss@127.0.0.1:{proxy.port}"
        web = PublicWeb(resolve=public, proxy_for=lambda target: url)
        with pytest.raises(ConnectFailed, match="does not lead to") as refused:
            await web.get("http://pages.example.test/")
    assert "403 Forbidden" in str(refused.value)
    assert "p@ss" not in str(refused.value)
    assert "p%40ss" not in str(refused.value)
    assert "Proxy-Authorization: Basic bWU6cEBzcw==\r\n" in proxy.asked[0]
    assert len(proxy.asked) == 2, "every address was tried"


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "socks5://127.0.0.1:9", "http://", "http://[::"])
async def test_a_proxy_that_cannot_be_used_is_told(proxy: str) -> None:
    with pytest.raises(ConnectFailed, match="proxy"):
        await PublicWeb(resolve=public, proxy_for=lambda target: proxy).get("http://pages.example.test/")


async def test_a_site_that_breaks_off_behind_the_proxy_is_told() -> None:
    async with serving(b"") as (port, _), Proxy(port).serving() as proxy:
        web = PublicWeb(resolve=public, proxy_for=lambda target: proxy.url)
        with pytest.raises(TransportError):
            await web.get("http://pages.example.test/")


SCRIPT = """
[[step]]
call = [{ name = "web_fetch", args = { prompt = "What is at http://93.184.216.34/page ?" } }]

[[step]]
text = "{{result}}"
"""


async def test_an_agent_uses_the_proxy_of_the_environment(tmp_path: Path) -> None:
    script = tmp_path / "script.toml"
    script.write_text(SCRIPT, encoding="utf-8")
    emulator = Emulator(script=str(script))
    async with Proxy(1).serving() as proxy:
        env = {**emulator.env(), "HTTP_PROXY": proxy.url, "NO_PROXY": ""}
        config = load_config(env=env, cwd=tmp_path, home=tmp_path)
        async with Runtime(config, env=env, http=AsgiTransport(emulator.app)) as runtime:
            outcome = await runtime.agent(tmp_path).run("Read http://93.184.216.34/page")
    assert "by the proxy" in outcome.text
    assert proxy.asked[0].startswith("GET http://93.184.216.34/page ")


BOTH = {"HTTPS_PROXY": "http://capital:1", "https_proxy": "http://small:1", "HTTP_PROXY": "plain:3128"}


@pytest.mark.parametrize(
    ("scheme", "host", "env", "expected"),
    [
        ("https", "a.example", {}, None),
        ("https", "a.example", BOTH, "http://small:1"),
        ("http", "a.example", BOTH, "http://plain:3128"),
        ("http", "a.example", {"ALL_PROXY": "http://all:1"}, "http://all:1"),
        ("http", "a.example", {"HTTPS_PROXY": "http://x:1"}, None),
        ("http", "a.example", {**BOTH, "NO_PROXY": "*"}, None),
        ("http", "a.example", {**BOTH, "NO_PROXY": "b.example, A.example"}, None),
        ("http", "www.a.example", {**BOTH, "NO_PROXY": "a.example"}, None),
        ("http", "www.a.example", {**BOTH, "NO_PROXY": ".a.example"}, None),
        ("http", "www.a.example", {**BOTH, "NO_PROXY": "*.a.example"}, None),
        ("http", "aa.example", {**BOTH, "NO_PROXY": "a.example"}, "http://plain:3128"),
        ("http", "a.example", {**BOTH, "NO_PROXY": "a.example:80"}, None),
        ("http", "a.example", {**BOTH, "NO_PROXY": "a.example:81"}, "http://plain:3128"),
        ("http", "93.184.216.34", {**BOTH, "NO_PROXY": "93.184.0.0/16"}, None),
        ("http", "93.184.216.34", {**BOTH, "NO_PROXY": "93.185.0.0/16"}, "http://plain:3128"),
        ("http", "::1", {**BOTH, "NO_PROXY": "[::1]"}, None),
        ("http", "a.example", {**BOTH, "NO_PROXY": " , "}, "http://plain:3128"),
    ],
)
def test_the_environment_names_the_proxy(
    scheme: str, host: str, env: dict[str, str], expected: str | None
) -> None:
    assert proxy_for(scheme, host, 80, env) == expected
