"""How grep and glob grow with the number of files, beside ripgrep: the data of two plots.

    python -m bench.growth [--rounds 5]

The files are copies of small source files in a temporary folder, a hundred to a directory. Rounds alternate;
medians are kept.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.results import Curve, finish
from bench.tools import RARE, run
from groundwire.tools.ripgrep import ripgrep_path
from groundwire.tools.toolset import toolset

COUNTS = (100, 1_000, 10_000, 30_000)
IN_ONE_FOLDER = 100
TEXT = "".join(f"def function_{number}(value):\n    return value + {number}\n" for number in range(40))


def add_files(root: Path, first: int, last: int) -> None:
    """Files from number `first` up to `last`."""
    for number in range(first, last):
        folder = root / f"package{number // IN_ONE_FOLDER:04}"
        folder.mkdir(exist_ok=True)
        (folder / f"module{number}.py").write_text(TEXT, encoding="utf-8")


def candidates(root: Path) -> dict[str, Callable[[], object]]:
    """What is timed, by tool and line."""
    rg = [ripgrep_path(), "--no-config"]
    tools = toolset(root)
    listing = [*rg, "--files", "--glob=**/*.py", "--sortr=modified"]
    return {
        "grep groundwire": lambda: tools.call_now("grep_search", {"pattern": RARE}),
        "grep rg": lambda: run([*rg, "-i", RARE, "."], root),
        "glob groundwire": lambda: tools.call_now("glob", {"pattern": "**/*.py"}),
        "glob rg --files": lambda: run(listing, root),
    }


def medians(candidates: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Milliseconds of each, the rounds taken in turns after one that warms up."""
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for number in range(rounds + 1):
        for name, action in candidates.items():
            began = time.perf_counter()
            action()
            if number:
                times[name].append((time.perf_counter() - began) * 1e3)
    return {name: statistics.median(measured) for name, measured in times.items()}


def main() -> int:
    """Measure at each size, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    lines: dict[str, dict[str, list[tuple[float, float]]]] = {
        "grep": {"groundwire": [], "rg": []},
        "glob": {"groundwire": [], "rg --files": []},
    }
    with tempfile.TemporaryDirectory(prefix="groundwire-bench-") as folder:
        root, made = Path(folder), 0
        for count in COUNTS:
            add_files(root, made, count)
            made = count
            found = medians(candidates(root), rounds)
            for name, median in found.items():
                tool, _, line = name.partition(" ")
                lines[tool][line].append((count, median))
            print(
                f"{count:>7,} files  "
                + "  ".join(f"{name} {median:.1f} ms" for name, median in found.items())
            )
    return finish(
        "growth",
        [],
        [
            Curve("grep-over-files", "grep_search, a rare word", "files", "ms", lines["grep"]),
            Curve("glob-over-files", "glob **/*.py, newest first", "files", "ms", lines["glob"]),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
