"""How fast the emulator answers, as a ratio to a bare server of the same library in the same run.

    python -m bench.emulator [--seconds 3] [--concurrency 32]

Both servers run in a process of their own (uvicorn, uvloop, httptools); the load comes from this
process (pyreqwest). The bare server sends back a fixed answer of the same size without reading
anything. Rounds alternate between the servers, and medians are shown, because the machine is shared;
the server's own CPU time per request (Linux only) does not depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from pyreqwest.client import Client, ClientBuilder

from bench.results import Row as Kept
from bench.results import Spread, finish
from groundwire.emulator import Emulator

HELLO = {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}
SEARCH = {"contents": [{"role": "user", "parts": [{"text": "北京天气"}]}], "tools": [{"googleSearch": {}}]}
GENERATE = "/v1beta/models/gemini-2.5-flash:generateContent"
STREAM = "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
ROUNDS = 3


@dataclass(frozen=True)
class Server:
    """A running server process."""

    url: str
    pid: int

    def cpu_seconds(self) -> float:
        """The CPU time it has used; nan where /proc does not exist."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            return float("nan")
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass
class Row:
    """One kind of request to one server; per round, requests per second and CPU seconds per request."""

    name: str
    server: Server
    path: str
    body: dict[str, Any]
    rates: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)

    @property
    def cost(self) -> float:
        return statistics.median(self.costs)


def bare_app(answer: bytes) -> Callable[..., Awaitable[None]]:
    """The least an ASGI application can do: a fixed JSON answer."""
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(answer)).encode())]

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    return app


def serve(kind: str) -> None:
    """Run one of the servers until killed; the first line printed is its address."""
    import uvloop

    async def forever() -> None:
        emulator = Emulator(keep=0)
        if kind == "bare":
            emulator.app = bare_app(b"x" * 320)  # type: ignore[assignment]
        async with emulator:
            print(emulator.base_url, flush=True)
            await asyncio.Event().wait()

    uvloop.run(forever())


def start(kind: str, stack: ExitStack) -> Server:
    """A server process that listens."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.emulator", "--serve", kind],
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    stack.callback(process.wait)
    stack.callback(process.kill)
    assert process.stdout is not None
    return Server(process.stdout.readline().strip(), process.pid)


def start_command() -> float:
    """The seconds from typing `groundwire emulator` until it listens."""
    began = time.perf_counter()
    words = [sys.executable, "-m", "groundwire", "emulator", "--port", "0"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        while not process.stdout.readline().startswith("# Listening"):
            pass
        took = time.perf_counter() - began
        process.kill()
    return took


async def load(client: Client, row: Row, seconds: float, concurrency: int) -> None:
    """One round: as many requests as fit into the time."""
    url, body = row.server.url + row.path, msgspec.json.encode(row.body)
    spent = row.server.cpu_seconds()
    end = time.perf_counter() + seconds

    async def worker() -> int:
        done = 0
        while time.perf_counter() < end:
            request = (
                client.post(url).header("x-goog-api-key", "k").header("content-type", "application/json")
            )
            response = await request.body_bytes(body).build().send()
            assert response.status == 200, await response.text()
            await response.bytes()
            done += 1
        return done

    began = time.perf_counter()
    counts = await asyncio.gather(*(worker() for _ in range(concurrency)))
    row.rates.append(sum(counts) / (time.perf_counter() - began))
    row.costs.append((row.server.cpu_seconds() - spent) / sum(counts))


async def measure(emulator: Server, bare: Server, seconds: float, concurrency: int) -> list[Row]:
    """All rows, their rounds interleaved."""
    rows = [
        Row("bare uvicorn, fixed answer", bare, GENERATE, HELLO),
        Row("emulator, generateContent", emulator, GENERATE, HELLO),
        Row("emulator, streamGenerateContent", emulator, STREAM, HELLO),
        Row("emulator, googleSearch (SQLite FTS5)", emulator, GENERATE, SEARCH),
    ]
    async with ClientBuilder().build() as client:
        for row in rows:
            await load(client, row, 0.3, concurrency)
            row.rates.clear()
            row.costs.clear()
        for _ in range(ROUNDS):
            for row in rows:
                await load(client, row, seconds / ROUNDS, concurrency)
    return rows


def main() -> int:
    """Measure and print a table; 1 when unary requests are slower than promised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="per row")
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--serve", choices=["bare", "emulator"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.serve)
        return 0
    with ExitStack() as stack:
        servers = start("emulator", stack), start("bare", stack)
        rows = asyncio.run(measure(*servers, arguments.seconds, arguments.concurrency))
    startup = min(start_command() for _ in range(ROUNDS))
    print(f"{'server, request':<40} {'requests/s':>10} {'of bare':>8} {'CPU µs':>8} {'of bare':>8}")
    for row in rows:
        shares = row.rate / rows[0].rate, row.cost / rows[0].cost
        print(f"{row.name:<40} {row.rate:>10,.0f} {shares[0]:>8.2f} {row.cost * 1e6:>8.0f} {shares[1]:>8.2f}")
    kept = [
        Kept(row.name, "requests/s", Spread.of(row.rates), {"bare server": Spread.of(rows[0].rates)})
        for row in rows[2:]
    ]
    first = Kept(
        rows[1].name,
        "requests/s",
        Spread.of(rows[1].rates),
        {"bare server": Spread.of(rows[0].rates)},
        goal="at least 1,000/s",
        reached=rows[1].rate >= 1000,
    )
    listening = Kept(
        "typed to listening", "s", Spread.of([startup]), goal="less than 1 s", reached=startup < 1
    )
    return finish("emulator", [first, *kept, listening])


if __name__ == "__main__":
    sys.exit(main())
