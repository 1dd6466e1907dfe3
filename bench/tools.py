"""How fast the file tools are, as ratios to their peers in the same run.

    python -m bench.tools [--tree DIR] [--rounds 7] [--core GEMINI_CLI_CORE] [--no-gemini] [--only glob]

Without --tree a folder of npm packages with more than 30,000 files is installed into .bench/ on first use, as
a repository of its own: the ignore rules around it would let ripgrep skip files that glob has to count.
Peers: bare ripgrep, Gemini CLI's own tools in a Node.js process and OpenHands' search in a Python of its own
(see `openhands_peer.py`), each timed inside its process. Rounds alternate between the candidates and medians
are shown, because the machine is shared: read the ratios, not the milliseconds. OpenHands' search, which
takes seconds, runs in every third round. One file is measured in CPU time, since waiting for the disk says
nothing about a tool. Exits 1 when a goal is missed.
"""

from __future__ import annotations

import argparse
import atexit
import json
import shutil
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

from bench.openhands_peer import OpenHands, openhands, openhands_python
from bench.results import Row, Spread, save
from conformance.gemini_oracle import Oracle, core_package
from groundwire.tools.grep_search import EXCLUDES
from groundwire.tools.ripgrep import ripgrep_path
from groundwire.tools.toolset import toolset

RARE = "zqxjwvplm"
PACKAGES = ("@google/gemini-cli-core@0.61.0", "next@15", "date-fns@4", "typescript@5")
Timed = Callable[[], float]
"""Does the thing once and gives the seconds it took."""


@dataclass
class Race:
    """One thing done by several candidates; the first is ours."""

    name: str
    candidates: dict[str, Timed]
    most_of: dict[str, float] = field(default_factory=dict)
    """The goals: at most so many times the time of a peer, or (for `seconds`) at most so long."""
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def run_round(self, number: int) -> None:
        """Let every candidate do it once; the slow one only now and then."""
        for name, timed in self.candidates.items():
            if name == "openhands" and number % 3 != 1:
                continue
            self.seconds.setdefault(name, []).append(timed())

    @property
    def medians(self) -> dict[str, float]:
        """The median of each candidate."""
        return {name: statistics.median(times) for name, times in self.seconds.items()}

    def missed(self) -> list[str]:
        """The goals that were not reached."""
        ours = self.medians["groundwire"]
        others = {**self.medians, "seconds": 1.0}
        return [peer for peer, most in self.most_of.items() if peer in others and ours > most * others[peer]]

    def row(self) -> Row:
        """What is kept of the race, in milliseconds."""
        spreads = {name: Spread.of([t * 1e3 for t in times]) for name, times in self.seconds.items()}
        ours = spreads.pop("groundwire")
        goals = [
            f"less than {most * 1e3:.0f} ms" if peer == "seconds" else f"at most {most:.2g} × {peer}"
            for peer, most in self.most_of.items()
            if peer in (*spreads, "seconds")
        ]
        return Row(self.name, "ms", ours, spreads, ", ".join(goals), not self.missed() if goals else None)

    def report(self) -> str:
        """Medians, ours as a ratio to each other candidate, and the goals."""
        ours = self.medians["groundwire"]
        limit = self.most_of.get("seconds")
        goal = f"goal < {limit * 1e3:.0f} ms" if limit else ""
        lines = [f"{self.name:<36} groundwire {ours * 1e3:9.2f} ms  {goal}"]
        for name, other in self.medians.items():
            if name != "groundwire":
                goal = f"goal <= {self.most_of[name]:.2f}" if name in self.most_of else ""
                lines.append(f"{'':<36} {name:<10} {other * 1e3:9.2f} ms  ratio {ours / other:6.3f}  {goal}")
        return "\n".join(lines + [f"{'':<36} MISSED: {peer}" for peer in self.missed()])


def main() -> int:
    """Run all races and print them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tree", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--core", type=Path, help="the installed package @google/gemini-cli-core")
    parser.add_argument("--no-gemini", action="store_true", help="leave Gemini CLI's tools out")
    parser.add_argument("--only", default="", help="races whose name begins so")
    options = parser.parse_args()
    tree = options.tree or big_tree()
    core = None if options.no_gemini else options.core or core_in(tree)
    python = openhands_python()
    count = sum(1 for path in tree.rglob("*") if path.is_file())
    print(f"{count} files in {tree.name}" + ("" if core else "; Gemini CLI's tools: not run"))
    if python is None:
        print("OpenHands' tool: not run: no Python with openhands-tools found; name one in OPENHANDS_PYTHON")
    with oracle(core) as real, openhands(python, tree) as other:
        races = [*tree_races(tree, real, other), *file_races()]
        races = [race for race in races if race.name.startswith(options.only)]
        for number in range(options.rounds + 1):
            for race in races:
                race.run_round(number)
            if number == 0:
                for race in races:
                    race.seconds.clear()  # the first round only warms up
    for race in races:
        print(race.report())
    if not options.only:
        save("tools", [race.row() for race in races], versions=peer_versions(core), note=f"{count:,} files")
    return 1 if any(race.missed() for race in races) else 0


def peer_versions(core: Path | None) -> dict[str, str]:
    """The versions of the peers that ran."""
    told = subprocess.run([ripgrep_path(), "--version"], capture_output=True, text=True, check=True).stdout
    versions = {"rg": told.split()[1]}
    if core is not None:
        versions["Gemini CLI"] = json.loads((core / "package.json").read_text(encoding="utf-8"))["version"]
    return versions


def big_tree() -> Path:
    """More than 30,000 files of npm packages, installed once."""
    folder = Path(__file__).resolve().parent.parent / ".bench" / "tree"
    tree = folder / "node_modules"
    if not tree.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        npm = ["npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run([*npm, "--prefix", str(folder), *PACKAGES], check=True)
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return tree


def core_in(tree: Path) -> Path:
    """Gemini CLI's tools: in the tree itself, or installed apart."""
    here = tree / "@google" / "gemini-cli-core"
    return here if here.is_dir() else core_package()


