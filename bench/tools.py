"""How fast the file tools are, as ratios to their peers in the same run.

    python -m bench.tools [--tree DIR] [--rounds 15] [--only glob]

Without --tree a folder of npm packages with more than 30,000 files is installed into .bench/ on first use, as
a repository of its own: the ignore rules around it would let ripgrep skip files that glob has to count.
Peers: bare ripgrep, Gemini CLI's own tools in a Node.js process and OpenHands' in a Python of its own, each
timed inside its process. Rounds alternate between the candidates and medians are shown, because the machine
is shared: read the ratios, not the milliseconds. What is done to one file is measured in CPU time, since
waiting for the disk says nothing about a tool.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.openhands_peer import NAME as OPENHANDS
from bench.openhands_peer import OpenHands, openhands
from bench.peers import Peers
from bench.race import OURS, Race, Timed, run_races, timed
from bench.results import finish
from conformance.gemini_oracle import Oracle
from groundwire.tools.grep_search import EXCLUDES
from groundwire.tools.ripgrep import ripgrep_path
from groundwire.tools.toolset import toolset

RARE = "zqxjwvplm"
GEMINI = "Gemini CLI"
RG = "rg"
PACKAGES = ("@google/gemini-cli-core@0.61.0", "next@15", "date-fns@4", "typescript@5")
LINES = [f"line {number} of a file that is long enough" for number in range(2000)]


def main() -> int:
    """Run all races, print and keep them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tree", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="races whose name begins so")
    options = parser.parse_args()
    peers = Peers()
    tree = options.tree or big_tree()
    if tree is None:
        peers.leave_out("everything", "npm is needed to make the tree of files")
        return finish("tools", [], not_run=peers.not_run)
    count = sum(1 for path in tree.rglob("*") if path.is_file())
    print(f"{count:,} files in {tree.name}", flush=True)
    with (
        gemini_tools(peers) as gemini,
        openhands(peers, tree) as other,
        tempfile.TemporaryDirectory(prefix="groundwire-bench-") as scratch,
    ):
        races = [*tree_races(tree, gemini, other), *file_races(Path(scratch), gemini, other)]
        rows = run_races([race for race in races if race.name.startswith(options.only)], options.rounds)
    versions = {RG: ripgrep_version(), **peers.versions}
    note = f"{count:,} files"
    return finish("tools", rows, versions=versions, not_run=peers.not_run, note=note, keep=not options.only)


def ripgrep_version() -> str:
    """What ripgrep says of itself."""
    told = subprocess.run([ripgrep_path(), "--version"], capture_output=True, text=True, check=True)
    return told.stdout.split()[1]


