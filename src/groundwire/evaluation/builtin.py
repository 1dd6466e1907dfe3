"""The tasks that ship with groundwire: small repositories, each in one file, each with a real kind of bug.

A task file holds the repository's files, the fix as pairs of old and new text, and the tests. `made` turns it
into a git repository with one commit, and into a Task whose patches git itself made.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import msgspec

from groundwire.errors import BadTasks
from groundwire.evaluation.git import git, patch_of
from groundwire.evaluation.scratch import make_folder
from groundwire.evaluation.task import Task

FOLDER = Path(__file__).with_name("tasks")
OWNER = "builtin"


class Replacement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One place of the fix. An empty `old` creates the file."""

    file: str
    old: str
    new: str


class TaskFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of `tasks/`."""

    kind: str
    """The kind of bug, in a few words."""
    language: str
    """The kind of file the bug is in."""
    problem: str
    fail_to_pass: tuple[str, ...]
    files: dict[str, str]
    tests: dict[str, str]
    fix: tuple[Replacement, ...]
    pass_to_pass: tuple[str, ...] = ()
    crlf: tuple[str, ...] = ()
    """Files whose lines end in CR LF."""
    encodings: dict[str, str] = {}
    """Files that are not UTF-8."""

    def data(self, path: str, text: str) -> bytes:
        """A file's text as its bytes."""
        ended = text.replace("\n", "\r\n") if path in self.crlf else text
        return ended.encode(self.encodings.get(path, "utf-8"))

    def fixed(self) -> dict[str, str]:
        """The files the fix changes, as they are with it."""
        texts = dict(self.files)
        for place in self.fix:
            text = texts.get(place.file, "")
            if text.count(place.old) != 1 and place.old:
                raise BadTasks(
                    f"The fix's text stands {text.count(place.old)} times in {place.file}: {place.old!r}"
                )
            texts[place.file] = text.replace(place.old, place.new) if place.old else place.new
        return {place.file: texts[place.file] for place in self.fix}


def names() -> list[str]:
    """The tasks there are."""
    return sorted(file.stem for file in FOLDER.glob("*.toml"))


def task_file(name: str) -> TaskFile:
    """The file of one task."""
    return msgspec.toml.decode((FOLDER / f"{name}.toml").read_bytes(), type=TaskFile)


def builtin_tasks(repositories: Path) -> list[Task]:
    """Every task that ships, its repository made below `repositories`."""
    return [made(name, repositories)[0] for name in names()]


def made(name: str, repositories: Path) -> tuple[Task, Path]:
    """A task that ships, and its repository with one commit. The same files give the same commit anywhere."""
    described = task_file(name)
    place = repositories / name
    repositories.mkdir(parents=True, exist_ok=True)
    # Made beside its place and moved there, so that two processes that make it do not meet.
    building = Path(tempfile.mkdtemp(dir=repositories, prefix=f".{name}-"))
    try:
        git(building, "init", "--quiet", "--initial-branch=main")
        commit = _committed(building, described.files, described)
        git(building, "tag", "base", commit)
        patch = _patch(building, described.fixed(), described, commit)
        test_patch = _patch(building, described.tests, described, commit)
        with contextlib.suppress(OSError):  # it is there already
            os.rename(building, place)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    task = Task(
        instance_id=name,
        repo=f"{OWNER}/{name}",
        base_commit=commit,
        problem_statement=described.problem.strip(),
        patch=patch,
        test_patch=test_patch,
        fail_to_pass=described.fail_to_pass,
        pass_to_pass=described.pass_to_pass,
    )
    return task, place


def _committed(folder: Path, texts: Mapping[str, str], described: TaskFile) -> str:
    _write(folder, texts, described)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=The repository before the fix")
    return git(folder, "rev-parse", "HEAD").decode().strip()


def _patch(folder: Path, texts: Mapping[str, str], described: TaskFile, commit: str) -> str:
    """The patch that brings these texts; the folder is as before afterwards."""
    _write(folder, texts, described)
    patch = patch_of(folder, commit)
    git(folder, "reset", "--quiet", "--hard", commit)
    return patch


def _write(folder: Path, texts: Mapping[str, str], described: TaskFile) -> None:
    for path, text in texts.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(described.data(path, text))


def export(folder: Path) -> tuple[Path, int]:
    """Write every task that ships as a repository and a line of a task file; the file, and how many."""
    make_folder(folder)
    tasks = builtin_tasks(folder / OWNER)
    path = folder / "tasks.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(task.to_json()) + b"\n" for task in tasks))
    return path, len(tasks)
