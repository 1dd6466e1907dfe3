"""What a real host prints, kept for the pictures in docs/hosts: `.conformance/recordings/HOST.txt`.

A recording that is worth showing is copied to docs/recordings, from which `make docs` draws the picture.
"""

from __future__ import annotations

import re
from pathlib import Path

from conformance.trial import ROOT, Trial

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
KEPT = ROOT / ".conformance" / "recordings"


def keep(name: str, command: str, printed: str, home: Path, trial: Trial) -> None:
    """Write a recording: the command as a person types it, and what came, without paths of this machine."""
    text = _ESCAPES.sub("", printed).replace(str(home), "~").replace(str(trial.place), "~")
    text = text.replace(str(ROOT / ".venv" / "bin"), "~/.local/bin")
    text = re.sub(r"\n{3,}", "\n\n", text).strip("\n")
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / f"{name}.txt").write_text(f"$ {command}\n{text}\n", encoding="utf-8")
