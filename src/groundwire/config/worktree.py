"""Which folders belong to the project one stands in."""

from __future__ import annotations

from pathlib import Path


def worktree_root(cwd: Path) -> Path | None:
    """The nearest folder upwards with `.git`, if there is one."""
    return next((folder for folder in (cwd, *cwd.parents) if (folder / ".git").exists()), None)


def upwards(cwd: Path, root: Path) -> list[Path]:
    """The folders from the working directory up to a root, both included."""
    return [folder for folder in (cwd, *cwd.parents) if folder.is_relative_to(root)]
