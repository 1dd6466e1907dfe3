"""How much memory and time the file tools take on extreme input: every call must stay within stated bounds.

    python -m bench.extremes [--folder DIR] [--files 1000000]

The input: a sparse file of 10 GB, a line of 1 GB and one of 200 MB (searched even when not named), a million
empty files, a cycle of links. It is made in /dev/shm where there is one, takes 1.2 GB there, and is removed
again. Each call is made in a process of its own under a time limit; the memory is the highest resident size
of that process and of the ripgrep it starts. Exits 1 when a call is over a bound or dies.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.results import Row, Spread, finish

MOST_MEGABYTES = 300
MOST_RIPGREP_MEGABYTES = 1100
"""What it is given: a line must be held whole to be searched."""
MOST_SECONDS = 60.0
FILES_IN_ONE_DIRECTORY = 10_000
GIGABYTE = 1024**3


@dataclass(frozen=True)
class Call:
    """One tool call on one kind of input."""

    input: str
    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Measured:
    """What a call took."""

    seconds: float
    megabytes: float
    ripgrep_megabytes: float
    answer: str

    def over(self) -> list[str]:
        """The bounds that were not kept."""
        bounds = {
            "time": self.seconds > MOST_SECONDS,
            "memory": self.megabytes > MOST_MEGABYTES,
            "ripgrep's memory": self.ripgrep_megabytes > MOST_RIPGREP_MEGABYTES,
        }
        return [name for name, is_over in bounds.items() if is_over]


def main() -> int:
    """Make the input, make the calls, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=Path("/dev/shm"), help="where the input is made")
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--child", nargs=3, metavar=("ROOT", "TOOL", "JSON"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(*options.child)
    folder = options.folder if options.folder.is_dir() else Path(tempfile.gettempdir())
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="groundwire-extremes-", dir=folder) as made:
        makers = {"huge": make_huge_files, "many": lambda root: make_many(root, options.files)}
        for name, make in {**makers, "cycle": make_cycle}.items():
            start = time.perf_counter()
            (Path(made) / name).mkdir()
            make(Path(made) / name)
            print(f"-- {name}: made in {time.perf_counter() - start:.1f} s", flush=True)
            for call in calls(name):
                measured = measure(Path(made) / name, call)
                print(told(call, measured), flush=True)
                rows.append(row(call, measured))
    return finish("extremes", rows)


def make_huge_files(root: Path) -> None:
    """A sparse file, and two files that are one line."""
    with (root / "sparse.txt").open("wb") as sparse:
        sparse.truncate(10 * GIGABYTE)
    block = b"x" * (1 << 20)
    for name, blocks in (("line.txt", 1024), ("shorter.txt", 200)):
        with (root / name).open("wb") as stream:
            for _ in range(blocks):
                stream.write(block)


def make_many(root: Path, count: int) -> None:
    """Empty files, ten thousand in each directory."""
    for first in range(0, count, FILES_IN_ONE_DIRECTORY):
        folder = root / f"d{first // FILES_IN_ONE_DIRECTORY:03}"
        folder.mkdir()
        handle = os.open(folder, os.O_RDONLY)
        for number in range(first, min(count, first + FILES_IN_ONE_DIRECTORY)):
            os.close(os.open(f"f{number}.txt", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=handle))
        os.close(handle)


def make_cycle(root: Path) -> None:
    """Links to the directory above, to each other, and to themselves."""
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "up").symlink_to("../..")
    (root / "a" / "one").symlink_to("two")
    (root / "a" / "two").symlink_to("one")
    (root / "self").symlink_to("self")
    (root / "a" / "file.txt").write_text("needle\n", encoding="utf-8")


def calls(name: str) -> Iterator[Call]:
    """What is asked of each kind of input."""
    if name == "huge":
        edit = {"instruction": "x", "old_string": "xyz", "new_string": "y"}
        for file in ("sparse.txt", "line.txt", "shorter.txt"):
            yield Call(file, "read_file", {"file_path": file})
            yield Call(file, "read_many_files", {"include": [file]})
            yield Call(file, "grep_search", {"pattern": "needle", "dir_path": file})
            yield Call(file, "replace", {"file_path": file, **edit})
        yield Call("shorter.txt", "grep_search", {"pattern": "x", "dir_path": "shorter.txt"})
        # Overwriting compares with the old text, so this comes last: it may change the file.
        for file in ("sparse.txt", "line.txt", "shorter.txt"):
            yield Call(file, "write_file", {"file_path": file, "content": "short\n"})
        return
    yield Call(name, "list_directory", {"dir_path": "."})
    yield Call(name, "list_directory", {"dir_path": "d000" if name == "many" else "a"})
    yield Call(name, "glob", {"pattern": "**/*.nothing"})
    yield Call(name, "glob", {"pattern": "**/*.txt"})
    yield Call(name, "grep_search", {"pattern": "needle"})
    yield Call(name, "read_many_files", {"include": ["**/*.txt"]})


def measure(root: Path, call: Call) -> Measured | str:
    """The call in a process of its own, or how that process died."""
    command = [sys.executable, "-m", "bench.extremes", "--child"]
    command += [str(root), call.tool, json.dumps(call.arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False,
                              timeout=2 * MOST_SECONDS)  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"no answer after {2 * MOST_SECONDS:.0f} s"
    if done.returncode:
        return f"exit code {done.returncode}: {done.stderr[-300:]}"
    return Measured(**json.loads(done.stdout))


def child(root: str, tool: str, arguments: str) -> int:
    """Make one call and print what it took."""
    from groundwire.tools.toolset import toolset

    tools = toolset(root)
    start = time.perf_counter()
    result = tools.call_now(tool, json.loads(arguments))
    seconds = time.perf_counter() - start
    # Linux counts kilobytes, macOS bytes.
    unit = 1024**2 if sys.platform == "darwin" else 1024
    peaks = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    said = result.llm_content if isinstance(result.llm_content, str) else json.dumps(result.llm_content)
    answer = f"{len(said)} characters: {said[:50]!r}"
    print(json.dumps({"seconds": seconds, "megabytes": peaks[0] / unit, "ripgrep_megabytes": peaks[1] / unit,
                      "answer": answer}))  # fmt: skip
    return 0


def told(call: Call, measured: Measured | str) -> str:
    """A line for those who wait."""
    head = f"{call.input:<12} {call.tool:<16}"
    if isinstance(measured, str):
        return f"{head} DIED: {measured}"
    taken = f"{measured.seconds:7.2f} s {measured.megabytes:6.0f} MB  rg {measured.ripgrep_megabytes:5.0f} MB"
    over = measured.over()
    return f"{head} {taken}  {measured.answer}" + (f"  OVER: {', '.join(over)}" if over else "")


def row(call: Call, measured: Measured | str) -> Row:
    """The call's memory and time, as they are kept."""
    name = f"{call.tool} on {call.input}"
    goal = f"at most {MOST_MEGABYTES} MB and {MOST_SECONDS:.0f} s"
    if isinstance(measured, str):
        return Row(f"{name} ({measured})", "MB", Spread.of([float("inf")]), goal=goal, reached=False)
    name = f"{name}, in {measured.seconds:.2f} s"
    return Row(name, "MB", Spread.of([measured.megabytes]), goal=goal, reached=not measured.over())


if __name__ == "__main__":
    sys.exit(main())
