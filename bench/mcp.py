"""How fast `groundwire mcp` is ready, how much memory it holds, and what a call costs, against other servers.

    ready     from starting the process to the answer to tools/list: at most half of server-filesystem's time
    memory    two seconds after that: below 35 MB
    overhead  a call over the pipes, less the same call in process: below 0.5 ms

The peers are @modelcontextprotocol/server-filesystem (node) and, for information, a server with one tool on
the official Python SDK. Rounds alternate between the servers, so that a busy machine is unfair to all alike.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.peers import Peers
from bench.results import Row, Spread, finish

SDK_SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("peer")
@server.tool()
def read(path: str) -> str:
    "Read a file."
    with open(path, encoding="utf-8") as file:
        return file.read()
server.run()
"""
OURS = "groundwire"
NODE = "server-filesystem"
PYTHON = "Python SDK"


@dataclass(frozen=True, slots=True)
class Server:
    """A server, and the call that reads a small file with it."""

    name: str
    command: tuple[str, ...]
    tool: str
    arguments: dict[str, str]


class Client:
    """A client that costs next to nothing: one request, one answer."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._number = 0

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer to a request; notices on the way are passed over."""
        self._number += 1
        self._say({"id": self._number, "method": method, "params": params or {}})
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self._number:
                assert "result" in answer, answer
                return answer
        raise RuntimeError(f"the server ended with {self._process.wait()}")

    def begin(self) -> None:
        """The handshake and the list of tools."""
        about = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about})
        self._say({"method": "notifications/initialized"})
        self.ask("tools/list")

    def _say(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()


@contextmanager
def started(server: Server) -> Iterator[tuple[Client, subprocess.Popen[bytes]]]:
    """The server's process, ended by closing its input."""
    process = subprocess.Popen(
        server.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        yield Client(process), process
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()


def ready_ms(server: Server) -> float:
    """Milliseconds from the start of the process to the list of tools."""
    began = time.perf_counter()
    with started(server) as (client, _):
        client.begin()
        return (time.perf_counter() - began) * 1000


def idle_mb(server: Server) -> float:
    """Resident memory of the idle server, two seconds after it listed its tools."""
    with started(server) as (client, process):
        client.begin()
        time.sleep(2)
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def call_ms(server: Server, calls: int) -> list[float]:
    """Milliseconds of each call, over the pipes."""
    with started(server) as (client, _):
        client.begin()
        params = {"name": server.tool, "arguments": server.arguments}
        for _ in range(50):
            client.ask("tools/call", params)
        taken = []
        for _ in range(calls):
            began = time.perf_counter()
            client.ask("tools/call", params)
            taken.append((time.perf_counter() - began) * 1000)
    return taken


def in_process_ms(root: Path, server: Server, calls: int) -> list[float]:
    """Milliseconds of the same call without a server."""
    from groundwire.tools.toolset import toolset

    tools = toolset(root)
    taken = []
    for _ in range(calls):
        began = time.perf_counter()
        assert tools.call_now(server.tool, server.arguments).error is None
        taken.append((time.perf_counter() - began) * 1000)
    return taken


def servers(root: Path, peers: Peers) -> tuple[Server, list[Server]]:
    """Ours, and the peers that can be installed."""
    ours = Path(sys.prefix) / "bin" / "groundwire"
    file = str(root / "note.txt")
    mine = Server(OURS, (str(ours), "mcp", "--root", str(root)), "read_file", {"file_path": file})
    others = []
    if place := peers.place("server-filesystem", NODE):
        program = place / "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
        others.append(Server(NODE, ("node", str(program), str(root)), "read_text_file", {"path": file}))
    if place := peers.place("mcp-python", PYTHON):
        command = (str(place / "bin" / "python"), "-c", SDK_SERVER)
        others.append(Server(PYTHON, command, "read", {"path": file}))
    return mine, others


def measured(mine: Server, peers: Sequence[Server], root: Path, rounds: int, calls: int) -> list[Row]:
    """Everything, round by round."""
    everyone = [mine, *peers]
    ready: dict[str, list[float]] = {server.name: [] for server in everyone}
    memory: dict[str, list[float]] = {server.name: [] for server in everyone}
    call: dict[str, list[float]] = {server.name: [] for server in everyone}
    inside: list[float] = []
    ready_ms(mine)  # the first start of all compiles and reads from the disk
    for number in range(rounds):
        for server in everyone:
            ready[server.name].append(ready_ms(server))
            if number < 3:
                memory[server.name].append(idle_mb(server))
                call[server.name] += call_ms(server, calls)
        if number < 3:
            inside += in_process_ms(root, mine, calls)
    return [ready_row(ready), memory_row(memory), *call_rows(call, inside)]


def ready_row(ready: dict[str, list[float]]) -> Row:
    """The time until a host has the list of tools."""
    ours, peers = spreads(ready)
    reached = None if NODE not in peers else ours.median <= peers[NODE].median / 2
    return Row("start to tools/list", "ms", ours, peers, f"at most 0.5 × {NODE}", reached)


def memory_row(memory: dict[str, list[float]]) -> Row:
    """Resident memory of a server that waits."""
    ours, peers = spreads(memory)
    return Row("idle memory", "MB", ours, peers, "below 35 MB", ours.median < 35)


def call_rows(call: dict[str, list[float]], inside: list[float]) -> list[Row]:
    """A call over the pipes, and what of it is not the tool's own work."""
    ours, peers = spreads(call)
    alone = Spread.of(inside)
    extra = Spread(*(over - alone.median for over in (ours.median, ours.low, ours.high)))
    return [
        Row("read a small file, round trip", "ms", ours, peers),
        Row("overhead of a call", "ms", extra, {"in process": alone}, "below 0.5 ms", extra.median < 0.5),
    ]


def spreads(values: dict[str, list[float]]) -> tuple[Spread, dict[str, Spread]]:
    """Ours, and the peers'."""
    found = {name: Spread.of(taken) for name, taken in values.items()}
    return found.pop(OURS), found


def main() -> int:
    """Measure, print, keep; 1 when a goal was missed."""
    parser = argparse.ArgumentParser(prog="make bench ONLY=mcp", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / "note.txt").write_text("A small file.\n" * 20, encoding="utf-8")
        peers = Peers()
        mine, others = servers(root, peers)
        rows = measured(mine, others, root, options.rounds, options.calls)
    return finish("mcp", rows, versions=peers.versions, not_run=peers.not_run)


if __name__ == "__main__":
    sys.exit(main())
