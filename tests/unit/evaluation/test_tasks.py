"""Reading tasks: what the format allows, and every mistake named with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.errors import BadTasks
from groundwire.evaluation.run import Wanted, tasks_wanted
from groundwire.evaluation.task import chosen_tasks, read_tasks
from tests.unit.evaluation.conftest import Bench


def test_a_published_line_is_read(bench: Bench) -> None:
    (task,) = read_tasks(bench.written({**bench.task, "hints_text": "", "version": "1.0", "created_at": "x"}))
    assert task.fail_to_pass == ("test_calc.CalcTest.test_add",)
    assert task.pass_to_pass == ("test_calc.CalcTest.test_double_of_nothing",)
    assert Path(task.source) == bench.repository


def test_tests_may_be_lists_and_lists_of_tasks_may_be_json(bench: Bench) -> None:
    bench.task["FAIL_TO_PASS"] = ["a.py::test_x[1 - 2]"]
    path = bench.written()
    whole = path.with_suffix(".json")
    whole.write_bytes(b"[" + path.read_bytes() + b"]")
    path.unlink()
    (task,) = read_tasks(bench.folder)
    assert task.fail_to_pass == ("a.py::test_x[1 - 2]",)


def test_a_written_task_can_be_read_again(bench: Bench) -> None:
    (task,) = read_tasks(bench.written())
    (again,) = read_tasks(bench.written(task.to_json()))
    assert again == task


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b'{"instance_id": "x"', "line 2: not JSON"),
        (b"[]", "line 2: a task is a JSON object"),
        (b'{"instance_id": "x"}', "line 2: the field 'repo' is missing"),
        (b'{"instance_id": 5}', "line 2: the field 'instance_id' must be a text"),
        (b"\xff", "line 2: not JSON"),
    ],
)
def test_a_broken_line_is_named(bench: Bench, line: bytes, complaint: str) -> None:
    path = bench.written()
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.raises(BadTasks, match=complaint):
        read_tasks(path)


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("instance_id", "../../etc", "cannot be the name of a task"),
        ("base_commit", "--upload-pack=x", "is not a commit"),
        ("FAIL_TO_PASS", "[]", "names no test"),
        ("FAIL_TO_PASS", "not json", "FAIL_TO_PASS: not JSON"),
        ("FAIL_TO_PASS", {"a": 1}, "must be a list of tests"),
        ("PASS_TO_PASS", ["--co"], "would be taken for an option"),
        ("repo", "acme/other", "there is no repository 'acme/other' on this machine"),
    ],
)
def test_a_wrong_field_is_named(bench: Bench, field: str, value: object, complaint: str) -> None:
    with pytest.raises(BadTasks, match=f"line 1.*{complaint}"):
        read_tasks(bench.written({**bench.task, field: value}))


def test_two_tasks_of_one_name_are_refused(bench: Bench) -> None:
    with pytest.raises(BadTasks, match="is there twice"):
        read_tasks(bench.written(bench.task, bench.task))


def test_a_commit_the_clone_does_not_have_is_named(bench: Bench, tmp_path: Path) -> None:
    path = bench.written({**bench.task, "base_commit": "0" * 40})
    with pytest.raises(BadTasks, match=r"acme__calc-1.*has no commit 0000.*fetch"):
        tasks_wanted(Wanted(str(path), ("gemini",), ("replay",)), tmp_path)


@pytest.mark.parametrize("name", ["nowhere.jsonl", "."])
def test_no_tasks_are_said_to_be_none(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadTasks):
        read_tasks(tmp_path / name)


def test_an_unknown_name_gets_the_nearest(bench: Bench) -> None:
    tasks = read_tasks(bench.written())
    with pytest.raises(BadTasks, match="Did you mean 'acme__calc-1'"):
        chosen_tasks(tasks, ["acme__calc-2"])
    assert chosen_tasks(tasks, ["acme__calc-1"]) == tasks
