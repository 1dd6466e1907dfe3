"""Answers a careful client must not swallow: far too large, or sent on to another host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from groundwire.emulator.scenarios import Scenario
from groundwire.emulator.wire import Call, Chunk, Reply, redirect
from groundwire.emulator.world import World

HUGE_BYTES = 30 * 1024 * 1024
PIECE = b" " * (64 * 1024 - 1) + b"\n"
OTHER_HOST = "https://elsewhere.example"


def _huge(call: Call, world: World, reply: Reply) -> Reply:
    """The right answer behind 30 MB of white space, which is legal before JSON and between events."""
    body = reply.chunks if reply.chunks is not None else (Chunk(reply.body),)

    def padded() -> Iterator[Chunk]:
        for _ in range(HUGE_BYTES // len(PIECE)):
            yield Chunk(PIECE)
        yield from body

    return replace(reply, body=b"", chunks=padded())


def _elsewhere(call: Call, world: World) -> Reply:
    return redirect(f"{OTHER_HOST}{call.path}", 307)


DANGEROUS_FAULTS = (
    Scenario("huge-answer", "30 MB of white space before the answer", kinds=("generate",), after=_huge),
    Scenario(
        "other-host",
        "a redirect to another host, which must not get the secrets",
        kinds=("generate",),
        before=_elsewhere,
    ),
)
