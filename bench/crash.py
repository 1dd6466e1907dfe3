"""Kills the process in the middle of write_file and replace, again and again: no file may ever be damaged.

    python -m bench.crash [--trials 10000] [--seed 0]

A child process overwrites and edits files as fast as it can; after a random time it is killed with SIGKILL.
Every file must then hold one of the texts that were written, whole. A temporary file may be left behind.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from bench.results import Row, Spread, finish

TRIALS = 10_000
FILES = 4
LINES = 400


def main() -> int:
    """Run the trials and say what was lost."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    random = Random(options.seed)
    damaged = 0
    with tempfile.TemporaryDirectory(prefix="groundwire-crash-") as folder:
        root = Path(folder)
        for number in range(FILES):
            (root / f"{number}.txt").write_text("version 0\n" * LINES, encoding="utf-8")
        done = 0
        while done < options.trials:
            done += trials(root, random, min(50, options.trials - done))
            damaged += sum(not is_whole(root / f"{number}.txt") for number in range(FILES))
    name = f"files damaged by {done:,} kills"
    row = Row(name, "files", Spread.of([float(damaged)]), {}, "none", not damaged)
    return finish("crash", [row], keep=done >= TRIALS)


def trials(root: Path, random: Random, count: int) -> int:
    """Fork a writer that forks again for each trial, so that starting Python is not what we measure."""
    reader, writer = os.pipe()
    keeper = os.fork()
    if keeper == 0:
        os.close(reader)
        _keep(root, random, count, writer)
    os.close(writer)
    os.waitpid(keeper, 0)
    kills = len(os.read(reader, 4096))
    os.close(reader)
    random.random()
    return kills


def _keep(root: Path, random: Random, count: int, report: int) -> None:
    """In the child: `count` writers, each killed after a few thousandths of a second."""
    from groundwire.tools.toolset import toolset

    tools = toolset(root, dialect="classic")
    tools.call_now("read_file", {"path": "0.txt"})
    for trial in range(count):
        writer = os.fork()
        if writer == 0:
            _write_for_ever(tools, trial)
        time.sleep(random.uniform(0.0, 0.01))
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        if not all(is_whole(root / f"{number}.txt") for number in range(FILES)):
            os._exit(1)  # leave the damaged file for the parent to count
        for litter in root.glob(".groundwire-*"):
            litter.unlink()
        os.write(report, b"x")
    os._exit(0)


def _write_for_ever(tools: object, trial: int) -> None:
    call = tools.call_now  # type: ignore[attr-defined]
    turn = trial * 1000
    while True:
        turn += 1
        name = f"{turn % FILES}.txt"
        call("write_file", {"file_path": name, "content": f"version {turn}\n" * LINES})
        edit = {"file_path": name, "old_string": f"version {turn}\n", "new_string": f"edited {turn}\n"}
        call("replace", edit)


def is_whole(path: Path) -> bool:
    """Whether the file holds one of the texts that were written, from the first byte to the last."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return len(lines) == LINES + 1 and lines[-1] == "" and len(set(lines[:-1])) == 1


if __name__ == "__main__":
    sys.exit(main())
