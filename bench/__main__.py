"""`make bench`: every benchmark, or with ONLY=name one of them, each in a process of its own.

Numbers are ratios measured in one run. A benchmark that misses its goal says so and makes the whole run fail;
one whose peer is not installed says "not run".
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BENCHMARKS = {
    "citations": "citation insertion against Gemini CLI's own code",
    "corpus": "indexing and asking a folder of 10,000 documents",
    "emulator": "the emulator against a bare server of the same library",
    "gateway": "the gateway against LiteLLM, node http-proxy and a Starlette forwarder",
    "edits": "finding the place of an edit, with the mistakes models make",
    "startup": "commands against an empty Python and other programs",
    "tools": "the file tools against ripgrep and Gemini CLI's tools",
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
    """Run what was asked for and sum up."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("only", nargs="?", default="", help="the name of one benchmark")
    only = parser.parse_args().only
    present = {name: about for name, about in BENCHMARKS.items() if (HERE / f"{name}.py").exists()}
    if only in PARTS:
        name, *words = PARTS[only]
        return subprocess.run([sys.executable, "-m", f"bench.{name}", *words], check=False).returncode
    if only and only not in present:
        names = ", ".join([*present, *PARTS])
        print(f"There is no benchmark '{only}'. Choose one of: {names}.", file=sys.stderr)
        return 2
    missed = []
    for name, about in present.items():
        if only in ("", name):
            print(f"\n== {name}: {about}\n", flush=True)
            if subprocess.run([sys.executable, "-m", f"bench.{name}"], check=False).returncode:
                missed.append(name)
    if not only:
        subprocess.run([sys.executable, "-m", "bench.page"], check=False)
    print(f"\n{'missed or failed: ' + ', '.join(missed) if missed else 'every goal was reached'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
