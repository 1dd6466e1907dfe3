"""Processes killed while the agent works are resumed to the same end (`make bench` does 120)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]


def test_killed_runs_end_in_the_same_workspace() -> None:
    command = [sys.executable, "-m", "bench.agent_kills", "--trials", "4", "--seed", "7"]
    done = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert "4 killed and resumed (runs)   goal: none: reached" in done.stdout, done.stderr
    assert done.returncode == 0
