"""A run: which attempts there are, which are done already, and the rest made, written down and reported.

    tasks × models × toolsets  −  what is in results.jsonl  →  engine  →  results.jsonl  →  report

Starting the same run again goes on where it ended, and tries again what could not be made. A folder with
results belongs to one run: other settings are refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import msgspec

from groundwire.errors import EvaluationFailed
from groundwire.evaluation.attempt import Attempt, Done, Settings
from groundwire.evaluation.builtin import builtin_tasks
from groundwire.evaluation.engines import Engine
from groundwire.evaluation.git import check_commit
from groundwire.evaluation.grading import check_python
from groundwire.evaluation.reference import Reference, reference_of
from groundwire.evaluation.replay import applies, is_replay, variants_of
from groundwire.evaluation.report import write_report
from groundwire.evaluation.repository import repository_of
from groundwire.evaluation.results import (
    SETTINGS,
    TRANSCRIPTS,
    Result,
    ResultLog,
    read_results,
    write_predictions,
)
from groundwire.evaluation.scratch import scratch_for
from groundwire.evaluation.task import Task, chosen_tasks, read_tasks

BUILTIN = "builtin"


class Wanted(msgspec.Struct, frozen=True):
    """What a person asks for."""

    tasks: str
    """`builtin`, or the path of a file or folder in the SWE-bench format."""
    toolsets: tuple[str, ...]
    models: tuple[str, ...]
    only: tuple[str, ...] = ()
    """The instance ids to run; empty: all."""
    repositories: str = ""
    """Where the clones of the tasks' repositories are."""
    settings: Settings = Settings()


class Watcher(Protocol):
    """Is told how a run goes."""

    def planned(self, attempts: int, done: Sequence[Result]) -> None:
        """So many attempts in all, of which these are finished already."""

    def started(self, attempt: Attempt) -> None:
        """An attempt begins."""

    def finished(self, result: Result) -> None:
        """An attempt is over and written down."""


class _Fingerprint(msgspec.Struct):
    """What must be the same for a folder to be gone on with."""

    tasks: str
    settings: Settings


def evaluate(wanted: Wanted, folder: Path, engine: Engine, watcher: Watcher) -> list[Result]:
    """Run what is wanted and not yet done; all results of the folder that belong to it."""
    with scratch_for(folder) as scratch:
        repositories = scratch / "repositories"
        tasks = tasks_wanted(wanted, repositories)
        check_python(tasks, wanted.settings.examination)
        attempts = planned_attempts(tasks, wanted, repositories, scratch)
        found = read_results(folder)
        _claim(folder, tasks, wanted.settings, is_begun=bool(found))
        done = {
            attempt.key: found[attempt.key]
            for attempt in attempts
            if attempt.key in found and found[attempt.key].was_made
        }
        watcher.planned(len(attempts), list(done.values()))
        log = ResultLog(folder)
        left = [attempt for attempt in attempts if attempt.key not in done]
        for made in engine.run(left, wanted.settings, repositories, watcher.started):
            with _writing_to(folder):
                _keep(folder, made)
                log.append(made.result)
            done[made.result.key] = made.result
            watcher.finished(made.result)
        results = [done[attempt.key] for attempt in attempts]
        _report(folder, results)
        return results


def tasks_wanted(wanted: Wanted, repositories: Path) -> list[Task]:
    """The tasks, each with a repository that has its commit."""
    if wanted.tasks == BUILTIN:
        return chosen_tasks(builtin_tasks(repositories), wanted.only)
    clones = Path(wanted.repositories) if wanted.repositories else None
    tasks = chosen_tasks(read_tasks(Path(wanted.tasks), clones), wanted.only)
    for task in tasks:
        check_commit(Path(task.source), task.base_commit, task.instance_id)
    return tasks


def planned_attempts(
    tasks: Sequence[Task], wanted: Wanted, repositories: Path, scratch: Path
) -> list[Attempt]:
    """Every attempt: toolsets side by side, so that an interrupted run has pairs to compare."""
    named = [
        name for model in wanted.models for name in (variants_of(model) if is_replay(model) else [model])
    ]
    models = list(dict.fromkeys(named))
    references = {
        task.instance_id: reference_of(task, repository_of(task, repositories), scratch)
        if task.patch
        else Reference()
        for task in tasks
    }
    return [
        Attempt(task, toolset, model, references[task.instance_id])
        for model in models
        for task in tasks
        if not is_replay(model) or applies(model, references[task.instance_id])
        for toolset in wanted.toolsets
    ]


def _claim(folder: Path, tasks: Sequence[Task], settings: Settings, *, is_begun: bool) -> None:
    """Make the folder this run's own, or make sure that it is. One without results is nobody's yet."""
    digest = hashlib.sha256(
        msgspec.json.encode([task.to_json() for task in sorted(tasks, key=_name)])
    ).hexdigest()
    ours = _Fingerprint(digest, settings)
    path = folder / SETTINGS
    if is_begun and path.exists():
        try:
            theirs = msgspec.json.decode(path.read_bytes(), type=_Fingerprint)
        except msgspec.MsgspecError:
            theirs = None
        if theirs != ours:
            what = "tasks" if theirs is None or theirs.tasks != digest else "settings"
            raise EvaluationFailed(
                f"{folder} holds a run with other {what}.", hint="Choose another folder with --out DIR."
            )
        return
    path.write_bytes(msgspec.json.format(msgspec.json.encode(ours)) + b"\n")


@contextmanager
def _writing_to(folder: Path) -> Iterator[None]:
    """EvaluationFailed when the disk does not take it."""
    try:
        yield
    except OSError as error:
        raise EvaluationFailed(
            f"{error.filename or folder} cannot be written: {error.strerror}.",
            hint="What is finished is kept; the same command goes on.",
        ) from error


def _report(folder: Path, results: Sequence[Result]) -> Path:
    with _writing_to(folder):
        write_predictions(folder, results)
        return write_report(folder, results)


def _name(task: Task) -> str:
    return task.instance_id


def _keep(folder: Path, done: Done) -> None:
    """The transcript first, then the result: a finished attempt always has its transcript."""
    place = folder / TRANSCRIPTS
    place.mkdir(exist_ok=True)
    (place / f"{done.result.key.slug}.json").write_bytes(msgspec.json.encode(done.history))


def report_again(folder: Path) -> Path:
    """Write the report of a finished or interrupted run from its results."""
    results = list(read_results(folder).values())
    if not results:
        raise EvaluationFailed(
            f"There are no results in {folder}.", hint="groundwire eval run --out DIR makes some."
        )
    return _report(folder, results)
