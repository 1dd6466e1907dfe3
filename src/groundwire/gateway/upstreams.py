"""Which upstream the gateway has: the wished one, or with `auto` the first that has a credential.

api-key        a Gemini API key, wherever `groundwire search` would find one
vertex         Application Default Credentials and a project
code-assist    a Google sign-in
"""

from __future__ import annotations

import uuid
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
from groundwire.transport.base import Request, Response, Transport
from groundwire.transport.code_assist import code_assist_url, wrapped
from groundwire.transport.gemini_path import model_call
from groundwire.transport.translating import kept_headers

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

    return Upstream(
        "code-assist", "Code Assist", where, Wrapping(signed, base_url, project), base_url, list_models
    )


class Wrapping:
    """Sends the Gemini API's calls of a model to Code Assist. Answers stay in their envelopes: the relay,
    which reads every document anyway, takes them off."""

    def __init__(self, signed: Transport, base_url: str, project: Callable[[], Awaitable[str]]) -> None:
        self._signed = signed
        self._base_url = base_url
        self._project = project
        self._session_id = str(uuid.uuid4())

    async def send(self, request: Request) -> Response:
        """The answer to one call of a model."""
        call = model_call(request.url)
        assert call is not None, "the service sends nothing else here"
        project = "" if call.method == "countTokens" else await self._project()
        body = wrapped(
            call, request.body, project=project, prompt_id=str(uuid.uuid4()), session_id=self._session_id
        )
        url = code_assist_url(call, self._base_url)
        return await self._signed.send(Request("POST", url, kept_headers(request.headers), body))


async def _api_key(
    config: Config, env: Mapping[str, str], clock: Callable[[], float], stack: AsyncExitStack
) -> Upstream:
    transport = await connected(config.urls.gemini, env, stack)
    credential = resolve("gemini_key", config, env, transport, clock)
    return Upstream(
        "api-key",
        "Gemini API",
        credential.where,
        Auth(transport, credential.authorizer),
        config.urls.gemini,
        complete=True,
    )
