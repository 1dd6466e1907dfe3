"""Faults of the wire itself, the same for every API: late, slow, cut, broken up, or not JSON at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from groundwire.emulator.scenarios import Scenario
from groundwire.emulator.wire import Call, Chunk, Reply, html_reply
from groundwire.emulator.world import World

LATENCY_SECONDS = 2.0
DRIP_SECONDS = 0.02
DRIP_BYTES = 16


def _late(call: Call, world: World, reply: Reply) -> Reply:
    return replace(reply, wait=reply.wait + LATENCY_SECONDS)


def _as_chunks(reply: Reply) -> Iterable[Chunk]:
    return reply.chunks if reply.chunks is not None else (Chunk(reply.body),)


def _cut(call: Call, world: World, reply: Reply) -> Reply:
    """Half of the body, then nothing: the connection ends without the end of the body."""
    body = b"".join(chunk.data for chunk in _as_chunks(reply))
    return replace(reply, body=b"", chunks=(Chunk(body[: len(body) // 2]),), cut=True)


def _cut_at_once(call: Call, world: World, reply: Reply) -> Reply:
    return replace(reply, body=b"", chunks=(), cut=True)


def _split(call: Call, world: World, reply: Reply) -> Reply:
    """One byte at a time, so that every multibyte character is broken between chunks."""
    return replace(reply, chunks=_pieces(_as_chunks(reply), 1, 0.0))


def _drip(call: Call, world: World, reply: Reply) -> Reply:
    return replace(reply, chunks=_pieces(_as_chunks(reply), DRIP_BYTES, DRIP_SECONDS))


def _pieces(chunks: Iterable[Chunk], size: int, wait: float) -> Iterator[Chunk]:
    for chunk in chunks:
        for start in range(0, len(chunk.data), size):
            yield Chunk(chunk.data[start : start + size], wait + (chunk.wait if start == 0 else 0.0))


def _html(call: Call, world: World) -> Reply:
    return html_reply(
        "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head>"
        "<body><h1>502 Bad Gateway</h1><p>The upstream server sent an invalid response.</p></body></html>\n",
        502,
    )


def _garbage(call: Call, world: World, reply: Reply) -> Reply:
    return replace(reply, body=b'{"candidates": [{"content": ', chunks=None)


WIRE_FAULTS = (
    Scenario("latency", "every answer starts two seconds late", after=_late),
    Scenario("cut", "the connection ends in the middle of the body", kinds=("generate",), after=_cut),
    Scenario(
        "cut-at-once", "headers arrive, then the connection ends", kinds=("generate",), after=_cut_at_once
    ),
    Scenario(
        "split-multibyte",
        "the body arrives one byte at a time, so characters are split between chunks",
        kinds=("generate",),
        after=_split,
    ),
    Scenario("slow-drip", "the body arrives 16 bytes every 20 ms", kinds=("generate",), after=_drip),
    Scenario(
        "html-error", "a proxy's HTML page with status 502 instead of JSON", kinds=("generate",), before=_html
    ),
    Scenario("garbage", "status 200 with JSON that ends too early", kinds=("generate",), after=_garbage),
)
