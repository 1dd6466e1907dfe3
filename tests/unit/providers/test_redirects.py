"""Google's redirect links: resolved at once and in time, or left as they are."""

from __future__ import annotations

import asyncio

import pytest

from groundwire.citations import GroundedAnswer, Source
from groundwire.errors import ConnectFailed
from groundwire.providers.redirects import is_redirect, with_real_addresses
from groundwire.testing import reply
from groundwire.transport.base import Request, Response

LINK = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/"


class Redirecting:
    """Answers `…/NAME` with a redirect to the page of that name; some names misbehave."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def send(self, request: Request) -> Response:
        name = request.url.rpartition("/")[2]
        self.asked.append(name)
        if name == "broken":
            raise ConnectFailed("no")
        if name == "slow":
            await asyncio.Event().wait()
        if name == "missing":
            return reply("", status=404)
        target = "javascript:alert(1)" if name == "odd" else f"https://{name}.example/"
        return reply("", status=302, headers={"location": target})


def answer(*names: str) -> GroundedAnswer:
    sources = tuple(Source(name, LINK + name, {"web": {"uri": LINK + name, "title": name}}) for name in names)
    return GroundedAnswer("x", (), sources)


async def test_links_become_the_pages_and_failures_stay() -> None:
    resolved = await with_real_addresses(answer("a", "broken", "missing", "odd", "b"), Redirecting())
    assert [source.uri for source in resolved.sources] == [
        "https://a.example/",
        LINK + "broken",
        LINK + "missing",
        LINK + "odd",
        "https://b.example/",
    ]
    assert resolved.sources[0].to_json() == {"web": {"uri": "https://a.example/", "title": "a"}}


async def test_a_slow_link_does_not_hold_up_the_others() -> None:
    resolved = await with_real_addresses(answer("slow", "a"), Redirecting(), budget=0.05)
    assert [source.uri for source in resolved.sources] == [LINK + "slow", "https://a.example/"]


async def test_nothing_but_the_redirect_service_is_asked() -> None:
    transport = Redirecting()
    plain = GroundedAnswer(
        "x", (), (Source("p", "https://page.example/grounding-api-redirect/x"), Source("n", None))
    )
    assert await with_real_addresses(plain, transport) == plain
    assert transport.asked == []


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (LINK + "x", True),
        ("http://127.0.0.1:80/grounding-api-redirect/x", True),
        ("https://vertexaisearch.cloud.google.com/other", False),
        ("https://vertexaisearch.cloud.google.com.evil.example/grounding-api-redirect/x", False),
        ("https://[broken", False),
    ],
)
def test_a_redirect_link_is_known_by_host_and_path(url: str, expected: bool) -> None:
    assert is_redirect(url) is expected
