"""Server-sent events framed differently, and streams that go wrong: what real servers and proxies do.

Which client breaks on which form was measured; the emulator's normal framing is the one that all of
them read (CRLF, one data line, a blank line after the last event).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import msgspec

from groundwire.emulator.google.errors import error_body
from groundwire.emulator.scenarios import Scenario
from groundwire.emulator.wire import EVENT_STREAM_TYPE, Call, Chunk, Reply, to_json
from groundwire.emulator.world import World

GENERATING = ("gemini", "vertex", "code-assist")
_DATA = b"data: "

Reframe = Callable[[list[bytes]], Iterator[bytes]]


def _reframed(how: Reframe) -> Callable[[Call, World, Reply], Reply]:
    """A change of framing: `how` gets the JSON of each event and gives the bytes to send."""

    def after(call: Call, world: World, reply: Reply) -> Reply:
        if reply.chunks is None or reply.header("content-type") != EVENT_STREAM_TYPE:
            return reply
        documents = [chunk.data.strip().removeprefix(_DATA) for chunk in reply.chunks]
        return replace(reply, chunks=[Chunk(data) for data in how(documents)])

    return after


def _lf(documents: list[bytes]) -> Iterator[bytes]:
    yield from (_DATA + document + b"\n\n" for document in documents)


def _several_lines(documents: list[bytes]) -> Iterator[bytes]:
    for document in documents:
        pretty = msgspec.json.format(document, indent=2)
        yield b"".join(_DATA + line + b"\r\n" for line in pretty.split(b"\n")) + b"\r\n"


def _no_space(documents: list[bytes]) -> Iterator[bytes]:
    yield from (b"data:" + document + b"\r\n\r\n" for document in documents)


def _done_marker(documents: list[bytes]) -> Iterator[bytes]:
    yield from (_DATA + document + b"\r\n\r\n" for document in (*documents, b"[DONE]"))


def _comments(documents: list[bytes]) -> Iterator[bytes]:
    yield from (b": keep-alive\r\n\r\n" + _DATA + document + b"\r\n\r\n" for document in documents)


def _no_last_blank(documents: list[bytes]) -> Iterator[bytes]:
    *first, last = documents
    yield from (_DATA + document + b"\r\n\r\n" for document in first)
    yield _DATA + last + b"\r\n"


def _error_inside(documents: list[bytes]) -> Iterator[bytes]:
    failure = to_json(error_body(503, "The model is overloaded. Please try again later."))
    yield from (_DATA + document + b"\r\n\r\n" for document in (documents[0], failure))


def _variant(name: str, about: str, how: Reframe) -> Scenario:
    return Scenario(name, about, apis=GENERATING, kinds=("generate",), after=_reframed(how))


SSE_FAULTS = (
    _variant("sse-lf", "events end with LF instead of CRLF", _lf),
    _variant("sse-multi-line", "the JSON of an event is spread over several data lines", _several_lines),
    _variant("sse-no-space", "no space after `data:`", _no_space),
    _variant("sse-done", "the stream ends with `data: [DONE]`", _done_marker),
    _variant("sse-comments", "comment lines between events", _comments),
    _variant("sse-no-last-blank", "no blank line after the last event", _no_last_blank),
    _variant("error-mid-stream", "after the first event comes an error event", _error_inside),
)
