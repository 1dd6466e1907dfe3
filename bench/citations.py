"""Citation insertion against the real Gemini CLI: the same response, both measured in one run.

    python -m bench.citations [--processes 7] [--rounds 8]

Processes of ours and of Gemini CLI's (Node.js, its own WebSearchTool with a client that returns the prepared
response at once) take turns. A search inserts its citations once, so the first call of a fresh process is
what a person waits for; calls after it, when Node.js has compiled the code, are shown as well. Medians, half
of the middle spread, and the ratio of the medians. The goal is 5 times faster for the first call with 10,000
supports in 1 MB of text.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec

from bench.peers import Peers
from bench.results import Curve, Row, Spread, finish
from groundwire.citations import result
from groundwire.providers.gemini import Said

SIZES = [(100, 10_000), (1_000, 100_000), (3_000, 300_000), (10_000, 1_000_000)]
GOAL = 5.0
PEER = "Gemini CLI"
WORDS = ["the answer", "to a query", "is what", "its sources", "say about it", "and not", "a memory"] * 5
WORDS += ["größe", "naïve", "天气", "🌍"]
CHUNKS = 50


def response(supports: int, size: int) -> dict[str, Any]:
    """A grounded response of about `size` bytes with this many supports, in several scripts."""
    chance = random.Random(supports)
    pieces: list[str] = []
    length = 0
    while length < size:
        pieces.append(chance.choice(WORDS) + " ")
        length += len(pieces[-1].encode())
    text = "".join(pieces)
    encoded = text.encode()
    chunks = [{"web": {"title": f"Page {n}", "uri": f"https://example.org/{n}"}} for n in range(CHUNKS)]
    ends = sorted(chance.randrange(1, len(encoded)) for _ in range(supports))
    grounding = {
        "groundingChunks": chunks,
        "groundingSupports": [
            {"segment": {"endIndex": end}, "groundingChunkIndices": neighbours(chance)} for end in ends
        ],
    }
    candidate = {
        "content": {"parts": [{"text": text}]},
        "finishReason": "STOP",
        "groundingMetadata": grounding,
    }
    return {"candidates": [candidate]}


def neighbours(chance: random.Random) -> list[int]:
    """One to three chunks that stand side by side, as answers cite them."""
    first = chance.randrange(CHUNKS - 2)
    return list(range(first, first + chance.randint(1, 3)))


def inserted(prepared: dict[str, Any], rounds: int) -> list[float]:
    """Milliseconds of each round: from the decoded response to the result's text, as the other tool does."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        said = Said()
        said.add(prepared)
        result("bench", said.answer(keep_raw=False))
        times.append((time.perf_counter() - started) * 1000)
    return times


def run(command: list[str]) -> list[float]:
    """The milliseconds of each round that a fresh process prints."""
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
    times: list[float] = json.loads(done.stdout.splitlines()[-1])["times"]
    return times


def main() -> int:
    """Measure, print, and say by the exit code whether the goal is reached."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--processes", type=int, default=7)
    parser.add_argument("--rounds", type=int, default=8, help="in each process")
    parser.add_argument("--ours", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ours:
        prepared = msgspec.json.decode(options.ours.read_bytes())
        print(json.dumps({"times": inserted(prepared, options.rounds)}))
        return 0
    peers = Peers()
    core = peers.place("gemini-cli-core", PEER)
    if core is None:
        return finish("citations", [], not_run=peers.not_run)
    package = core / "node_modules" / "@google" / "gemini-cli-core"
    theirs = ["node", str(Path(__file__).with_name("gemini_citations.mjs")), str(package)]
    mine = [sys.executable, "-m", "bench.citations", "--rounds", str(options.rounds), "--ours"]
    rows: list[Row] = []
    lines: dict[str, list[tuple[float, float]]] = {"groundwire": [], PEER: []}
    for supports, size in SIZES:
        first, warm = race(mine, theirs, supports, size, options)
        lines["groundwire"].append((supports, first.ours.median))
        lines[PEER].append((supports, first.peers[PEER].median))
        rows += [first, warm]
    reached = rows[-2].ours.median * GOAL <= rows[-2].peers[PEER].median
    rows[-2] = msgspec.structs.replace(rows[-2], goal=f"{GOAL:.0f} times faster than {PEER}", reached=reached)
    title = "Inserting citations, first call of a process"
    curve = Curve("citations-over-supports", title, "supports", "ms", lines)
    return finish("citations", rows, [curve], versions=peers.versions)


def race(
    mine: list[str], theirs: list[str], supports: int, size: int, options: argparse.Namespace
) -> tuple[Row, Row]:
    """Processes of both on one response, in turns: the first call of a process, and the warm ones."""
    ours: list[list[float]] = []
    others: list[list[float]] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "response.json"
        file.write_bytes(msgspec.json.encode(response(supports, size)))
        for _ in range(options.processes):
            ours.append(run([*mine, str(file)]))
            others.append(run([*theirs, str(file), str(options.rounds)]))

    def row(name: str, calls: slice) -> Row:
        mine, theirs = ([time for run in runs for time in run[calls]] for runs in (ours, others))
        what = f"{supports:,} supports in {size // 1000} kB, {name}"
        return Row(what, "ms", Spread.of(mine), {PEER: Spread.of(theirs)})

    return row("first call", slice(0, 1)), row("warm", slice(3, None))


if __name__ == "__main__":
    sys.exit(main())
