"""OpenHands' search tool as a peer: finding a Python that has it, and asking it pattern by pattern.

`openhands-tools` needs a newer Python than we do. The one that `OPENHANDS_PYTHON` names is used, or the one
that `make conformance` installed it into, or a python3.12, 3.13 or 3.14 on the PATH that can import the
package; without any, the peer is not run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from groundwire.tools.ripgrep import ripgrep_path

PYTHONS = ("python3.12", "python3.13", "python3.14")
INSTALLED = Path(__file__).resolve().parent.parent / ".conformance/pypi/openhands/bin/python"
SCRIPT = Path(__file__).with_name("openhands_tools.py")


def openhands_python() -> str | None:
    """A Python that can import OpenHands' tools, or None."""
    given = os.environ.get("OPENHANDS_PYTHON")
    found = [given] if given else [sys.executable, str(INSTALLED), *filter(None, map(shutil.which, PYTHONS))]
    for python in filter(os.path.exists, found):
        probe = [python, "-c", "import openhands.tools.grep.impl"]
        if subprocess.run(probe, capture_output=True, check=False, env=_environment()).returncode == 0:
            return python
    return None


def _environment() -> dict[str, str]:
    """Our ripgrep first, none of our modules, and no question to the network for a list of prices."""
    path = os.pathsep.join([os.path.dirname(ripgrep_path()), os.environ.get("PATH", "")])
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**kept, "PATH": path, "OPENHANDS_SUPPRESS_BANNER": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


class OpenHands:
    """The running tool; its searches use the same ripgrep as ours."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def search(self, pattern: str) -> float:
        """The seconds one search took inside that process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(pattern) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith('{"seconds"'):  # it also logs to its output
                answer = json.loads(line)
                if answer["error"]:
                    raise RuntimeError("OpenHands' tool answered with an error")
                return float(answer["seconds"])
        raise RuntimeError("OpenHands' tool ended")


@contextmanager
def openhands(python: str | None, tree: Path) -> Iterator[OpenHands | None]:
    """The tool on `tree`, or nothing when no Python has it."""
    if python is None:
        yield None
        return
    with subprocess.Popen(
        [python, "-P", str(SCRIPT), str(tree)],  # a benchmark of ours may be called like a package of theirs
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env=_environment(),
    ) as process:
        try:
            yield OpenHands(process)
        finally:
            process.kill()
