"""What a task's reference fix does to its files: the edits it consists of, and the bytes that come of it."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import msgspec

from groundwire.errors import BadTasks, GitFailed, ToolError
from groundwire.evaluation.edits import Edit, edits_between, paths_in
from groundwire.evaluation.git import apply_patch, worktree
from groundwire.evaluation.task import Task
from groundwire.workspace.boundary import Workspace
from groundwire.workspace.textfile import read_text


class Reference(msgspec.Struct, frozen=True):
    """The reference fix of one task."""

    edits: tuple[Edit, ...] = ()
    before: dict[str, str] = {}
    """The texts of its files before it; a file that it creates is not among them."""
    after: dict[str, str] = {}
    """The fingerprints of its files' bytes after it."""


def reference_of(task: Task, repository: Path, scratch: Path) -> Reference:
    """Apply the reference fix to a fresh worktree and look. BadTasks when it does not apply."""
    paths = sorted(paths_in(task.patch))
    with worktree(repository, task.base_commit, scratch / "reference") as folder:
        before = {path: text for path in paths if (text := _text(folder, path)) is not None}
        try:
            apply_patch(folder, task.patch)
        except GitFailed as error:
            raise BadTasks(f"{task.instance_id}: its patch does not apply: {error.message}") from error
        texts = {path: text for path in paths if (text := _text(folder, path)) is not None}
        after = fingerprints(folder, paths)
    edits = tuple(
        edit for path, text in texts.items() for edit in edits_between(path, before.get(path), text)
    )
    return Reference(edits, before, after)


def fingerprints(folder: Path, paths: list[str]) -> dict[str, str]:
    """The fingerprints of the files that are there."""
    return {
        path: sha256((folder / path).read_bytes()).hexdigest() for path in paths if (folder / path).is_file()
    }


def _text(folder: Path, path: str) -> str | None:
    """A file's text, however it is encoded; None when there is none."""
    workspace = Workspace(folder)
    try:
        return read_text(workspace, workspace.resolve(path)).text
    except (OSError, ToolError):
        return None
