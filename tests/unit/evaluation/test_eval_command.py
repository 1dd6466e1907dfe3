"""`groundwire eval` as a person types it, wrong words included."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from groundwire.cli import main
from groundwire.cli.eval_display import LinesDisplay, TableDisplay
from groundwire.evaluation.results import Key, Result, Status
from tests.unit.evaluation.conftest import FIXED, Bench


def test_tasks_are_listed(capsys: pytest.CaptureFixture[str], bench: Bench) -> None:
    assert main(["eval", "list"]) == 0
    assert "settings-crlf" in capsys.readouterr().out
    assert main(["eval", "list", "--tasks", str(bench.written())]) == 0
    assert "acme__calc-1  acme/calc" in capsys.readouterr().out


def test_a_run_ends_with_its_numbers_and_its_report(
    capsys: pytest.CaptureFixture[str], bench: Bench, tmp_path: Path
) -> None:
    words = ["eval", "run", "--tasks", str(bench.written()), "--model", "replay:exact", "--workers", "1"]
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    told = capsys.readouterr()
    assert "gemini   1 of 1 resolved" in told.out
    assert f"The report: {tmp_path / 'out' / 'report.html'}" in told.out
    assert "[2/2] ✓ acme__calc-1  legacy  replay:exact  4 turns" in told.err
    assert main(["eval", "report", str(tmp_path / "out")]) == 0


def test_tasks_are_checked(capsys: pytest.CaptureFixture[str], bench: Bench) -> None:
    assert main(["eval", "check", "--tasks", str(bench.written())]) == 0
    assert "1 of 1 tasks fail before their fix and pass with it." in capsys.readouterr().out
    bench.task["patch"] = ""
    assert main(["eval", "check", "--tasks", str(bench.written())]) == 1
    assert "FAIL  acme__calc-1: test_calc.CalcTest.test_add fails with the fix." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["run", "--tasks", "nowhere.jsonl"], "There is no task file or folder nowhere.jsonl"),
        (["run", "--only", "pager-last-pag"], "Did you mean 'pager-last-page'?"),
        (["run", "--model", "replay:nonsense"], "There is no variant 'nonsense'"),
        (["run", "--workers", "0"], "--workers must be a number and more than 0"),
        (["run", "--test-seconds", "-1"], "--test-seconds must be a number and more than 0"),
        (["run", "--test-seconds", "nan"], "--test-seconds must be a number"),
        (["run", "--agent-seconds", "inf"], "--agent-seconds must be a number"),
        (["run", "--max-tokens", "-5"], "--max-tokens must be a number and more than 0"),
        (["run", "--max-cost", "nan"], "--max-cost must be a number and more than 0"),
        (["run", "--test-command", "'{tests}"], "--test-command cannot be taken apart: No closing quotation"),
        (["run", "--out", "a-file"], "a-file cannot be written to: File exists. Name another folder."),
        (["run", "--out", "a-file/below"], "a-file/below cannot be written to: Not a directory."),
        (["run", "results"], "`run` takes no folder: 'results'. --out DIR says"),
        (["report", "a-file"], "There are no results in a-file"),
        (["export", "a-file"], "a-file cannot be written to: File exists."),
        (["run", "--model", "gemini-3-pro"], "No Gemini API key was found. Get a key at"),
        (["run", "--test-command", "pytest"], "must hold {tests}"),
        (["export"], "Where to?"),
        (["report", "nowhere"], "There are no results in nowhere"),
    ],
)
def test_wrong_words_are_explained(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a-file").touch()
    assert main(["eval", *words]) in (1, 2, 3)
    assert not (tmp_path / "evaluation" / "results.jsonl").exists()
    assert complaint in capsys.readouterr().err


def test_a_python_that_cannot_run_the_tests_is_told_before_anything_is_done(
    capsys: pytest.CaptureFixture[str], bench: Bench, tmp_path: Path
) -> None:
    bench.task |= {"FAIL_TO_PASS": ["test_calc.py::test_add"], "PASS_TO_PASS": []}
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    bare.chmod(0o755)
    words = ["eval", "run", "--tasks", str(bench.written()), "--out", str(tmp_path / "out"), "--python"]
    for program in (bare, Path("/bin/true")):
        assert main([*words, str(program)]) == 1
        assert f"{program} has no pytest" in capsys.readouterr().err
    assert main([*words, str(bare)]) == 1
    assert "has no pytest, which these tests need. Name a Python that has it" in capsys.readouterr().err
    assert main([*words, str(tmp_path / "nowhere")]) == 1
    assert "cannot be run: No such file or directory" in capsys.readouterr().err
    assert not (tmp_path / "out" / "run.json").exists()


def test_attempts_that_could_not_be_made_are_told_and_counted_nowhere(
    capsys: pytest.CaptureFixture[str], bench: Bench, tmp_path: Path
) -> None:
    bench.task["test_patch"] = bench.patch({"calc.py": FIXED}).replace("return a - b", "return a * b")
    words = ["eval", "run", "--tasks", str(bench.written()), "--model", "replay:exact", "--workers", "1"]
    assert main([*words, "--out", str(tmp_path / "out")]) == 1
    told = capsys.readouterr().out
    assert "gemini   0 of 0 resolved" in told
    assert "2 of 2 attempts could not be made and are not in these numbers." in told
    assert "The first: ! acme__calc-1  gemini  replay:exact  0 turns: acme__calc-1: its test_patch" in told
    assert "The same command makes them again." in told


def test_the_table_fills_up() -> None:
    screen = io.StringIO()
    display = TableDisplay(screen)
    with display:
        display.planned(2, [])
        display.finished(Result(key=Key("a", "gemini", "replay:exact"), status=Status.RESOLVED, turns=4))
    told = screen.getvalue()
    assert "1 of 2 attempts" in told
    assert "gemini" in told


def test_a_line_says_what_went_wrong_and_shows_no_control_characters() -> None:
    screen = io.StringIO()
    display = LinesDisplay(screen)
    display.planned(1, [])
    display.finished(
        Result(
            key=Key("a", "gemini", "m"),
            status=Status.STOPPED,
            turns=4,
            reason="It \x1b[31mran for more than 3 s.",
        )
    )
    assert "[1/1] ■ a  gemini  m  4 turns: It " in screen.getvalue()
    assert "\x1b" not in screen.getvalue()
