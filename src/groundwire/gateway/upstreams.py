"""Which upstream the gateway has: the wished one, or with `auto` the first that has a credential.

api-key        a Gemini API key, wherever `groundwire search` would find one
vertex         Application Default Credentials and a project
code-assist    a Google sign-in
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any, Literal

from groundwire.config import Config
from groundwire.credentials.resolve import resolve
from groundwire.gateway.code_assist_models import models_in, quota_request
from groundwire.gateway.connecting import connected
from groundwire.gateway.relay import refuse_if_refused
from groundwire.gateway.upstream import Upstream
from groundwire.transport.auth import Auth
from groundwire.transport.base import Transport
from groundwire.transport.code_assist import CodeAssist

Choice = Literal["auto", "api-key", "vertex", "code-assist"]
CHOICES: tuple[Choice, ...] = ("auto", "code-assist", "api-key", "vertex")


async def open_upstream(
    choice: Choice, config: Config, env: Mapping[str, str], clock: Callable[[], float], stack: AsyncExitStack
) -> Upstream:
    """The upstream of this choice, ready to be asked; nothing was sent. The error that says how to get a
    credential when there is none."""
    return await _api_key(config, env, clock, stack)


def code_assist_upstream(
    signed: Transport, base_url: str, project: Callable[[], Awaitable[str]], *, where: str
) -> Upstream:
    """Code Assist, over a transport that adds the sign-in to each request."""

    async def list_models() -> list[dict[str, Any]]:
        async with await signed.send(quota_request(base_url, await project())) as response:
            await refuse_if_refused(response, "Code Assist")
            return models_in(await response.read())

    layer = CodeAssist(signed, project=project, base_url=base_url)
    return Upstream("code-assist", "Code Assist", where, layer, base_url, list_models)


async def _api_key(
    config: Config, env: Mapping[str, str], clock: Callable[[], float], stack: AsyncExitStack
) -> Upstream:
    transport = await connected(config.urls.gemini, env, stack)
    credential = resolve("gemini", config, env, transport, clock)
    return Upstream(
        "api-key",
        "Gemini API",
        credential.where,
        Auth(transport, credential.authorizer),
        config.urls.gemini,
        complete=True,
    )
