"""Whether a patch solves a task: a fresh worktree, the patch, the tests, and a verdict for each of them.

    resolved  =  the patch applies, and every test of FAIL_TO_PASS and PASS_TO_PASS passes

A test that is named with `::` is one of pytest, any other one of unittest. A command prints a line
`PASSED test` or `FAILED test` for each (pytest does with -rA); what is not named by any has failed.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from groundwire.errors import BadTasks, EvaluationFailed, GitFailed
from groundwire.evaluation.edits import paths_in
from groundwire.evaluation.git import apply_patch, check_patch, restore, worktree
from groundwire.evaluation.sandbox.isolated import Bounds, Run, Stopped, run_isolated
from groundwire.evaluation.task import Task

UNITTEST_PROGRAM = Path(__file__).parent / "sandbox" / "unittest_verdicts.py"
LONGEST_OUTPUT = 4000
PLACEHOLDER = "{tests}"


class Grade(msgspec.Struct, frozen=True):
    """How a patch did."""

    resolved: bool
    failed: tuple[str, ...] = ()
    """The tests that did not pass."""
    stopped: Stopped | None = None
    detail: str = ""
    """Why it was stopped, or why the patch could not be tried."""
    output: str = ""
    """The end of what the tests printed; kept when not all of them passed."""
    seconds: float = 0.0
    isolation: tuple[str, ...] = ()


class Examination(msgspec.Struct, frozen=True):
    """How tests are run."""

    bounds: Bounds = Bounds()
    python: str = sys.executable
    command: tuple[str, ...] = ()
    """The test command; `{tests}` in it stands for the tests. Empty: pytest or unittest, by their names."""


def grade(task: Task, repository: Path, patch: str, scratch: Path, examination: Examination) -> Grade:
    """Apply the patch to a fresh worktree, bring the task's tests, and run them in isolation."""
    with worktree(repository, task.base_commit, scratch / "graded") as folder:
        try:
            apply_patch(folder, patch)
        except GitFailed as error:
            return Grade(False, task.tests, detail=f"The patch does not apply: {error.message}")
        bring_tests(task, folder, touched=paths_in(patch))
        run = run_isolated(_command(task, examination), folder, scratch / "tests", examination.bounds)
    return judged(task, run)


def check_python(tasks: Iterable[Task], examination: Examination) -> None:
    """EvaluationFailed when the tests could not be run at all; known before a model is paid for."""
    needed = "pytest" if any(_is_pytest(task) for task in tasks) else "unittest"
    if examination.command:
        return
    try:
        probe = [examination.python, "-c", f"import {needed}; print({needed!r})"]
        done = subprocess.run(probe, capture_output=True, check=False)  # noqa: S603  (a Python the person named)
    except OSError as error:
        raise EvaluationFailed(f"{examination.python} cannot be run: {error.strerror}.") from error
    if done.stdout.strip() != needed.encode():  # a program that is no Python may end without an error
        raise EvaluationFailed(
            f"{examination.python} has no {needed}, which these tests need.",
            hint="Name a Python that has it: --python PATH",
        )


def check_tests(task: Task, folder: Path) -> None:
    """BadTasks when the task's tests do not fit its own commit; known before a model is paid for."""
    with _named(task):
        check_patch(folder, task.test_patch)


def bring_tests(task: Task, folder: Path, touched: set[str]) -> None:
    """The task's tests in the folder, in place of whatever a patch made of the same files."""
    restore(folder, task.base_commit, touched & paths_in(task.test_patch))
    with _named(task):
        apply_patch(folder, task.test_patch)


@contextmanager
def _named(task: Task) -> Iterator[None]:
    try:
        yield
    except GitFailed as error:
        raise BadTasks(f"{task.instance_id}: its test_patch does not apply: {error.message}") from error


def judged(task: Task, run: Run) -> Grade:
    """The grade that the output of the tests gives."""
    passed = passed_in(run.output, task.tests)
    failed = tuple(test for test in task.tests if test not in passed)
    resolved = not failed and run.stopped is None
    return Grade(
        resolved,
        failed,
        run.stopped,
        run.detail,
        "" if resolved else run.output[-LONGEST_OUTPUT:],
        run.seconds,
        run.isolation,
    )


def passed_in(output: str, tests: Iterable[str]) -> set[str]:
    """The tests whose last verdict in the output is that they passed."""
    wanted = set(tests)
    passed: set[str] = set()
    for line in output.splitlines():
        word, _, rest = line.partition(" ")
        if word == "PASSED" and rest in wanted:
            passed.add(rest)
        elif word in ("FAILED", "ERROR"):
            passed -= {test for test in wanted if rest == test or rest.startswith(f"{test} - ")}
    return passed


def _command(task: Task, examination: Examination) -> Sequence[str]:
    if examination.command:
        return [
            word for part in examination.command for word in (task.tests if part == PLACEHOLDER else (part,))
        ]
    if _is_pytest(task):
        quiet = ["-rA", "--tb=short", "-p", "no:cacheprovider"]
        return [examination.python, "-m", "pytest", *quiet, *task.tests]
    return [examination.python, str(UNITTEST_PROGRAM), *task.tests]


def _is_pytest(task: Task) -> bool:
    return any("::" in test for test in task.tests)
