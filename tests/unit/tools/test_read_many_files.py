"""read_many_files: what is read, in which order, and what is left out and why."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from groundwire.tools import read_many_files
from groundwire.tools.base import Dialect, ToolResult
from groundwire.tools.toolset import toolset


def read(root: Path, dialect: Dialect = Dialect.CURRENT, **arguments: Any) -> ToolResult:
    return toolset(root, dialect=dialect).call_now("read_many_files", arguments)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    (tmp_path / "a.txt").write_text("alpha\n", encoding="utf-8")
    (tmp_path / "docs" / "b.md").write_text("beta", encoding="utf-8")
    (tmp_path / "docs" / "deep" / "c.md").write_text("gamma", encoding="utf-8")
    (tmp_path / "pic.png").write_bytes(b"\x89PNG\0")
    return tmp_path


def test_files_follow_each_other_below_their_paths(root: Path) -> None:
    result = read(root, include=["**/*.md", "a.txt"])
    assert result.llm_content == [
        f"--- {root}/a.txt ---\n\nalpha\n\n\n",
        f"--- {root}/docs/b.md ---\n\nbeta\n\n",
        f"--- {root}/docs/deep/c.md ---\n\ngamma\n\n",
        "\n--- End of content ---",
    ]
    assert result.return_display["files"] == ["a.txt", "docs/b.md", "docs/deep/c.md"]
    assert result.return_display["summary"].startswith(f"### ReadManyFiles Result (Target Dir: `{root}`)\n\n")


def test_an_image_comes_only_when_it_is_asked_for(root: Path) -> None:
    asked = read(root, include=["*.png"]).llm_content
    assert asked[0]["inlineData"]["mimeType"] == "image/png"
    assert read(root, include=["p*"]).llm_content == [
        "No files matching the criteria were found or all were skipped."
    ]
    assert read(root, include=["p*"]).return_display["skipped"] == [
        {
            "path": "pic.png",
            "reason": "asset file (image/pdf/audio) was not explicitly requested by name or extension",
        }
    ]


@pytest.mark.parametrize("name", ["docs", "docs/"])
def test_a_directory_means_the_files_in_it(root: Path, name: str) -> None:
    assert read(root, include=[name]).return_display["files"] == ["docs/b.md", "docs/deep/c.md"]
    assert read(root, include=[name], recursive=False).return_display["files"] == ["docs/b.md"]


def test_without_recursion_stars_stay_on_their_level(root: Path) -> None:
    assert read(root, include=["docs/**/*.md"], recursive=False).return_display["files"] == ["docs/b.md"]


def test_excluded_and_ignored_files_are_left_out(root: Path) -> None:
    (root / ".geminiignore").write_text("b.md\n", encoding="utf-8")
    display = read(root, include=["**/*.md"], exclude=["deep/", "docs/deep/"]).return_display
    assert display["files"] == []
    assert display["skipped"] == [{"path": "1 file(s)", "reason": "ignored by project ignore files"}]


def test_a_long_file_says_that_it_was_cut(root: Path) -> None:
    (root / "a.txt").write_text("x\n" * 3000, encoding="utf-8")
    assert "[WARNING: This file was truncated." in read(root, include=["a.txt"]).llm_content[0]


def test_reading_stops_at_the_total_limit(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_many_files, "MOST_TOTAL", 5)
    display = read(root, include=["**/*.{txt,md}"]).return_display
    assert display["files"] == ["a.txt"]
    assert {item["reason"] for item in display["skipped"]} == {"the total size limit of 20MB was reached"}


def test_links_that_run_in_a_circle_or_lead_out_and_fifos_do_no_harm(root: Path) -> None:
    (root / "loop").symlink_to("loop")
    (root / "out").symlink_to("/etc/passwd")
    os.mkfifo(root / "pipe")
    display = read(root, include=["*"]).return_display
    assert display["files"] == ["a.txt"]
    assert any("FIFO" in item["reason"] for item in display["skipped"])


def test_the_classic_dialect_merges_paths_and_include(root: Path) -> None:
    result = read(root, Dialect.CLASSIC, paths=["a.txt"], include=["docs/*.md"])
    assert [part.partition("\n")[0] for part in result.llm_content[:2]] == [
        f"--- {root}/a.txt ---",
        f"--- {root}/docs/b.md ---",
    ]
    assert isinstance(result.return_display, str)
