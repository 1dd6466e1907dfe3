"""How long a command takes to start, as a ratio to an empty Python and to other programs, in one run.

    python -m bench.startup [--rounds 15]

The candidates take turns, each with an empty home.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.peers import Peers
from bench.results import Row, Spread, finish

OURS = Path(sys.executable).with_name("groundwire")
GOALS = {"groundwire --version": 3.0, "groundwire search --help": 6.0}
EMPTY = "python -c pass"


def candidates(peers: Peers) -> dict[str, list[str]]:
    """Every command that can be run here, by the name it has in the table."""
    found = {
        EMPTY: [sys.executable, "-c", "pass"],
        "groundwire --version": [str(OURS), "--version"],
        "groundwire search --help": [str(OURS), "search", "--help"],
    }
    for peer, program in (("gemini-cli", "gemini"), ("opencode", "opencode")):
        if place := peers.place(peer, program):
            found[f"{program} --version"] = [str(place / "node_modules/.bin" / program), "--version"]
    return found


def seconds(command: list[str], home: str) -> float:
    """One start, with an empty home."""
    environment = {"PATH": os.environ["PATH"], "HOME": home}
    began = time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> int:
    """Measure in turns, print, keep; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    peers = Peers()
    commands = candidates(peers)
    times: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory(prefix="groundwire-bench-") as home:
        for number in range(rounds + 1):
            for name, command in commands.items():
                took = seconds(command, home)
                if number:  # the first round only warms up
                    times[name].append(took * 1e3)
    spreads = {name: Spread.of(measured) for name, measured in times.items()}
    python = spreads.pop(EMPTY)
    others = {name: spread for name, spread in spreads.items() if name not in GOALS}
    rows = [
        Row(
            name,
            "ms",
            spreads[name],
            {EMPTY: python, **others},
            f"at most {most:.0f} × {EMPTY}",
            spreads[name].median <= most * python.median,
        )
        for name, most in GOALS.items()
    ]
    return finish("startup", rows, versions=peers.versions, not_run=peers.not_run)


if __name__ == "__main__":
    sys.exit(main())
