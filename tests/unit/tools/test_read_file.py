"""read_file in both dialects: text, ranges, limits, media, refusals."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from groundwire.tools.base import Dialect, ToolResult
from groundwire.tools.toolset import toolset


def read(root: Path, dialect: Dialect = Dialect.CURRENT, **arguments: Any) -> ToolResult:
    return toolset(root, dialect=dialect).call_now("read_file", arguments)


def test_a_whole_text_comes_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\n")
    result = read(tmp_path, file_path="a.txt")
    assert (result.llm_content, result.return_display, result.error) == ("one\ntwo\n", "", None)


def test_a_range_says_what_is_shown_and_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n3\n4", encoding="utf-8")
    result = read(tmp_path, file_path="a.txt", start_line=2, end_line=3)
    assert result.llm_content == (
        "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 2-3 of 4 total lines.\n"
        "Action: To read more of the file, you can use the 'start_line' and 'end_line' parameters in a "
        "subsequent 'read_file' call. For example, to read the next section of the file, use "
        "start_line: 4.\n\n--- FILE CONTENT (truncated) ---\n2\n3"
    )
    assert result.return_display == "Read lines 2-3 of 4 from a.txt"


def test_an_offset_behind_the_end_says_where_the_file_ends(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2", encoding="utf-8")
    path = str(tmp_path / "a.txt")
    assert read(tmp_path, Dialect.CLASSIC, path=path, offset=1).llm_content == "2"
    beyond = read(tmp_path, Dialect.CLASSIC, path=path, offset=2)
    assert beyond.llm_content == "[No lines shown: the file has 2 lines. Use an offset below 2.]"


def test_a_long_line_is_shortened_and_never_inside_a_character(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" + "😀" * 1500, encoding="utf-8")
    result = read(tmp_path, file_path="a.txt")
    assert result.llm_content.endswith("😀... [truncated]")
    assert result.llm_content.count("😀") == 999
    assert result.return_display == "Read all 1 lines from a.txt (some lines were shortened)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "params must have required property 'file_path'"),
        ({"file_path": 3}, "params/file_path must be string"),
        ({"file_path": "a", "start_line": 0}, "params/start_line must be >= 1"),
        ({"file_path": "a", "start_line": 1.5}, "params/start_line must be integer"),
        ({"file_path": " "}, "The 'file_path' parameter must be non-empty."),
        ({"file_path": "a", "start_line": 3, "end_line": 2}, "start_line cannot be greater than end_line"),
    ],
)
def test_arguments_that_cannot_be_used_are_named(
    tmp_path: Path, arguments: dict[str, Any], message: str
) -> None:
    error = toolset(tmp_path).call_now("read_file", arguments).error
    assert error is not None
    assert (error.message, error.type) == (message, "invalid_tool_params")


def test_a_missing_file_and_a_directory_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    missing, folder = read(tmp_path, file_path="no"), read(tmp_path, file_path="sub")
    assert missing.error is not None
    assert (missing.error.message, missing.error.type) == (f"File not found: {tmp_path}/no", "file_not_found")
    assert folder.error is not None
    assert folder.error.type == "target_is_directory"


def test_an_image_comes_as_data(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\0")
    assert read(tmp_path, file_path="a.png").llm_content == {
        "inlineData": {"data": base64.b64encode(b"\x89PNG\0").decode(), "mimeType": "image/png"}
    }


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_a_text_is_shown_in_its_own_encoding(tmp_path: Path, codec: str) -> None:
    mark = "\ufeff" if codec == "utf-16-le" else ""
    (tmp_path / "a.txt").write_bytes((mark + "café, a longer line of text\n").encode(codec))
    assert read(tmp_path, file_path="a.txt").llm_content == "café, a longer line of text\n"


def test_an_ignored_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".geminiignore").write_text("secret*\n", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("x", encoding="utf-8")
    error = read(tmp_path, file_path="secret.txt").error
    assert error is not None
    assert error.message == f"File path '{tmp_path}/secret.txt' is ignored by configured ignore patterns."


def test_a_mention_names_the_file_without_its_sign(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    assert read(tmp_path, file_path="@a.txt").llm_content == "x"
    (tmp_path / "@a.txt").write_text("y", encoding="utf-8")
    assert read(tmp_path, file_path="@a.txt").llm_content == "y"


@pytest.mark.parametrize("name", ["path", "absolute_path", "file_path"])
def test_the_classic_dialect_pages_from_zero_and_knows_its_older_names(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.txt").write_bytes(b"0\r\n1\n2\n3")
    result = read(tmp_path, Dialect.CLASSIC, **{name: str(tmp_path / "a.txt"), "offset": 0, "limit": 2})
    assert result.llm_content == (
        "[File content truncated: showing lines 1-2 of 4 total lines. Use offset/limit parameters to view "
        "more.]\n0\r\n1"
    )
    assert result.return_display == "(truncated)"


def test_the_classic_dialect_words_its_errors_the_old_way(tmp_path: Path) -> None:
    missing = read(tmp_path, Dialect.CLASSIC, path="no")
    assert missing.llm_content == f"File not found: {tmp_path}/no"
    wrong = read(tmp_path, Dialect.CLASSIC, path="no", offset=-1)
    assert wrong.llm_content == (
        "Error: Invalid parameters provided. Reason: Offset must be a non-negative number"
    )
