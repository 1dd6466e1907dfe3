"""Gemini as a chat model: a linear history goes out, a Reply comes back, over any Transport.

`request_for` builds the request without sending it; `ReplyReader` (in `reply.py`) judges the response
without receiving it; `GeminiModel` joins the two. `Model` is what the loop needs of any model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote

import msgspec

from groundwire.agent.reply import BROKE_OFF, Content, Reply, ReplyReader
from groundwire.errors import ConnectionCut, ModelFailed, TimedOut
from groundwire.providers.foreign_json import decoded, quoted
from groundwire.providers.gemini import DEFAULT_BASE_URL, Gemini
from groundwire.transport.base import Request, Response, Transport
from groundwire.transport.retry import Refusal, in_memory
from groundwire.transport.sse import Event, EventParser

Hear = Callable[[str], None]
"""Is given text as it arrives."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """Everything a model is given for one reply."""

    instructions: str
    history: Sequence[Content]
    declarations: Sequence[Mapping[str, Any]] = ()


class Model(Protocol):
    """Someone who replies to a history."""

    @property
    def name(self) -> str:
        """The model's name; the dialect of its tools follows from it."""
        ...

    async def reply(self, prompt: Prompt, hear: Hear) -> Reply:
        """The model's reply; text is given to `hear` while it arrives. A GroundwireError when none came."""
        ...


def request_for(
    prompt: Prompt, *, model: str, base_url: str = DEFAULT_BASE_URL, stream: bool = True
) -> Request:
    """The generateContent or streamGenerateContent request for a prompt."""
    path = quote(model.removeprefix("models/"), safe="-._~")
    verb = "streamGenerateContent?alt=sse" if stream else "generateContent"
    body: dict[str, Any] = {"contents": list(prompt.history)}
    if prompt.instructions:
        body["systemInstruction"] = {"parts": [{"text": prompt.instructions}]}
    if prompt.declarations:
        body["tools"] = [{"functionDeclarations": list(prompt.declarations)}]
    return Request(
        "POST",
        f"{base_url.rstrip('/').removesuffix('/v1beta')}/v1beta/models/{path}:{verb}",
        {"content-type": "application/json"},
        msgspec.json.encode(body),
    )


class GeminiModel:
    """A Gemini model behind a transport."""

    def __init__(
        self,
        name: str,
        connect: Callable[[], Transport],
        *,
        base_url: str = DEFAULT_BASE_URL,
        stream: bool = True,
        timeout: float = 600.0,
    ) -> None:
        """`connect` finds the credential, or raises before anything is sent. `timeout` is for one reply."""
        self.name = name
        self._connect = connect
        self._base_url = base_url
        self._stream = stream
        self._timeout = timeout

    async def reply(self, prompt: Prompt, hear: Hear) -> Reply:
        """Send the prompt and read the reply to its end."""
        request = request_for(prompt, model=self.name, base_url=self._base_url, stream=self._stream)
        try:
            async with asyncio.timeout(self._timeout), await self._connect().send(request) as response:
                if response.status >= 300:
                    raise await _refused(response)
                return await _read(response, hear)
        except TimeoutError as error:
            raise TimedOut(
                "The model's reply took too long.", hint="Try again, or name a faster model."
            ) from error


async def _refused(response: Response) -> ModelFailed:
    refused = await in_memory(response)
    error = Gemini().refused(Refusal(refused.status, refused.headers, await refused.read()))
    # A search can go to another provider. An agent's model cannot, but there are other models.
    return ModelFailed(error.message, hint=error.hint.replace("use another provider", "name another model"))


async def _read(response: Response, hear: Hear) -> Reply:
    reader = ReplyReader()
    if response.content_type != "text/event-stream":
        # A whole answer: one object, or the array that a stream without events is.
        body = await response.read()
        document = decoded(body)
        for item in document if isinstance(document, list) else [document]:
            _take(item, body, reader, hear)
        return reader.finish()
    events = EventParser()
    try:
        async for chunk in response.chunks:
            for event in events.feed(chunk):
                _take(_document(event), event.data.encode(), reader, hear)
    except ConnectionCut:
        return Reply(problem=BROKE_OFF)
    for event in events.close():
        if decoded(event.data) is not None:  # half an event says nothing: the reply broke off
            _take(_document(event), event.data.encode(), reader, hear)
    return reader.finish()


def _document(event: Event) -> object:
    return {} if event.data.strip() == "[DONE]" else decoded(event.data)


def _take(document: object, source: bytes, reader: ReplyReader, hear: Hear) -> None:
    if not isinstance(document, dict):
        words = quoted(source[:200].decode("utf-8", "replace"))
        raise ModelFailed(f"Gemini's reply is not JSON: {words}", hint="Try again.")
    if said := reader.add(document):
        hear(said)
