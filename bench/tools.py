"""How fast the file tools are, as ratios to their peers in the same run.

    python -m bench.tools [--tree DIR] [--rounds 7] [--core GEMINI_CLI_CORE] [--no-gemini]

The tree should have 30,000 files or more; without --tree the npm packages of Gemini CLI's tools are used
(installed into .conformance/ on first use). Peers: bare ripgrep, and Gemini CLI's own tools in a Node.js
process, timed inside that process. Rounds alternate between the candidates and medians are shown, because
the machine is shared: read the ratios, not the milliseconds.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "conformance"))

from gemini_oracle import Oracle, installed

from groundwire.tools.ripgrep import ripgrep_path
from groundwire.tools.toolset import toolset

RARE = "zqxjwvplm"
Timed = Callable[[], float]
"""Does the thing once and gives the seconds it took."""


@dataclass
class Race:
    """One thing done by several candidates; the first is ours."""

    name: str
    goal: str
    candidates: dict[str, Timed]
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def run_round(self) -> None:
        """Let every candidate do it once."""
        for name, timed in self.candidates.items():
            self.seconds.setdefault(name, []).append(timed())

    def report(self) -> str:
        """Medians, and ours as a ratio to each other candidate."""
        medians = {name: statistics.median(times) for name, times in self.seconds.items()}
        ours = medians["groundwire"]
        lines = [f"{self.name:<34} groundwire {ours * 1e3:8.1f} ms   goal: {self.goal}"]
        lines += [
            f"{'':<34} {name:<10} {other * 1e3:8.1f} ms   groundwire takes {ours / other:5.2f} times as long"
            f"  ({other / ours:.1f} times faster)"
            for name, other in medians.items()
            if name != "groundwire"
        ]
        return "\n".join(lines)


def main() -> int:
    """Run all races and print them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tree", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--core", type=Path, help="the installed package @google/gemini-cli-core")
    parser.add_argument("--no-gemini", action="store_true", help="leave Gemini CLI's tools out")
    options = parser.parse_args()
    core = options.core or (None if options.no_gemini and options.tree else installed())
    tree = options.tree or Path(str(core)).parents[1]
    count = sum(1 for path in tree.rglob("*") if path.is_file())
    print(f"{tree}: {count} files\n")
    with oracle(None if options.no_gemini else core) as real:
        races = [*tree_races(tree, real), *file_races()]
        for number in range(options.rounds + 1):
            for race in races:
                race.run_round()
            if number == 0:
                for race in races:
                    race.seconds.clear()  # the first round only warms up
    for race in races:
        print(race.report())
    return 0


@contextmanager
def oracle(core: Path | None) -> Iterator[Oracle | None]:
    """The real tools, or nothing."""
    if core is None:
        yield None
        return
    with Oracle(core) as running:
        yield running


def tree_races(tree: Path, real: Oracle | None) -> list[Race]:
    """What is done on the whole tree."""
    bare = [ripgrep_path(), "--no-config", "--ignore-case"]
    return [
        race(
            tree,
            real,
            "grep_search, rare word",
            "<= 1.3x rg",
            "grep_search",
            {"pattern": RARE},
            [*bare, RARE],
        ),
        race(
            tree,
            real,
            "grep_search, common, 100 matches",
            ">= 3x faster",
            "grep_search",
            {"pattern": "function"},
        ),
        race(
            tree,
            real,
            "glob **/*.js, newest first",
            ">= 10x faster, <= 2x rg --files",
            "glob",
            {"pattern": "**/*.js"},
            [ripgrep_path(), "--no-config", "--files", "--glob=**/*.js", "--hidden", "--sortr=modified"],
        ),
        race(
            tree, real, "read_many_files **/*.md", ">= 3x faster", "read_many_files", {"include": ["**/*.md"]}
        ),
        race(tree, real, "list_directory", "-", "list_directory", {"dir_path": "."}),
    ]


def race(
    tree: Path,
    real: Oracle | None,
    name: str,
    goal: str,
    tool: str,
    arguments: dict[str, Any],
    command: list[str] | None = None,
) -> Race:
    """One call, by us, by Gemini CLI, and by a command."""
    tools = toolset(tree)

    def ours() -> float:
        return timed(lambda: tools.call_now(tool, arguments))

    candidates: dict[str, Timed] = {"groundwire": ours}
    if command is not None:
        candidates["rg"] = lambda: timed(lambda: run(command, tree))
    if real is not None:
        candidates["gemini-cli"] = lambda: float(real.call(tree, tool, dict(arguments))["ms"]) / 1000
    return Race(name, goal, candidates)


def file_races() -> list[Race]:
    """What is done to one file of 2,000 lines."""
    races = []
    for ending in ("\n", "\r\n"):
        folder = Path(tempfile.mkdtemp(prefix="groundwire-bench-"))
        lines = [f"line {number} of a file that is long enough" for number in range(2000)]
        (folder / "a.txt").write_bytes(ending.join([*lines, ""]).encode())
        tools = toolset(folder)
        label = "CRLF" if ending == "\r\n" else "LF"
        state = {"old": "line 1000 of", "new": "line one thousand of"}

        def read(tools: Any = tools) -> float:
            return timed(lambda: tools.call_now("read_file", {"file_path": "a.txt"}))

        def replace(tools: Any = tools, state: dict[str, str] = state) -> float:
            arguments = {"file_path": "a.txt", "instruction": "x"}
            arguments |= {"old_string": state["old"], "new_string": state["new"]}
            state["old"], state["new"] = state["new"], state["old"]
            return timed(lambda: succeed(tools.call_now("replace", arguments)))

        races.append(Race(f"read_file, 2,000 lines, {label}", "< 3 ms", {"groundwire": read}))
        races.append(Race(f"replace, 2,000 lines, {label}", "< 3 ms", {"groundwire": replace}))
    return races


def succeed(result: Any) -> None:
    """A benchmark of failures would be a lie."""
    if result.error is not None:
        raise RuntimeError(result.error.message)


def timed(action: Callable[[], object]) -> float:
    """The seconds it takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def run(command: list[str], folder: Path) -> None:
    """A command with its output read and thrown away."""
    subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=False)


if __name__ == "__main__":
    sys.exit(main())
