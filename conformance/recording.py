"""What real hosts print, for the pictures in docs/hosts: docs/recordings/HOST.txt, a file for each of HOSTS.

`make recordings` runs those hosts, writes the files and draws the pictures anew. Every other run of such a
host compares: a recording that no longer shows what the host prints is a failed check.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import Path

from conformance.pasting import GROUNDWIRE
from conformance.trial import ROOT, Trial

HOSTS = ("opencode", "codex", "claude-code", "gemini-cli")
"""The peers that are recorded."""
RECORDINGS = ROOT / "docs" / "recordings"
STALE = "What it prints is what docs/recordings shows (`make recordings` writes it anew)."
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PATH = re.compile(r"(?<![\w~:/.])/(?:\w[\w.+-]*/)+\w[\w.+-]*")


def keep(command: str, printed: str, home: Path, trial: Trial) -> None:
    """Take a recording of the peer, or compare with the one there is."""
    shown = {str(GROUNDWIRE.parent): "~/.local/bin", str(home): "~", str(trial.place): "~"}
    text = recorded(command, printed, shown)
    file = RECORDINGS / f"{trial.peer}.txt"
    left = paths_in(text)
    trial.check("The recording names no path of this machine.", not left, left)
    if trial.records and not left:
        file.write_text(text, encoding="utf-8")
    before = file.read_text(encoding="utf-8") if file.is_file() else ""
    trial.check(STALE, before == text, "\n".join(difflib.ndiff(before.splitlines(), text.splitlines())))


def recorded(command: str, printed: str, shown: Mapping[str, str]) -> str:
    """The command as a person types it, and what came: no colours, no gaps, paths as `shown` has them."""
    text = _ESCAPES.sub("", printed)
    for path in sorted(shown, key=len, reverse=True):  # of paths in each other, the longest first
        text = text.replace(path, shown[path])
    lines = [line.rstrip() for line in text.splitlines()]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
    return f"$ {command}\n{text}\n"


def paths_in(text: str) -> list[str]:
    """Absolute paths of a machine; addresses of the web and paths below `~` are none."""
    return _PATH.findall(text)
