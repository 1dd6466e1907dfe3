"""Tests that pytest runs, and attempts of a model behind an API: the emulator stands in for Gemini."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.evaluation.attempt import Attempt, Settings, make_attempt
from groundwire.evaluation.checking import check_task
from groundwire.evaluation.grading import Examination, passed_in
from groundwire.evaluation.reference import reference_of
from groundwire.evaluation.repository import repository_of
from groundwire.evaluation.results import Status
from groundwire.evaluation.task import Task, read_tasks
from tests.behaviour.conftest import served
from tests.unit.evaluation.conftest import Bench

TESTS = """\
import pytest

from calc import add


@pytest.mark.parametrize("pair", [(2, 3), (0, 5)], ids=["a - b", "c"])
def test_add(pair):
    assert add(*pair) == 5


def test_nothing():
    assert add(0, 0) == 0
"""
SCRIPT = """\
loop = true

[[step]]
when = { user = "add subtracts" }
call = [{ name = "read_file", args = { file_path = "calc.py" } }]

[[step]]
when = { result = "read_file" }

[[step.call]]
name = "replace"
args = { file_path = "calc.py", instruction = "Add.", old_string = "a * b", new_string = "x" }

[[step]]
when = { result = "replace", result_matches = "Could not find" }

[[step.call]]
name = "replace"
args = { file_path = "calc.py", instruction = "Add.", old_string = "a - b", new_string = "a + b" }

[[step]]
when = { result = "replace" }
text = "It adds now."
"""


def the_task(bench: Bench) -> Task:
    (task,) = read_tasks(bench.written())
    return task


def test_pytest_runs_tests_with_colons(bench: Bench, tmp_path: Path) -> None:
    bench.task |= {
        "test_patch": bench.patch({"test_calc.py": TESTS}),
        "FAIL_TO_PASS": ["test_calc.py::test_add[a - b]", "test_calc.py::test_add[c]"],
        "PASS_TO_PASS": ["test_calc.py::test_nothing"],
    }
    assert check_task(the_task(bench), tmp_path / "repositories", tmp_path, Examination()) == ""


def test_a_command_of_ones_own_runs_the_tests(bench: Bench, tmp_path: Path) -> None:
    command = (
        "sh",
        "-c",
        'grep -q "a + b" calc.py && for test; do echo "PASSED $test"; done',
        "sh",
        "{tests}",
    )
    bench.task["PASS_TO_PASS"] = []
    assert (
        check_task(the_task(bench), tmp_path / "repositories", tmp_path, Examination(command=command)) == ""
    )


@pytest.mark.parametrize(
    ("output", "passed"),
    [
        ("PASSED a\nPASSED b\n", {"a", "b"}),
        ("PASSED a\nFAILED a - AssertionError\n", set()),
        ("PASSED a and more\nsaid: PASSED b\n", set()),
        ("FAILED a\nPASSED a\n", {"a"}),
        ("ERROR b\nPASSED a\r\n", {"a"}),
    ],
)
def test_the_last_verdict_counts(output: str, passed: set[str]) -> None:
    assert passed_in(output, ["a", "b"]) == passed


def test_a_model_behind_an_api_is_counted_and_priced(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.toml"
    script.write_text(SCRIPT, encoding="utf-8")
    task = the_task(bench)
    reference = reference_of(task, repository_of(task, tmp_path / "repositories"), tmp_path)
    with served(script=str(script)) as emulator:
        for name, value in emulator.env().items():
            monkeypatch.setenv(name, value)
        done = make_attempt(
            Attempt(task, "gemini", "gemini-3-pro", reference), Settings(), tmp_path / "repositories"
        )
    result = done.result
    assert (result.status, result.turns, result.edits, result.edit_failures) == (Status.RESOLVED, 4, 2, 1)
    assert result.tool_errors == {"edit_no_occurrence_found": 1}
    assert result.tokens_given > 0
    assert result.cost is not None
    assert 0 < result.cost < 1
    assert result.as_reference
