"""A gateway in this process, in front of an emulator or of a server that answers in exact bytes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from groundwire.emulator import Emulator
from groundwire.gateway.debug_log import DebugLog
from groundwire.gateway.server import Gateway
from groundwire.gateway.upstream import Upstream
from groundwire.gateway.upstream_pool import UpstreamPool
from groundwire.gateway.upstreams import code_assist_upstream, vertex_upstream
from groundwire.gateway.wire_server import Limits
from groundwire.secret import Secret
from groundwire.transport.auth import ApiKey, Auth
from groundwire.transport.vertex import VertexProject
from tests.unit.gateway.raw_http import Client, Heard, Visit, get, post, serving

KEY = "the-gateways-own-key"
REAL_KEY = "the-real-key"
REAL_TOKEN = "ya29.the-real-token"
GENERATE = "/v1beta/models/gemini-2.5-flash:generateContent"
STREAM = "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
ARRAY = "/v1beta/models/gemini-2.5-flash:streamGenerateContent"


@dataclass
class Asked:
    """A gateway that can be asked, and the emulator behind it, if there is one."""

    gateway: Gateway
    emulator: Emulator | None = None

    async def __call__(self, path: str, body: Any = None, *lines: str, key: str = KEY) -> Heard:
        """Ask on a connection of its own: a POST when there is a body."""
        client = await Client.to(self.gateway.base_url)
        given = (f"x-goog-api-key: {key}",) if key else ()
        if body is None:
            client.send(get(path, *given, *lines))
        else:
            sent = body if isinstance(body, bytes) else msgspec.json.encode(body)
            client.send(post(path, sent, "content-type: application/json", *given, *lines))
        heard = await client.hear()
        await client.close()
        return heard


def hello(text: str = "hello", **more: Any) -> dict[str, Any]:
    """A request for the Gemini API with one text."""
    return {"contents": [{"role": "user", "parts": [{"text": text}]}], **more}


async def upstream_at(url: str, kind: str, stack: AsyncExitStack) -> Upstream:
    """The way to a server by one of the gateway's upstreams, with made-up credentials."""
    pool = await stack.enter_async_context(UpstreamPool())
    if kind == "api-key":
        signed = Auth(pool, ApiKey(Secret(REAL_KEY), "x-goog-api-key"))
        return Upstream("api-key", "Gemini API", "a test", signed, url, complete=True)
    signed = Auth(pool, ApiKey(Secret(REAL_TOKEN), "authorization", "Bearer"))
    if kind == "vertex":
        return vertex_upstream(signed, VertexProject("emulator-project", base_url=url), where="a test")

    async def project() -> str:
        return "emulator-project"

    return code_assist_upstream(signed, url, project, where="a test")


@asynccontextmanager
async def gateway_before(
    emulator: Emulator, kind: str = "api-key", *, debug: DebugLog | None = None
) -> AsyncIterator[Asked]:
    """A gateway in front of an emulator."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(emulator)
        upstream = await upstream_at(emulator.base_url, kind, stack)
        gateway = await stack.enter_async_context(Gateway(upstream, Secret(KEY), debug=debug))
        yield Asked(gateway, emulator)


@asynccontextmanager
async def gateway_to(
    visit: Visit, kind: str = "api-key", *, limits: Limits | None = None
) -> AsyncIterator[Asked]:
    """A gateway in front of a server that answers in exact bytes."""
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(serving(visit))
        upstream = await upstream_at(url, kind, stack)
        gateway = await stack.enter_async_context(Gateway(upstream, Secret(KEY), limits=limits))
        yield Asked(gateway)


@pytest.fixture(params=["api-key", "code-assist", "vertex"])
def kind(request: pytest.FixtureRequest) -> str:
    """Each upstream in turn."""
    return str(request.param)
