"""Which upstream the gateway has: whatever way to Gemini the configuration leads to.

    an API key                         the Gemini API itself, all of it
    Application Default Credentials    Vertex AI, at a project's address
    a Google sign-in                   Code Assist, in its envelopes

The order and the choice are those of `credentials.resolve`, so a gateway asks whom a search would ask.
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

from groundwire.config import Config
from groundwire.credentials.resolve import resolve
from groundwire.gateway.connecting import Outward
from groundwire.gateway.relay import refuse_if_refused
from groundwire.gateway.upstream import Upstream
from groundwire.transport.auth import Auth
from groundwire.transport.base import Request, Response, Transport
from groundwire.transport.code_assist import code_assist_url, wrapped
from groundwire.transport.gemini_path import model_call
from groundwire.transport.model_list import (
    models_of_quota,
    publisher_models,
    publisher_request,
    quota_body,
    quota_url,
)
from groundwire.transport.translating import kept_headers
from groundwire.transport.vertex import Vertex, VertexProject

FindProject = Callable[[], Awaitable[str]]


async def open_upstream(
    config: Config, env: Mapping[str, str], clock: Callable[[], float], stack: AsyncExitStack
) -> Upstream:
    """The upstream, ready to be asked; nothing was sent, and `stack` closes its connections. Raises the error
    that says how to get a credential when there is none."""
    outward = await stack.enter_async_context(Outward(env))
    credential = resolve("gemini", config, env, outward, clock)
    signed = Auth(outward, credential.authorizer)
    if credential.vertex is not None:
        return vertex_upstream(signed, credential.vertex, where=credential.where)
    if credential.project is not None:
        base_url = config.urls.code_assist
        return code_assist_upstream(signed, base_url, credential.project, where=credential.where)
    return Upstream(
        "api-key", "Gemini API", credential.where, signed, config.gemini.base_url.rstrip("/"), complete=True
    )


def vertex_upstream(signed: Transport, place: VertexProject, *, where: str) -> Upstream:
    """Vertex AI, over a transport that adds the credentials to each request."""

    async def list_models() -> list[dict[str, Any]]:
        async with await signed.send(publisher_request(place.address, place.project)) as response:
            await refuse_if_refused(response, "Vertex AI")
            return publisher_models(await response.read())

    return Upstream("vertex", "Vertex AI", where, Vertex(signed, place), place.address, list_models)


def code_assist_upstream(signed: Transport, base_url: str, project: FindProject, *, where: str) -> Upstream:
    """Code Assist, over a transport that adds the sign-in to each request."""

    async def list_models() -> list[dict[str, Any]]:
        body = quota_body(await project())
        asked = Request("POST", quota_url(base_url), {"content-type": "application/json"}, body)
        async with await signed.send(asked) as response:
            await refuse_if_refused(response, "Code Assist")
            return models_of_quota(await response.read())

    layer = Wrapping(signed, base_url, project)
    return Upstream("code-assist", "Code Assist", where, layer, base_url, list_models)


class Wrapping:
    """Sends the Gemini API's calls of a model to Code Assist. Answers stay in their envelopes: the relay,
    which reads every document anyway, takes them off."""

    def __init__(self, signed: Transport, base_url: str, project: FindProject) -> None:
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
