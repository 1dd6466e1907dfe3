"""How long a command takes to start, as a ratio to an empty Python and to other programs, in one run.

    python -m bench.startup [--rounds 15]

The candidates take turns. `gemini` and `opencode` are those that `make conformance` installed, or on PATH;
where there is none they are not run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.results import Row, Spread, save

ROOT = Path(__file__).resolve().parent.parent
OURS = Path(sys.executable).with_name("groundwire")
GOALS = {"groundwire --version": 3.0, "groundwire search --help": 6.0}


def candidates() -> dict[str, list[str]]:
    """Every command that can be run here, by the name it has in the table."""
    found = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "groundwire --version": [str(OURS), "--version"],
        "groundwire search --help": [str(OURS), "search", "--help"],
    }
    for name in ("gemini", "opencode"):
        program = installed(name)
        if program is None:
            print(f"{name}: not run: not installed (make conformance installs it)")
        else:
            found[f"{name} --version"] = [program, "--version"]
    return found


def installed(name: str) -> str | None:
    """The program, where `make conformance` put it or on PATH."""
    places = sorted((ROOT / ".conformance").glob(f"npm/*/node_modules/.bin/{name}"))
    return str(places[0]) if places else shutil.which(name)


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
    commands = candidates()
    times: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory(prefix="groundwire-bench-") as home:
        for number in range(rounds + 1):
            for name, command in commands.items():
                took = seconds(command, home)
                if number:  # the first round only warms up
                    times[name].append(took * 1e3)
    spreads = {name: Spread.of(measured) for name, measured in times.items()}
    python = spreads.pop("python -c pass")
    print(f"{'python -c pass':<28} {python.median:8.1f} ms")
    for name, spread in spreads.items():
        goal = f"  goal <= {GOALS[name]:.0f}" if name in GOALS else ""
        print(f"{name:<28} {spread.median:8.1f} ms  {spread.median / python.median:6.2f} x python{goal}")
    others = {name: spread for name, spread in spreads.items() if name not in GOALS}
    rows = [
        Row(
            name,
            "ms",
            spreads[name],
            {"python -c pass": python, **others},
            f"at most {most:.0f} × python -c pass",
            spreads[name].median <= most * python.median,
        )
        for name, most in GOALS.items()
    ]
    save("startup", rows)
    return 0 if all(row.reached for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
