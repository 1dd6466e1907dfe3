"""`groundwire index` tells what it found in a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundwire.cli import main
from groundwire.cli.index import words_for
from groundwire.corpus import Progress


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "rain.md").write_text("# Rain\n\nIt rains.", encoding="utf-8")
    (folder / "picture.png").write_bytes(b"x")
    return folder


def test_the_report_is_told_in_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", str(folder)]) == 0
    first, second, third = capsys.readouterr().out.splitlines()
    assert first == f"1 document in {folder.resolve()} can be searched (1 new)."
    assert second == "Left out or read in part: other kind of file 1."
    assert third.startswith("Index: ")
    assert main(["index", str(folder)]) == 0
    assert "(nothing changed)" in capsys.readouterr().out


def test_a_replaced_index_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["index", str(folder), "--json"])
    Path(json.loads(capsys.readouterr().out)["index"]).write_bytes(b"no index at all " * 400)
    assert main(["index", str(folder)]) == 0
    assert "The old index was replaced: it was damaged" in capsys.readouterr().out


def test_the_report_is_told_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["documents"], told["added"], told["folder"]) == (1, 1, str(folder.resolve()))
    assert told["left_out"] == {"other kind of file": 1}


def test_without_a_folder_it_says_how_to_name_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index"]) == 3
    assert "No folder of documents was given" in capsys.readouterr().err


def test_the_person_who_waits_is_told_why() -> None:
    assert words_for(Progress(1200, 10000, Path("a.md"))) == "Indexing your documents: 1,200 of 10,000"
    assert words_for(Progress(0, 0, Path())) == "Another process is indexing this folder; waiting for it"
