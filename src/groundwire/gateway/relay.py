"""Passes an upstream's answer on: whole, as events, or as the JSON array that a stream without `alt=sse` is.

Nothing is sent before the upstream has said something that counts, so what goes wrong until then is told with
a status. What goes wrong later is raised, and the caller breaks the connection off: an end that looks like
one would make a client take half an answer for a whole one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import msgspec

from groundwire.errors import ConnectionCut, RedirectRefused, UnreadableAnswer
from groundwire.gateway.ending import Ending
from groundwire.gateway.refusals import JSON, Answer, Refused, upstream_refusal
from groundwire.transport.base import Response
from groundwire.transport.retry import Refusal, in_memory
from groundwire.transport.sse import as_event
from groundwire.transport.unwrapping import EventUnwrapper, error_in, unwrapped

MAX_ANSWER_BYTES = 64 * 1024 * 1024
"""The largest answer, or event of one: several pictures at once."""

PASSED_HEADERS = ("x-goog-", "x-gemini-", "x-cloudaicompanion-", "server-timing")
EMPTY = "The upstream ended its answer before it said anything."


HeaderPairs = Iterable[tuple[str, str]]


class Outlet(Protocol):
    """Where an answer goes; `wire_reply.Reply` is one."""

    @property
    def started(self) -> bool: ...
    def send(self, status: int, headers: HeaderPairs, body: bytes) -> None: ...
    def start(self, status: int, headers: HeaderPairs) -> None: ...
    async def write(self, data: bytes) -> None: ...
    def end(self) -> None: ...


class Framing(Protocol):
    """How the documents of a stream are written."""

    content_type: str

    def framed(self, documents: list[bytes]) -> bytes: ...
    def end(self) -> bytes: ...


class Events:
    """Server-sent events in their plainest form."""

    content_type = "text/event-stream"

    def framed(self, documents: list[bytes]) -> bytes:
        """One event for each document."""
        return b"".join(map(as_event, documents))

    def end(self) -> bytes:
        """Nothing: there is no end marker in Google's streams, and one breaks clients."""
        return b""


class Array:
    """One JSON array that grows."""

    content_type = "application/json; charset=UTF-8"

    def __init__(self) -> None:
        self._opened = False

    def framed(self, documents: list[bytes]) -> bytes:
        """The next elements."""
        start = b",\r\n" if self._opened else b"["
        self._opened = True
        return start + b",\r\n".join(documents)

    def end(self) -> bytes:
        """The closing bracket."""
        return b"]" if self._opened else b"[]"


async def refuse_if_refused(response: Response, upstream: str) -> None:
    """Raise Refused when the upstream answered with an error status or a redirect."""
    if response.status < 300:
        return
    if response.status < 400:
        raise RedirectRefused(f"{upstream} pointed to another address ({response.status}).")
    refused = await in_memory(response)
    raise Refused(
        upstream_refusal(Refusal(response.status, response.headers, await refused.read()), upstream)
    )


async def whole(response: Response, upstream: str, *, generated: bool) -> Answer:
    """The answer that came in one piece; `generated` says that it must have an end that clients know."""
    body = unwrapped(await response.read(MAX_ANSWER_BYTES))
    if (status := error_in(body)) is not None:
        raise Refused(upstream_refusal(Refusal(status, response.headers, body), upstream))
    if generated:
        body = _with_an_end(body)
    return Answer(response.status, body, (JSON, *passed_headers(response)))


async def stream(response: Response, reply: Outlet, framing: Framing, upstream: str) -> int:
    """Pass a streamed answer on as it comes; how many documents it had."""
    reader, ending, held, count, last = EventUnwrapper(MAX_ANSWER_BYTES), Ending(), list[bytes](), 0, b""
    async for chunk in response.chunks:
        last = chunk
        for document in reader.feed(chunk):
            held.append(_judged(document, ending, response, upstream))
        if held and ending.began:
            if not reply.started:
                reply.start(200, (("content-type", framing.content_type), *passed_headers(response)))
            count += len(held)
            await reply.write(framing.framed(held))
            held = []
    rest = reader.close()
    if not rest and last and last[-1:] not in b"\r\n}]":
        raise ConnectionCut("The upstream ended its answer in the middle of an event.")
    held += [_judged(document, ending, response, upstream) for document in rest]
    if not ending.began:
        raise UnreadableAnswer(EMPTY, hint="Try again.")
    if (added := ending.missing()) is not None:
        held.append(added)
    if not reply.started:
        reply.start(200, (("content-type", framing.content_type), *passed_headers(response)))
    await reply.write((framing.framed(held) if held else b"") + framing.end())
    reply.end()
    return count + len(held)


def passed_headers(response: Response) -> list[tuple[str, str]]:
    """The headers of the upstream that say something about the answer itself."""
    return [(name, value) for name, value in response.headers.items() if name.startswith(PASSED_HEADERS)]


def _judged(document: bytes, ending: Ending, response: Response, upstream: str) -> bytes:
    if (status := error_in(document)) is not None:
        raise Refused(upstream_refusal(Refusal(status, response.headers, document), upstream))
    return ending.passed(document)


def _with_an_end(body: bytes) -> bytes:
    ending = Ending()
    document = ending.passed(body)
    if not ending.began:
        raise UnreadableAnswer(EMPTY, hint="Try again.")
    added = ending.missing()
    if added is None:
        return document
    answer, ends = msgspec.json.decode(document), msgspec.json.decode(added)["candidates"]
    by_index = {end["index"]: end for end in ends}
    for candidate in answer["candidates"]:
        end = by_index.get(candidate.get("index") or 0)
        if end is not None:
            candidate |= {name: end[name] for name in ("finishReason", "finishMessage")}
    return msgspec.json.encode(answer)
