"""Whether a task can be trusted: its tests must fail before the reference fix, and pass with it."""

from __future__ import annotations

import shutil
from pathlib import Path

from groundwire.errors import BadTasks
from groundwire.evaluation.grading import Examination, grade
from groundwire.evaluation.repository import repository_of
from groundwire.evaluation.task import Task


def check_task(task: Task, repositories: Path, scratch: Path, examination: Examination) -> str:
    """What is wrong with a task, in a sentence; empty when nothing is."""
    repository = repository_of(task, repositories)
    place = scratch / f"check-{task.instance_id}"
    try:
        before = grade(task, repository, "", place, examination)
        with_fix = grade(task, repository, task.patch, place, examination)
    except BadTasks as error:
        return error.message
    finally:
        shutil.rmtree(place, ignore_errors=True)
    passing = [test for test in task.fail_to_pass if test not in before.failed]
    broken = [test for test in task.pass_to_pass if test in before.failed]
    if passing:
        return f"{passing[0]} passes before the fix."
    if broken:
        return f"{broken[0]} fails before the fix."
    if not with_fix.resolved:
        return with_fix.detail or f"{with_fix.failed[0]} fails with the fix."
    return ""
