"""Reading one file: bounded, never waiting, and every failure with its reason."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from groundwire.config.files import Unreadable, line_of_key, parse_jsonc, read_text


def test_a_file_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert read_text(tmp_path / "gone") is None
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert read_text(tmp_path / "file/below") is None


def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbf{}")
    assert read_text(tmp_path / "f") == "{}"


def test_a_file_without_permission_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(Unreadable, match="no permission to read it"):
        read_text(tmp_path / "f")


def test_a_name_no_file_can_have_is_a_reason_and_not_a_crash(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="cannot be read"):
        read_text(tmp_path / "a\x00b")
    with pytest.raises(Unreadable, match="cannot be read"):
        read_text(tmp_path / ("x" * 5000))


@pytest.mark.skipif(os.name == "nt", reason="no named pipes in the file system")
def test_a_pipe_or_a_device_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(Unreadable, match="not a regular file"):
            read_text(path)


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ('{\n "a": {\n  "b": 1}}', ["a", "b"], 3),
        ("[a]\nb = 1\nc = 2", ["a", "c"], 3),
        ("x = 1\na.b = 2", ["a", "b"], 2),
        ("{a: {'b': 1}}", ["a", "b"], 1),
        ("{}", ["a"], None),
        ("", [], 1),
    ],
)
def test_the_line_of_a_nested_key(text: str, path: list[str], line: int | None) -> None:
    assert line_of_key(text, path) == line


def test_plain_json_that_json5_refuses_is_read() -> None:
    assert parse_jsonc('{"cut": "\\ud83d", "large": 1e999}') == {"cut": "\ud83d", "large": math.inf}


def test_plain_json_is_no_way_around_the_depth() -> None:
    with pytest.raises(Unreadable, match="nested deeper"):
        parse_jsonc('{"a":' * 300 + "1" + "}" * 300)
