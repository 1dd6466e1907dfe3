"""`make bench`: every benchmark, or with ONLY=name one of them, each in a process of its own.

Numbers are ratios measured in one run. Every benchmark installs the peers it needs; the table at the end says
which goals were reached or missed and what was not run, and why. The exit code is 1 when a goal was missed
or a benchmark broke off.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

from bench.results import Result, forget, load

BENCHMARKS = {
    "citations": "citation insertion against Gemini CLI's own code",
    "corpus": "indexing and asking a folder of 10,000 documents",
    "emulator": "the emulator against a bare server of the same library",
    "gateway": "the gateway against LiteLLM, node http-proxy and a Starlette forwarder",
    "edits": "finding the place of an edit, with the mistakes models make, against Gemini CLI and OpenHands",
    "startup": "commands against an empty Python and other programs",
    "tools": "the file tools against ripgrep, Gemini CLI's and OpenHands' tools",
    "growth": "grep and glob over the number of files",
    "agent": "200 turns of the agent: what a turn costs beside the model, and the memory",
    "agent_kills": "runs of the agent killed at random moments and resumed",
    "crash": "writes killed at random moments",
    "mcp": "the MCP server's start, memory and calls against other servers",
    "extremes": "memory and time on huge files, a million files and cycles",
}
PARTS = {"glob": ("tools", "--only", "glob"), "grep": ("tools", "--only", "grep")}
"""Names for a part of a benchmark."""


def main() -> int:
    """Run what was asked for; 1 when something was missed, 2 when there is no such benchmark."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("only", nargs="?", default="", help="the name of one benchmark")
    only = parser.parse_args().only
    if only in (*BENCHMARKS, *PARTS):
        return run(*PARTS.get(only, (only,)))
    if only:
        names = ", ".join([*BENCHMARKS, *PARTS])
        print(f"There is no benchmark '{only}'. Choose one of: {names}.", file=sys.stderr)
        return 2
    return run_all()


def run_all() -> int:
    """Every benchmark, the page, and a table."""
    forget()
    seconds: dict[str, float] = {}
    for name, about in BENCHMARKS.items():
        print(f"\n== {name}: {about}\n", flush=True)
        began = time.monotonic()
        run(name)
        seconds[name] = time.monotonic() - began
    print()
    run("page")
    results = load()
    print(f"\n{summary(results, seconds)}")
    whole = set(results) == set(BENCHMARKS)
    return 0 if whole and not any(result.missed for result in results.values()) else 1


def run(name: str, *words: str) -> int:
    """One benchmark in a process of its own; its exit code."""
    return subprocess.run([sys.executable, "-m", f"bench.{name}", *words], check=False).returncode


def summary(results: dict[str, Result], seconds: dict[str, float]) -> str:
    """The table at the end: a line for each benchmark."""
    lines = [f"{'benchmark':<12} {'goals':>7} {'time':>7}  result"]
    for name, took in seconds.items():
        result = results.get(name)
        goals = f"{len(result.goals) - len(result.missed)}/{len(result.goals)}" if result else "-"
        lines.append(f"{name:<12} {goals:>7} {took:>5.0f} s  {outcome(result)}")
    judged = sum(len(result.goals) for result in results.values())
    missed = sum(len(result.missed) for result in results.values())
    broken = len(seconds.keys() - results.keys())
    lines.append(f"\n{judged - missed} goals reached, {missed} missed, {broken} benchmarks broke off")
    return "\n".join(lines)


def outcome(result: Result | None) -> str:
    """What is to be said of one benchmark."""
    if result is None:
        return "broke off: its last lines above say why"
    missed = [f"MISSED: {row.what} ({row.goal})" for row in result.missed]
    absent = [f"not run: {name} ({reason})" for name, reason in result.not_run.items()]
    verdict = ["reached"] if result.goals and not missed else []
    return "; ".join([*verdict, *missed, *absent]) or "measured, no goal"


if __name__ == "__main__":
    sys.exit(main())
