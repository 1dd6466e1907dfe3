"""Where a task's worktrees come from: a repository made from its file, or a clone that borrows objects.

The person's own clones are only read: worktrees, locks and what a killed run leaves behind are in ours.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from groundwire.evaluation.builtin import made
from groundwire.evaluation.git import git
from groundwire.evaluation.task import Task


def repository_of(task: Task, repositories: Path) -> Path:
    """The repository of a task below `repositories`, made there when this machine does not have it yet."""
    if not task.source:
        place = repositories / task.instance_id
        return place if place.is_dir() else made(task.instance_id, repositories)[1]
    place = repositories / hashlib.sha256(task.source.encode()).hexdigest()[:16]
    return place if place.is_dir() else _borrowing(Path(task.source), place)


def _borrowing(source: Path, place: Path) -> Path:
    """A clone without objects of its own, made beside its place and moved there: two may make it at once."""
    place.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(dir=place.parent, prefix=".clone-"))
    try:
        git(place.parent, "clone", "--quiet", "--bare", "--shared", "--", str(source), str(building))
        with contextlib.suppress(OSError):  # it is there already
            os.rename(building, place)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return place
