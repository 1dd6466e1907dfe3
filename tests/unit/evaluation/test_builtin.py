"""The tasks that ship: each fails before its reference fix and passes with it, anywhere the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.evaluation.builtin import export, made, names, task_file
from groundwire.evaluation.checking import check_task
from groundwire.evaluation.grading import Examination
from groundwire.evaluation.reference import reference_of
from groundwire.evaluation.task import read_tasks


@pytest.mark.parametrize("name", names())
def test_its_tests_fail_before_the_fix_and_pass_with_it(name: str, tmp_path: Path) -> None:
    task, repository = made(name, tmp_path / "repositories")
    assert check_task(task, tmp_path / "repositories", tmp_path, Examination()) == ""
    assert reference_of(task, repository, tmp_path).edits


def test_there_are_enough_and_in_many_languages() -> None:
    described = [task_file(name) for name in names()]
    assert len(described) >= 20
    assert len({task.language for task in described}) >= 12
    assert len({task.kind for task in described}) >= 12


def test_the_same_commit_is_made_anywhere(tmp_path: Path) -> None:
    one, _ = made("names-latin1", tmp_path / "one")
    two, _ = made("names-latin1", tmp_path / "two")
    assert one == two


def test_they_can_be_exported_and_read_as_any_other(tmp_path: Path) -> None:
    path, count = export(tmp_path / "exported")
    tasks = read_tasks(path)
    assert [task.instance_id for task in tasks] == names()
    assert count == len(tasks)
    assert all(Path(task.source).is_dir() for task in tasks)
