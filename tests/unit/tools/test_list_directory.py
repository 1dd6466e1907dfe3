"""list_directory: what is listed, in which order, and what is kept back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from groundwire.tools.base import Dialect, ToolResult
from groundwire.tools.toolset import toolset


def listing(root: Path, dialect: Dialect = Dialect.CURRENT, **arguments: Any) -> ToolResult:
    return toolset(root, dialect=dialect).call_now("list_directory", arguments)


def test_directories_come_first_then_names_as_a_person_sorts_them(tmp_path: Path) -> None:
    for name in ("b.txt", "B.txt", "a.txt", "é.txt", "_x", "10", "Zeta"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    (tmp_path / "zoo").mkdir()
    (tmp_path / "Apple").mkdir()
    result = listing(tmp_path, dir_path=str(tmp_path))
    assert result.return_display == {
        "summary": "Found 9 item(s).",
        "files": ["[DIR] Apple", "[DIR] zoo", "_x", "10", "a.txt", "b.txt", "B.txt", "é.txt", "Zeta"],
    }
    assert result.llm_content.startswith(
        f"Directory listing for {tmp_path}:\n[DIR] Apple\n[DIR] zoo\n_x (1 bytes)"
    )


def test_an_empty_directory_says_so(tmp_path: Path) -> None:
    assert listing(tmp_path, dir_path="").llm_content == f"Directory {tmp_path} is empty."


def test_ignored_entries_are_counted_and_protected_ones_are_not(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*.log\nbuild/\n", encoding="utf-8")
    for name in ("a.log", "a.txt", ".env"):
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "build").mkdir()
    result = listing(tmp_path, dir_path=".")
    assert result.return_display == {
        "summary": "Found 2 item(s). (3 ignored)",
        "files": [".gitignore", "a.txt"],
    }
    assert result.llm_content.endswith("\n\n(3 ignored)")
    everything = listing(
        tmp_path,
        dir_path=".",
        file_filtering_options={"respect_git_ignore": False, "respect_gemini_ignore": False},
    )
    assert everything.return_display["files"] == ["[DIR] build", ".gitignore", "a.log", "a.txt"]


def test_names_that_match_a_pattern_are_left_out(tmp_path: Path) -> None:
    for name in ("a.txt", "b.md", "c.txt"):
        (tmp_path / name).write_text("", encoding="utf-8")
    assert listing(tmp_path, dir_path=".", ignore=["*.txt"]).return_display["files"] == ["b.md"]


def test_links_are_shown_as_what_they_lead_to_and_only_inside(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "sub").mkdir()
    (root / "inside").symlink_to("sub")
    (root / "outside").symlink_to("..")
    (root / "nowhere").symlink_to("missing")
    (root / "loop").symlink_to("loop")
    result = listing(root, dir_path=".")
    assert result.return_display == {
        "summary": "Found 2 item(s). (1 ignored)",
        "files": ["[DIR] inside", "[DIR] sub"],
    }


def test_what_is_no_directory_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("", encoding="utf-8")
    error = listing(tmp_path, dir_path="a.txt").error
    assert error is not None
    assert (error.message, error.type) == (
        f"Error: Path is not a directory: {tmp_path}/a.txt",
        "path_is_not_a_directory",
    )
    missing = listing(tmp_path, dir_path="no")
    assert missing.llm_content == (
        f"Error listing directory: ENOENT: no such file or directory, stat '{tmp_path}/no'"
    )


def test_the_classic_dialect_lists_names_without_sizes(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    result = listing(tmp_path, Dialect.CLASSIC, path=str(tmp_path))
    assert result.llm_content == f"Directory listing for {tmp_path}:\na.txt\n\n(1 items were git-ignored)"
    assert result.return_display == "Listed 1 item(s). (1 git-ignored)"
