"""`groundwire tool`: listing, calling, previewing, and what it prints where."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from groundwire.cli import main


def test_the_tools_are_listed_in_the_dialect_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tool", "--list"]) == 0
    assert "grep_search" in capsys.readouterr().out
    assert main(["tool", "--list", "--dialect", "classic", "--json"]) == 0
    names = [tool["name"] for tool in json.loads(capsys.readouterr().out)]
    assert "search_file_content" in names


def test_a_result_is_printed_as_text_or_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text("hello", encoding="utf-8")
    words = ["tool", "read_file", '{"file_path": "a.txt"}', "--root", str(tmp_path)]
    assert main(words) == 0
    assert capsys.readouterr().out == "hello\n"
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"llmContent": "hello", "returnDisplay": "", "error": None}


def test_an_error_goes_to_stderr_with_its_own_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tool", "read_file", '{"file_path": "no"}', "--root", str(tmp_path)]) == 6
    assert "no file was found" in capsys.readouterr().err


def test_a_preview_shows_the_change_and_makes_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["tool", "write_file", '{"file_path": "a.txt", "content": "x\\n"}', "--root", str(tmp_path)]
    assert main([*words, "--preview"]) == 0
    assert "+x\n" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_arguments_can_come_from_stdin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('{"dir_path": "."}'))
    assert main(["tool", "list_directory", "-", "--root", str(tmp_path)]) == 0
    assert "is empty" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["tool"], ["tool", "read_file", "{"]])
def test_words_that_make_no_call_say_what_to_do(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "groundwire:" in capsys.readouterr().err


def test_a_tool_that_does_not_exist_is_told_with_all_that_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tool", "nope", "{}", "--root", str(tmp_path)]) == 6
    told = capsys.readouterr().err
    assert "read_file" in told
    assert "websearch_gemini" in told
