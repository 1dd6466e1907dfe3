"""A process killed in the middle of a write leaves the old file or the new one (`make bench` does 10,000)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]


def test_killed_writers_damage_nothing() -> None:
    command = [sys.executable, "-m", "bench.crash", "--trials", "60"]
    done = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.stdout.startswith("files damaged by 60 kills"), done.stderr
    assert done.stdout.split()[-2:] == ["groundwire", "0"]
