"""The page about searching one's own documents says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from groundwire.cli import main
from groundwire.corpus.reading import SUFFIXES
from groundwire.corpus.walk import DEPENDENCY_FOLDERS

PAGE = (Path(__file__).parents[2] / "docs" / "local-documents.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(f"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_endings_in_the_table_are_those_we_read() -> None:
    rows = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `.")]
    assert set(re.findall(r"`(\.\w+)`", " ".join(rows))) == SUFFIXES - {""}


def test_the_folders_that_are_left_out_are_named() -> None:
    assert all(f"`{name}`" in PAGE for name in DEPENDENCY_FOLDERS)


def test_the_python_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block("python"), "local-documents.md", "exec"), {})
    assert capsys.readouterr().out.startswith("Weather in Beijing\nhttps://weather.example.org/beijing\n")


def test_the_commands_run_and_the_front_matter_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "deploy.md").write_text(
        f"{block('markdown')}\nWe deploy on Mondays.\n", encoding="utf-8"
    )
    assert main(["search", "how do we deploy?", "--provider", "local", "--corpus", "docs/"]) == 0
    assert main(["index", "docs/"]) == 0
    told = capsys.readouterr().out
    assert "We deploy on Mondays.[1]" in told
    assert "[1] Weather in Beijing (https://weather.example.org/beijing)" in told
    assert "(nothing changed)" in told