@contextmanager
def oracle(core: Path | None) -> Iterator[Oracle | None]:
    """The real tools, or nothing."""
    if core is None:
        yield None
        return
    with Oracle(core) as running:
        yield running


def tree_races(tree: Path, real: Oracle | None, other: OpenHands | None = None) -> list[Race]:
    """What is done on the whole tree."""
    rg = [ripgrep_path(), "--no-config"]
    listing = [*rg, "--files", "--glob=**/*.js", "--hidden", "--sortr=modified"]

    # The same files: the tool leaves out dependencies and builds.
    searching = [*rg, "--hidden", *(f"--glob=!{one}" for one in EXCLUDES), "-i", RARE, "."]

    def race(
        name: str,
        tool: str,
        arguments: dict[str, Any],
        most_of: dict[str, float],
        command: list[str] | None = None,
    ) -> Race:
        tools = toolset(tree)
        candidates: dict[str, Timed] = {
            "groundwire": lambda: timed(lambda: succeed(tools.call_now(tool, arguments)))
        }
        if command is not None:
            candidates["rg"] = lambda: timed(lambda: run(command, tree))
        if real is not None:
            candidates["gemini-cli"] = lambda: float(real.call(tree, tool, dict(arguments))["ms"]) / 1000
        if other is not None and tool == "grep_search":
            candidates["openhands"] = lambda: other.search(arguments["pattern"])
        return Race(name, candidates, most_of)

    common = {"gemini-cli": 1 / 3, "openhands": 1 / 5}

    return [
        race("grep_search, rare word", "grep_search", {"pattern": RARE}, {"rg": 1.3}, searching),
        race("grep_search, common word, 100", "grep_search", {"pattern": "function"}, common),
        race("glob **/*.js", "glob", {"pattern": "**/*.js"}, {"rg": 2.0, "gemini-cli": 0.1}, listing),
        race("read_many_files **/*.md", "read_many_files", {"include": ["**/*.md"]}, {"gemini-cli": 1 / 3}),
        race("list_directory", "list_directory", {"dir_path": "."}, {}),
    ]


def file_races() -> list[Race]:
    """What is done to one file of 2,000 lines."""
    races = []
    for ending in ("\n", "\r\n"):
        folder = Path(tempfile.mkdtemp(prefix="groundwire-bench-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        lines = [f"line {number} of a file that is long enough" for number in range(2000)]
        (folder / "a.txt").write_bytes(ending.join([*lines, ""]).encode())
        tools = toolset(folder)
        label = "CRLF" if ending == "\r\n" else "LF"
        state = {"old": "line 1000 of", "new": "line one thousand of"}

        def read(tools: Any = tools) -> float:
            return timed(lambda: tools.call_now("read_file", {"file_path": "a.txt"}), time.process_time)

        def replace(tools: Any = tools, state: dict[str, str] = state) -> float:
            arguments = {"file_path": "a.txt", "instruction": "x"}
            arguments |= {"old_string": state["old"], "new_string": state["new"]}
            state["old"], state["new"] = state["new"], state["old"]
            return timed(lambda: succeed(tools.call_now("replace", arguments)), time.process_time)

        goal = {"seconds": 0.003}
        races.append(Race(f"read_file, 2,000 lines, {label}, CPU", {"groundwire": read}, goal))
        races.append(Race(f"replace, 2,000 lines, {label}, CPU", {"groundwire": replace}, goal))
    return races


def succeed(result: Any) -> None:
    """A benchmark of failures would be a lie."""
    if result.error is not None:
        raise RuntimeError(result.error.message)


def timed(action: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """The seconds it takes."""
    start = clock()
    action()
    return clock() - start


def run(command: list[str], folder: Path) -> None:
    """A command with its output read and thrown away."""
    subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=False)


if __name__ == "__main__":
    sys.exit(main())
