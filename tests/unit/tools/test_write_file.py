"""write_file: new files, overwritten files, and what stays as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groundwire.tools.base import Dialect, ToolResult
from groundwire.tools.toolset import toolset


def write(root: Path, dialect: Dialect = Dialect.CURRENT, **arguments: Any) -> ToolResult:
    return toolset(root, dialect=dialect).call_now("write_file", arguments)


def test_a_new_file_gets_its_directories_and_is_shown(tmp_path: Path) -> None:
    result = write(tmp_path, file_path="x/a.txt", content="one\n")
    assert (tmp_path / "x/a.txt").read_bytes() == b"one\n"
    assert result.llm_content == (
        f"Successfully created and wrote to new file: {tmp_path}/x/a.txt. Here is the updated code:\none\n"
    )
    assert result.return_display["isNewFile"] is True


def test_an_overwritten_file_shows_what_changed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n", encoding="utf-8")
    result = write(tmp_path, file_path="a.txt", content="one\n2\n")
    assert result.llm_content.startswith(f"Successfully overwrote file: {tmp_path}/a.txt.")
    assert "-two\n+2\n" in result.return_display["fileDiff"]


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (b"a\r\nb\r\n", "x\nb\n", b"x\r\nb\r\n"),
        (b"\xef\xbb\xbfa\n", "é\n", "\ufeffé\n".encode()),
        ("\ufeffa\r\n".encode("utf-16-le"), "é\n", "\ufeffé\r\n".encode("utf-16-le")),
        ("café, plain text around it\n".encode("latin-1"), "thé\n", "thé\n".encode("latin-1")),
        (b"a\r\nb\nc\r\n", "a\nb\nnew\nc\n", b"a\r\nb\nnew\r\nc\r\n"),
        (b"a\n", "x\r\ny\n", b"x\r\ny\n"),
    ],
)
def test_encoding_mark_and_line_endings_stay(
    tmp_path: Path, before: bytes, content: str, after: bytes
) -> None:
    (tmp_path / "a.txt").write_bytes(before)
    assert write(tmp_path, file_path="a.txt", content=content).error is None
    assert (tmp_path / "a.txt").read_bytes() == after


def test_text_that_has_no_bytes_in_the_files_encoding_is_refused_before_writing(tmp_path: Path) -> None:
    before = "café, plain text around it\n".encode("latin-1")
    (tmp_path / "a.txt").write_bytes(before)
    error = write(tmp_path, file_path="a.txt", content="日本\n").error
    assert error is not None
    assert "U+65E5" in error.message
    assert (tmp_path / "a.txt").read_bytes() == before


def test_a_lone_surrogate_is_refused_and_the_file_kept(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"old")
    assert write(tmp_path, file_path="a.txt", content="\ud800").error is not None
    assert (tmp_path / "a.txt").read_bytes() == b"old"


@pytest.mark.parametrize(
    "line", ["// rest of code ...", "(rest of methods ...)", "unchanged code...", "  REST  OF ....."]
)
def test_a_placeholder_for_left_out_code_is_refused(tmp_path: Path, line: str) -> None:
    error = write(tmp_path, file_path="a.txt", content=f"x\n{line}\n").error
    assert error is not None
    assert "omission placeholder" in error.message
    assert not (tmp_path / "a.txt").exists()


def test_a_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    error = write(tmp_path, file_path="sub", content="x").error
    assert error is not None
    assert error.message == f"Path is a directory, not a file: {tmp_path}/sub"


def test_the_classic_dialect_confirms_without_repeating_the_code(tmp_path: Path) -> None:
    result = write(tmp_path, Dialect.CLASSIC, file_path=str(tmp_path / "a.txt"), content="x")
    assert result.llm_content == f"Successfully created and wrote to new file: {tmp_path}/a.txt."


def test_a_preview_writes_nothing(tmp_path: Path) -> None:
    diff = toolset(tmp_path).preview("write_file", {"file_path": "a.txt", "content": "one\n"})
    assert "+one" in diff
    assert not (tmp_path / "a.txt").exists()
