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
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec

from bench.results import Curve, Row, Spread, save
from conformance.gemini_oracle import core_package
from groundwire.citations import result
from groundwire.providers.gemini import Said

SIZES = [(100, 10_000), (1_000, 100_000), (3_000, 300_000), (10_000, 1_000_000)]
GOAL = 5.0
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


def ours(prepared: dict[str, Any], rounds: int) -> list[float]:
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
        print(json.dumps({"times": ours(prepared, options.rounds)}))
        return 0
    node = shutil.which("node")
    if node is None:
        print("not run: Node.js is needed to run Gemini CLI's code")
        return 0
    theirs = [node, str(Path(__file__).with_name("gemini_citations.mjs")), str(core_package())]
    mine = [sys.executable, "-m", "bench.citations", "--rounds", str(options.rounds), "--ours"]
    print(f"{'supports':>9} {'text':>8}  {'':<10} {'groundwire':>18} {'Gemini CLI 0.61.0':>20} {'ratio':>7}")
    reached = False
    rows: list[Row] = []
    lines: dict[str, list[tuple[float, float]]] = {"groundwire": [], "Gemini CLI": []}
    for supports, size in SIZES:
        measured: dict[str, list[list[float]]] = {"mine": [], "theirs": []}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "response.json"
            file.write_bytes(msgspec.json.encode(response(supports, size)))
            for _ in range(options.processes):
                measured["mine"].append(run([*mine, str(file)]))
                measured["theirs"].append(run([*theirs, str(file), str(options.rounds)]))
        for name, pick in (("first call", slice(0, 1)), ("warm", slice(3, None))):
            ours_, theirs_ = ([time for run in runs for time in run[pick]] for runs in measured.values())
            ratio = statistics.median(theirs_) / statistics.median(ours_)
            print(
                f"{supports:>9,} {size // 1000:>5} kB  {name:<10}"
                f" {told(ours_):>18} {told(theirs_):>20} {ratio:>6.1f}x"
            )
            row = Row(
                f"{supports:,} supports in {size // 1000} kB, {name}",
                "ms",
                Spread.of(ours_),
                {"Gemini CLI": Spread.of(theirs_)},
            )
            if name == "first call":
                reached = ratio >= GOAL
                for line, times in zip(lines.values(), (ours_, theirs_), strict=True):
                    line.append((supports, statistics.median(times)))
                if (supports, size) == SIZES[-1]:
                    row = msgspec.structs.replace(
                        row, goal=f"{GOAL:.0f} times faster than Gemini CLI", reached=reached
                    )
            rows.append(row)
    curve = Curve(
        "citations-over-supports", "Inserting citations, first call of a process", "supports", "ms", lines
    )
    save("citations", rows, [curve], versions={"Gemini CLI": "0.61.0"})
    verdict = "reached" if reached else "NOT reached"
    print(f"goal for the first call, 10,000 supports in 1 MB: {GOAL:.0f}x, {verdict}")
    return 0 if reached else 1


def told(times: list[float]) -> str:
    """The median and half of the middle spread, in milliseconds."""
    quarters = statistics.quantiles(times, n=4)
    return f"{statistics.median(times):.2f} ± {(quarters[2] - quarters[0]) / 2:.2f} ms"


if __name__ == "__main__":
    sys.exit(main())
