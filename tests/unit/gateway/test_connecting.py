"""Which way a request leaves this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.errors import InvalidConfig
from groundwire.gateway.connecting import Outward, behind_a_proxy, tls_context
from groundwire.gateway.upstream_pool import UpstreamPool
from groundwire.transport.base import Request
from groundwire.transport.http import Http
from tests.unit.gateway.raw_http import answer, serving
from tests.unit.gateway.test_upstream_pool import saying

GOOGLE = "https://generativelanguage.googleapis.com"


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({}, False),
        ({"HTTPS_PROXY": "http://proxy:1"}, True),
        ({"https_proxy": "http://proxy:1"}, True),
        ({"ALL_PROXY": "socks5://proxy:1"}, True),
        ({"HTTP_PROXY": "http://proxy:1"}, False),
        ({"HTTPS_PROXY": "http://proxy:1", "NO_PROXY": "*"}, False),
        ({"HTTPS_PROXY": "http://proxy:1", "NO_PROXY": "localhost, .googleapis.com"}, False),
        ({"HTTPS_PROXY": "http://proxy:1", "no_proxy": "generativelanguage.googleapis.com"}, False),
        ({"HTTPS_PROXY": "http://proxy:1", "NO_PROXY": "apis.com"}, True),
        ({"HTTPS_PROXY": "http://proxy:1", "NO_PROXY": ","}, True),
    ],
)
def test_proxies_of_the_environment_are_honoured(env: dict[str, str], expected: bool) -> None:
    assert behind_a_proxy(GOOGLE, env) is expected


async def test_a_proxy_gets_the_ordinary_transport_and_this_machine_never_does() -> None:
    async with Outward({"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}) as outward:
        assert isinstance(await outward._way_to(GOOGLE), Http)
        assert isinstance(await outward._way_to("http://127.0.0.1:1"), UpstreamPool)
        async with serving(saying(answer(b"direct"))) as url:
            response = await outward.send(Request("GET", f"{url}/path"))
            assert await response.read() == b"direct"
    async with Outward({}) as outward:
        assert isinstance(await outward._way_to(GOOGLE), UpstreamPool)


def test_a_certificate_file_that_is_none_is_told(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    with pytest.raises(InvalidConfig, match=r"ca\.pem"):
        tls_context(str(file))
    file.write_text("nonsense", encoding="utf-8")
    with pytest.raises(InvalidConfig, match="SSL_CERT_FILE"):
        tls_context(str(file))


async def test_a_certificate_file_is_looked_at_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match="SSL_CERT_FILE"):
        await Outward({"SSL_CERT_FILE": str(tmp_path / "none.pem")}).__aenter__()
