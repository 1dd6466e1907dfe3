"""Files in the repository that are made from the code: compared with a readable diff."""

from __future__ import annotations

import difflib
from pathlib import Path


def difference(path: Path, made: str) -> str:
    """Nothing when the file says what the code makes now, else a diff.

    White space does not count, because Python's versions wrap help texts differently.
    """
    committed = path.read_text(encoding="utf-8") if path.exists() else ""
    if committed.split() == made.split():
        return ""
    lines = difflib.unified_diff(
        committed.splitlines(),
        made.splitlines(),
        f"{path.name} as committed",
        "as the code is now",
        lineterm="",
    )
    return "\n".join(lines)
