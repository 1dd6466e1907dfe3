"""A task in the SWE-bench format, and reading tasks from files, with every mistake named by file and line.

A line of a task file is one JSON object with `instance_id`, `repo`, `base_commit`, `problem_statement`,
`patch` (the reference fix), `test_patch`, `FAIL_TO_PASS` and `PASS_TO_PASS` (lists, or lists written as
JSON strings, as in the published sets). Other fields are ignored. `repo` names a repository on this
machine: a path, or the published `owner/name` below the folder of repositories.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from groundwire.errors import BadTasks

TASK_FILES = (".jsonl", ".json")
_REQUIRED = ("instance_id", "repo", "base_commit", "problem_statement")
_IDENTITY = re.compile(r"[A-Za-z0-9][\w.+-]*\Z")
_OPTION = re.compile(r"-")


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A repository at a commit, what is wrong with it, and the tests that tell whether it is right."""

    instance_id: str
    repo: str
    base_commit: str
    problem_statement: str
    patch: str = ""
    """The reference fix."""
    test_patch: str = ""
    """Brings the tests; the agent never sees it."""
    fail_to_pass: tuple[str, ...] = ()
    pass_to_pass: tuple[str, ...] = ()
    source: str = ""
    """Where the repository is on this machine; empty for a task that ships with groundwire."""

    @property
    def tests(self) -> tuple[str, ...]:
        """All tests that must pass in the end."""
        return self.fail_to_pass + self.pass_to_pass

    def to_json(self) -> dict[str, Any]:
        """The task as a line of a task file."""
        return {
            "instance_id": self.instance_id,
            "repo": self.repo,
            "base_commit": self.base_commit,
            "problem_statement": self.problem_statement,
            "patch": self.patch,
            "test_patch": self.test_patch,
            "FAIL_TO_PASS": list(self.fail_to_pass),
            "PASS_TO_PASS": list(self.pass_to_pass),
        }


def read_tasks(place: Path, repositories: Path | None = None) -> list[Task]:
    """The tasks of a file, or of every task file in a folder. BadTasks says what is wrong and where."""
    if not place.exists():
        raise BadTasks(
            f"There is no task file or folder {place}.",
            hint="Name a .jsonl file in the SWE-bench format, a folder with some, or: --tasks builtin",
        )
    files = [place]
    if place.is_dir():
        files = sorted(file for file in place.iterdir() if file.suffix in TASK_FILES)
        if not files:
            raise BadTasks(f"There is no .jsonl or .json file in {place}.")
    tasks = [task for file in files for task in _tasks_in(file, repositories or file.parent)]
    if not tasks:
        raise BadTasks(f"There is no task in {place}.")
    return list(_each_once(tasks, place))


def chosen_tasks(tasks: Iterable[Task], names: Iterable[str]) -> list[Task]:
    """The tasks with these instance ids; all of them without names."""
    by_name = {task.instance_id: task for task in tasks}
    wanted = list(names)
    unknown = [name for name in wanted if name not in by_name]
    if unknown:
        from difflib import get_close_matches  # noqa: PLC0415  (lazy: only for a mistake)

        near = get_close_matches(unknown[0], by_name, n=1)
        raise BadTasks(
            f"There is no task '{unknown[0]}'.",
            hint=f"Did you mean '{near[0]}'?" if near else "groundwire eval list shows the tasks.",
        )
    return [by_name[name] for name in wanted] if wanted else list(by_name.values())


def _tasks_in(file: Path, repositories: Path) -> Iterator[Task]:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise BadTasks(f"{file} cannot be read: {error.strerror}.") from error
    for where, document in _documents(file, data):
        yield _task(where, document, repositories)


def _documents(file: Path, data: bytes) -> Iterator[tuple[str, object]]:
    """Each JSON document with the place it stands at."""
    if file.suffix == ".json":
        whole = _decoded(str(file), data)
        many = whole if isinstance(whole, list) else [whole]
        yield from ((f"{file}, task {at}", item) for at, item in enumerate(many, start=1))
        return
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            yield f"{file}, line {number}", _decoded(f"{file}, line {number}", line)


def _decoded(where: str, data: bytes) -> object:
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadTasks(f"{where}: not JSON ({error}).") from None


def _task(where: str, document: object, repositories: Path) -> Task:
    if not isinstance(document, dict):
        raise BadTasks(f"{where}: a task is a JSON object.")
    fields = {name: _text(where, document, name) for name in (*_REQUIRED, "patch", "test_patch")}
    for name in _REQUIRED:
        if not fields[name].strip():
            raise BadTasks(f"{where}: the field '{name}' is missing.")
    if not _IDENTITY.match(fields["instance_id"]):
        raise BadTasks(f"{where}: '{fields['instance_id']}' cannot be the name of a task.")
    if fields["base_commit"].startswith("-"):
        raise BadTasks(f"{where}: '{fields['base_commit']}' is not a commit.")
    failing = _tests(where, document, "FAIL_TO_PASS")
    if not failing:
        raise BadTasks(
            f"{where}: FAIL_TO_PASS names no test, so nothing could tell whether the task is solved."
        )
    return Task(
        **fields,
        fail_to_pass=failing,
        pass_to_pass=_tests(where, document, "PASS_TO_PASS"),
        source=str(_repository(where, fields["repo"], repositories)),
    )


def _text(where: str, document: dict[str, Any], name: str) -> str:
    value = document.get(name)
    if value is not None and not isinstance(value, str):
        raise BadTasks(f"{where}: the field '{name}' must be a text.")
    return value or ""


def _tests(where: str, document: dict[str, Any], name: str) -> tuple[str, ...]:
    value = document.get(name, document.get(name.lower()))
    if isinstance(value, str):  # the published sets write the list as a JSON string
        value = _decoded(f"{where}, {name}", value.encode()) if value.strip() else []
    if value is None:
        value = []
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise BadTasks(f"{where}: {name} must be a list of tests.")
    starts = [item for item in value if _OPTION.match(item)]
    if starts:
        raise BadTasks(f"{where}: {name} holds '{starts[0]}', which would be taken for an option.")
    return tuple(value)


def _repository(where: str, repo: str, repositories: Path) -> Path:
    """The repository on this machine that `repo` means."""
    flat = repo.replace("/", "__")
    for place in (
        Path(repo),
        repositories / repo,
        repositories / flat,
        repositories / repo.rpartition("/")[2],
    ):
        if (place / ".git").exists() or (place / "HEAD").is_file():
            return place.resolve()
    raise BadTasks(
        f"{where}: there is no repository '{repo}' on this machine.",
        hint=f"Clone it to {repositories / flat}, or name the folder of your clones with --repos DIR.",
    )


def _each_once(tasks: Iterable[Task], place: Path) -> Iterator[Task]:
    seen: set[str] = set()
    for task in tasks:
        if task.instance_id in seen:
            raise BadTasks(f"The task '{task.instance_id}' is there twice in {place}.")
        seen.add(task.instance_id)
        yield task
