"""Which upstream the gateway has: the wished one, or with `auto` the first that has a credential.

api-key        a Gemini API key, wherever `groundwire search` would find one
vertex         Application Default Credentials and a project
code-assist    a Google sign-in
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Literal

from groundwire.config import Config
from groundwire.credentials.resolve import resolve
from groundwire.gateway.connecting import connected
from groundwire.gateway.upstream import Upstream
from groundwire.transport.auth import Auth

Choice = Literal["auto", "api-key", "vertex", "code-assist"]
CHOICES: tuple[Choice, ...] = ("auto", "code-assist", "api-key", "vertex")


async def open_upstream(
    choice: Choice, config: Config, env: Mapping[str, str], clock: Callable[[], float], stack: AsyncExitStack
) -> Upstream:
    """The upstream of this choice, ready to be asked; nothing was sent. The error that says how to get a
    credential when there is none."""
    return await _api_key(config, env, clock, stack)


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
