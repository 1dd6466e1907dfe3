"""One search, from the words a person typed to a result with citations:

    clean -> credential -> ask -> send -> answer -> result

Nothing here raises for a search that did not work out: a failure is a result too, of the same shape.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeVar

from groundwire.address import host_of
from groundwire.citations import GroundedAnswer, WebSearchResult, failure, limited, result
from groundwire.config import SearchSettings
from groundwire.errors import (
    GroundwireError,
    InvalidQuery,
    MissingOpenAISession,
    RedirectRefused,
    SearchFailed,
    SignInExpired,
    TimedOut,
    TransportError,
)
from groundwire.providers.base import Provider, Question
from groundwire.providers.redirects import with_real_addresses
from groundwire.transport.base import Request, Response, Transport
from groundwire.transport.retry import Refusal, in_memory

MAX_QUERY_CHARS = 20_000

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Route:
    """A provider and the way to it. `connect` finds the credential, or raises before anything is sent."""

    name: str
    provider: Provider
    connect: Callable[[], Transport]
    open_web: Transport
    """Sends requests without any credential: for following Google's redirect links."""


async def search(query: object, route: Route, settings: SearchSettings) -> WebSearchResult:
    """The result of asking one provider."""
    async with aclosing(_events(query, route, settings, stream=False)) as events:
        async for event in events:
            if isinstance(event, WebSearchResult):
                return event
    raise AssertionError("a search always ends in a result")


def search_stream(
    query: object, route: Route, settings: SearchSettings
) -> AsyncGenerator[str | WebSearchResult]:
    """The answer's text as it arrives, without citations; last the same result that `search` gives."""
    return _events(query, route, settings, stream=True)


async def _events(
    query: object, route: Route, settings: SearchSettings, *, stream: bool
) -> AsyncGenerator[str | WebSearchResult]:
    try:
        words = clean(query)
        transport = route.connect()
        async with aclosing(_ask_models(words, route.provider, transport, settings, stream=stream)) as pieces:
            async for piece in pieces:
                if isinstance(piece, GroundedAnswer):
                    yield result(words, await _with_settings(piece, route, settings), provider=route.name)
                else:
                    yield piece
    except GroundwireError as error:
        yield failure(_named(error, route), provider=route.name)


def clean(query: object) -> str:
    """The query as it will be sent: trimmed, without control characters, and not empty."""
    if not isinstance(query, str):
        raise InvalidQuery(f"The 'query' parameter must be a string, not {_kind(query)}.")
    broken = _SURROGATE.search(query)
    if broken:
        raise InvalidQuery(
            f"The 'query' parameter is not valid text: half a character at position {broken.start()}."
        )
    words = _CONTROL.sub("", query).strip()
    if not words:
        raise InvalidQuery("The 'query' parameter cannot be empty.")
    if len(words) > MAX_QUERY_CHARS:
        raise InvalidQuery(
            f"The 'query' parameter has {len(words):,} characters; {MAX_QUERY_CHARS:,} is the most.",
            hint="Ask a shorter question.",
        )
    return words


def _kind(value: object) -> str:
    names = {
        "NoneType": "null",
        "bool": "a boolean",
        "int": "a number",
        "float": "a number",
        "list": "a list",
    }
    return names.get(type(value).__name__, "an object")


async def _ask_models(
    words: str, provider: Provider, transport: Transport, settings: SearchSettings, *, stream: bool
) -> AsyncGenerator[str | GroundedAnswer]:
    """Ask the provider's models in turn until one can answer."""
    deadline = asyncio.get_running_loop().time() + settings.timeout
    for model in provider.models:
        question = Question(words, model, stream, settings.language, settings.region, settings.raw)
        try:
            async with aclosing(_ask(question, provider, transport, deadline)) as pieces:
                async for piece in pieces:
                    yield piece
            return
        except SearchFailed as error:
            if not error.model_at_fault or model == provider.models[-1]:
                raise


async def _ask(
    question: Question, provider: Provider, transport: Transport, deadline: float
) -> AsyncGenerator[str | GroundedAnswer]:
    """Send one question and read its response to the end."""
    request = provider.ask(question)
    async with await _in_time(transport.send(request), deadline) as response:
        await _judge_status(provider, request, response)
        reader = provider.reader(question)
        shown = False
        while (chunk := await _in_time(anext(response.chunks, None), deadline)) is not None:
            if text := reader.feed(chunk):
                shown = True
                yield text
        if text := reader.rest():
            shown = True
            yield text
        answer = reader.finish()
        if question.stream and not shown and answer.text:
            yield answer.text
        yield answer


async def _judge_status(provider: Provider, request: Request, response: Response) -> None:
    if response.status < 300:
        return
    if response.status < 400:
        raise RedirectRefused(
            f"{host_of(request.url)} redirects to {host_of(response.headers.get('location', 'nowhere'))}, "
            "and credentials are not sent there.",
            hint="If the new address is right, set it as the base URL.",
        )
    told = await in_memory(response)
    raise provider.refused(Refusal(told.status, told.headers, await told.read()))


async def _in_time(awaitable: Awaitable[_T], deadline: float) -> _T:
    try:
        async with asyncio.timeout_at(deadline):
            return await awaitable
    except TimeoutError as error:
        raise TimedOut("No complete answer came in time.", hint="Try again, or raise the timeout.") from error


async def _with_settings(answer: GroundedAnswer, route: Route, settings: SearchSettings) -> GroundedAnswer:
    if settings.max_sources is not None:
        answer = limited(answer, settings.max_sources)
    if settings.resolve_links:
        answer = await with_real_addresses(answer, route.open_web)
    return answer


def _named(error: GroundwireError, route: Route) -> GroundwireError:
    """The error under the type callers branch on: the wire's troubles are the provider's failure."""
    if isinstance(error, TransportError):
        return route.provider.failed(f"{route.provider.label}: {error.message}", hint=error.hint or None)
    if isinstance(error, SignInExpired) and route.name == "openai_oauth":
        return MissingOpenAISession(error.message, hint=error.hint)
    return error
