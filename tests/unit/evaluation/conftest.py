"""What the tests of the evaluation stand on: a repository with a task, as a person would bring it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from groundwire.evaluation.git import git, patch_of

CALC = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return add(a, a)\n"
FIXED = CALC.replace("a - b", "a + b")
TESTS = """\
import unittest

from calc import add, double


class CalcTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)

    def test_double_of_nothing(self):
        self.assertEqual(double(0), 0)
"""


class Bench:
    """A folder with one repository and a task file, which tests change as they need it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repository = folder / "acme__calc"
        self.repository.mkdir()
        git(self.repository, "init", "--quiet")
        (self.repository / "calc.py").write_text(CALC, encoding="utf-8")
        git(self.repository, "add", "--all")
        git(self.repository, "commit", "--quiet", "--message=first")
        self.commit = git(self.repository, "rev-parse", "HEAD").decode().strip()
        self.task: dict[str, object] = {
            "instance_id": "acme__calc-1",
            "repo": "acme/calc",
            "base_commit": self.commit,
            "problem_statement": "add subtracts",
            "patch": self.patch({"calc.py": FIXED}),
            "test_patch": self.patch({"test_calc.py": TESTS}),
            "FAIL_TO_PASS": '["test_calc.CalcTest.test_add"]',
            "PASS_TO_PASS": '["test_calc.CalcTest.test_double_of_nothing"]',
        }

    def patch(self, files: dict[str, str]) -> str:
        """The patch that writes these files."""
        for name, text in files.items():
            (self.repository / name).write_text(text, encoding="utf-8")
        made = patch_of(self.repository, self.commit)
        git(self.repository, "reset", "--quiet", "--hard", self.commit)
        return made

    def with_tests(self, body: str) -> None:
        """Let the tests do something else before they pass."""
        indented = body.replace("\n", "\n        ")
        tests = TESTS.replace(
            "self.assertEqual(add(2, 3), 5)", f"{indented}\n        self.assertEqual(add(2, 3), 5)"
        )
        self.task["test_patch"] = self.patch({"test_calc.py": tests})

    def written(self, *tasks: dict[str, object]) -> Path:
        """The task file."""
        path = self.folder / "tasks.jsonl"
        path.write_bytes(b"".join(msgspec.json.encode(task) + b"\n" for task in tasks or (self.task,)))
        return path


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    folder = tmp_path / "bench"
    folder.mkdir()
    return Bench(folder)