def big_tree() -> Path | None:
    """More than 30,000 files of npm packages, installed once; None where there is no npm."""
    folder = Path(__file__).resolve().parent.parent / ".bench" / "tree"
    tree = folder / "node_modules"
    if not tree.is_dir():
        if not shutil.which("npm"):
            return None
        folder.mkdir(parents=True, exist_ok=True)
        npm = ["npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run([*npm, "--prefix", str(folder), *PACKAGES], check=True)
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return tree


@contextmanager
def gemini_tools(peers: Peers) -> Iterator[Oracle | None]:
    """Gemini CLI's own tools, or nothing where they cannot be installed."""
    place = peers.place("gemini-cli-core", GEMINI)
    if place is None:
        yield None
        return
    with Oracle(place / "node_modules" / "@google" / "gemini-cli-core") as running:
        yield running


def tree_races(tree: Path, gemini: Oracle | None, other: OpenHands | None) -> list[Race]:
    """What is done on the whole tree."""
    tools = toolset(tree)
    rg = [ripgrep_path(), "--no-config"]
    # The same files: the tool leaves out dependencies and builds.
    searching = [*rg, "--hidden", *(f"--glob=!{one}" for one in EXCLUDES), "-i", RARE, "."]
    listing = [*rg, "--files", "--glob=**/*.js", "--hidden", "--sortr=modified"]

    def candidates(
        tool: str,
        arguments: dict[str, Any],
        command: list[str] | None = None,
        openhands_call: tuple[str, dict[str, Any]] | None = None,
    ) -> dict[str, Timed]:
        found: dict[str, Timed] = {OURS: lambda: timed(lambda: succeed(tools.call_now(tool, arguments)))}
        if command is not None:
            found[RG] = lambda: timed(lambda: run(command, tree))
        if gemini is not None:
            found[GEMINI] = lambda: gemini_seconds(gemini, tree, tool, arguments, "ms")
        if other is not None and openhands_call is not None:
            found[OPENHANDS] = lambda: other.timed(*openhands_call)
        return found

    def grep(pattern: str, command: list[str] | None = None) -> dict[str, Timed]:
        return candidates("grep_search", {"pattern": pattern}, command, ("grep", {"pattern": pattern}))

    every_js, every_md = {"pattern": "**/*.js"}, {"include": ["**/*.md"]}
    here = {"dir_path": "."}
    return [
        Race("grep_search, rare word", grep(RARE, searching), {RG: 1.3}),
        Race("grep_search, common word, 100", grep("function"), {GEMINI: 1 / 3, OPENHANDS: 1 / 5}),
        Race(
            "glob **/*.js",
            candidates("glob", every_js, listing, ("glob", every_js)),
            {RG: 2.0, GEMINI: 1 / 10},
        ),
        Race("read_many_files **/*.md", candidates("read_many_files", every_md), {GEMINI: 1 / 3}),
        Race("list_directory", candidates("list_directory", here, None, ("list_directory", here))),
    ]


def file_races(scratch: Path, gemini: Oracle | None, other: OpenHands | None) -> list[Race]:
    """What is done to one file of 2,000 lines, in CPU time."""
    races = []
    for label, ending in (("LF", "\n"), ("CRLF", "\r\n")):
        for name, make in (("read_file", reading), ("replace", editing)):
            found = make(scratch / f"{name}-{label}", ending, gemini, other)
            races.append(Race(f"{name}, 2,000 lines, {label}, CPU", found, most_seconds=0.003))
    return races


def reading(folder: Path, ending: str, gemini: Oracle | None, other: OpenHands | None) -> dict[str, Timed]:
    """The candidates reading a file."""
    folder.mkdir()
    file = written(folder / "a.txt", ending)
    tools, arguments = toolset(folder), {"file_path": str(file)}
    found: dict[str, Timed] = {
        OURS: lambda: timed(lambda: succeed(tools.call_now("read_file", arguments)), time.process_time)
    }
    if gemini is not None:
        found[GEMINI] = lambda: gemini_seconds(gemini, folder, "read_file", arguments, "cpu_ms")
    if other is not None:
        found[OPENHANDS] = lambda: other.timed("read_file", arguments, "processor")
    return found


def editing(folder: Path, ending: str, gemini: Oracle | None, other: OpenHands | None) -> dict[str, Timed]:
    """The candidates changing a line of a file, each of a file of its own, to and fro."""
    folder.mkdir()
    tools = toolset(folder)

    def edits(name: str) -> Iterator[dict[str, str]]:
        file = str(written(folder / name, ending))
        old, new = "line 1000 of", "line one thousand of"
        while True:
            yield {"file_path": file, "old_string": old, "new_string": new}
            old, new = new, old

    mine, gemini_edits, other_edits = edits("mine.txt"), edits("gemini.txt"), edits("openhands.txt")

    def ours() -> float:
        arguments = {"instruction": "Count in words.", **next(mine)}
        return timed(lambda: succeed(tools.call_now("replace", arguments)), time.process_time)

    found: dict[str, Timed] = {OURS: ours}
    if gemini is not None:
        found[GEMINI] = lambda: gemini_seconds(
            gemini, folder, "replace", {"instruction": "Count in words.", **next(gemini_edits)}, "cpu_ms"
        )
    if other is not None:
        found[OPENHANDS] = lambda: other.timed("edit", next(other_edits), "processor")
    return found


def written(file: Path, ending: str) -> Path:
    """A file of 2,000 lines."""
    file.write_bytes(ending.join([*LINES, ""]).encode())
    return file


def gemini_seconds(gemini: Oracle, root: Path, tool: str, arguments: dict[str, Any], clock: str) -> float:
    """How long a call of Gemini CLI's took that must not fail."""
    answer = gemini.call(root, tool, dict(arguments))
    if answer["error"]:
        raise RuntimeError(f"Gemini CLI's {tool}: {answer['error']['message']}")
    return float(answer["took"][clock]) / 1000


def succeed(result: Any) -> None:
    """A benchmark of failures would be a lie."""
    if result.error is not None:
        raise RuntimeError(result.error.message)


def run(command: list[str], folder: Path) -> None:
    """A command with its output read and thrown away."""
    subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=False)


if __name__ == "__main__":
    sys.exit(main())
