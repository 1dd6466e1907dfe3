"""OpenHands' tools as a peer: a Python that has them, and a process of it that is asked call by call.

`openhands-tools` needs a newer Python than we do; where there is none, the peer is not run.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.peers import Peers
from groundwire.tools.ripgrep import ripgrep_path

NAME = "OpenHands"
SCRIPT = Path(__file__).with_name("openhands_tools.py")


class OpenHands:
    """The running tools; their searches use the same ripgrep as ours."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """`seconds` and `processor` time inside that process, and whether it was an `error`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"tool": tool, "args": arguments}) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith('{"seconds"'):  # it also logs to its output
                answer: dict[str, Any] = json.loads(line)
                return answer
        raise RuntimeError("OpenHands' process ended")

    def timed(self, tool: str, arguments: dict[str, Any], clock: str = "seconds") -> float:
        """How long a call took that must not fail."""
        answer = self.call(tool, arguments)
        if answer["error"]:
            raise RuntimeError(f"OpenHands' {tool} answered with an error")
        return float(answer[clock])


@contextmanager
def openhands(peers: Peers, root: Path) -> Iterator[OpenHands | None]:
    """The tools on `root`, or nothing where they cannot be installed."""
    place = peers.place("openhands", NAME)
    if place is None:
        yield None
        return
    with subprocess.Popen(
        # -P: a benchmark of ours may be called like a package of theirs.
        [str(place / "bin" / "python"), "-P", str(SCRIPT), str(root)],
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


def _environment() -> dict[str, str]:
    """Our ripgrep first, none of our modules, and no question to the network for a list of prices."""
    path = os.pathsep.join([os.path.dirname(ripgrep_path()), os.environ.get("PATH", "")])
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**kept, "PATH": path, "OPENHANDS_SUPPRESS_BANNER": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
