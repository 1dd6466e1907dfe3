"""Known bugs of Gemini CLI's `replace` and diffs (numbers) and weak spots of OpenHands' edits (E, A).

The numbers go on in test_known_bugs.py, the letters in test_openhands_weak_spots.py.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from groundwire.tools.base import Dialect, ToolResult
from groundwire.tools.diff import SEARCH_BUDGET, Kind, compare
from groundwire.tools.matching import Refusal, find_edit
from groundwire.tools.toolset import toolset


def replace(root: Path, path: str, old: str, new: str, **more: Any) -> ToolResult:
    arguments = {"file_path": path, "instruction": "", "old_string": old, "new_string": new, **more}
    return toolset(root).call_now("replace", arguments)


def kind_of(result: ToolResult) -> str:
    return "" if result.error is None else result.error.type


def write(root: Path, data: bytes, name: str = "a.txt") -> Path:
    path = root / name
    path.write_bytes(data)
    return path


# -- Gemini CLI: the wrong bytes, the wrong file --------------------------------------------------------


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\r", "\x85", "\x0c"])
def test_01_text_before_an_odd_line_separator_is_kept(tmp_path: Path, odd: str) -> None:
    path = write(tmp_path, f"alpha{odd}beta\n    gamma\n    delta\n".encode())
    assert kind_of(replace(tmp_path, "a.txt", "gamma\ndelta", "gamma\nepsilon")) == ""
    assert path.read_bytes() == f"alpha{odd}beta\n    gamma\n    epsilon\n".encode()


def test_02_a_percent_sign_in_the_path_of_an_edit_is_a_percent_sign(tmp_path: Path) -> None:
    encoded, plain = write(tmp_path, b"one\n", "a%20b.txt"), write(tmp_path, b"one\n", "a b.txt")
    assert kind_of(replace(tmp_path, "a%20b.txt", "one", "two")) == ""
    assert (encoded.read_bytes(), plain.read_bytes()) == (b"two\n", b"one\n")


def test_03_a_missing_file_is_not_replaced_by_one_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "src/deep").mkdir(parents=True)
    other = write(tmp_path, b"one\n", "src/deep/x.txt")
    result = replace(tmp_path, "x.txt", "one", "two")
    assert kind_of(result) == "file_not_found"
    assert result.llm_content.endswith("Files of that name: src/deep/x.txt")
    assert other.read_bytes() == b"one\n"
    assert kind_of(replace(tmp_path, "x.txt", "", "new")) == ""
    assert (tmp_path / "x.txt").read_bytes() == b"new"


@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (b"", "latin-1"),
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\0\0\xfe\xff", "utf-32-be"),
    ],
)
def test_04_an_edited_file_keeps_its_encoding_and_its_mark(tmp_path: Path, mark: bytes, codec: str) -> None:
    path = write(tmp_path, mark + "café one\n".encode(codec))
    assert kind_of(replace(tmp_path, "a.txt", "one", "two")) == ""
    assert path.read_bytes() == mark + "café two\n".encode(codec)


def test_04_bytes_that_are_no_text_survive_an_edit_beside_them(tmp_path: Path) -> None:
    path = write(tmp_path, b"caf\xc3\xa9 one \xff\xfe broken\n")
    assert kind_of(replace(tmp_path, "a.txt", "one", "two")) == ""
    assert path.read_bytes() == b"caf\xc3\xa9 two \xff\xfe broken\n"


def test_04_a_binary_file_is_not_edited(tmp_path: Path) -> None:
    path = write(tmp_path, b"\x89PNG\r\n\x1a\n\0\0\0one")
    assert kind_of(replace(tmp_path, "a.txt", "one", "two")) == "edit_preparation_failure"
    assert path.read_bytes() == b"\x89PNG\r\n\x1a\n\0\0\0one"


def test_05_lines_that_are_only_similar_are_never_all_rewritten(tmp_path: Path) -> None:
    before = "".join(f"line number {n} of the file\n" for n in range(400)).encode()
    path = write(tmp_path, before)
    result = replace(tmp_path, "a.txt", "line numbr 7 of the file", "x", allow_multiple=True)
    assert kind_of(result) == "edit_no_occurrence_found"
    assert path.read_bytes() == before


def test_06_blanks_alone_do_not_match_a_blank_line_and_half_a_line_is_not_a_line(tmp_path: Path) -> None:
    write(tmp_path, b"a\n\nfoo(a, b)bar\n")
    assert kind_of(replace(tmp_path, "a.txt", "   ", "x")) == "edit_no_occurrence_found"
    assert kind_of(replace(tmp_path, "a.txt", "foo ( a,b", "x")) in ("", "edit_no_occurrence_found")
    assert b"bar\n" in (tmp_path / "a.txt").read_bytes()


def test_07_the_final_newline_can_be_added_and_removed_and_the_only_line_deleted(tmp_path: Path) -> None:
    path = write(tmp_path, b"one\n")
    replace(tmp_path, "a.txt", "one\n", "one")
    assert path.read_bytes() == b"one"
    replace(tmp_path, "a.txt", "one", "one\n")
    assert path.read_bytes() == b"one\n"
    replace(tmp_path, "a.txt", "one\n", "")
    assert path.read_bytes() == b""


def test_07_an_edit_that_changes_nothing_is_not_reported_as_done(tmp_path: Path) -> None:
    write(tmp_path, b"    one\n    two\n")
    result = replace(tmp_path, "a.txt", "one \ntwo", "one\ntwo")
    assert kind_of(result) == "edit_no_change"


def test_08_an_edit_replaces_the_file_at_once_and_notices_other_writers(tmp_path: Path) -> None:
    path = write(tmp_path, b"one\n")
    before = path.stat().st_ino
    replace(tmp_path, "a.txt", "one", "two")
    assert path.stat().st_ino != before
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_12_an_edit_of_a_fifo_is_answered_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert kind_of(replace(tmp_path, "pipe", "a", "b")) == "edit_preparation_failure"


# -- Gemini CLI: the cost -------------------------------------------------------------------------------


def test_28_eight_thousand_different_lines_are_compared_without_searching(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[int] = []
    monkeypatch.setattr("groundwire.tools.diff._search", lambda *_: searched.append(1))
    old, new = [f"a{n}\n" for n in range(8000)], [f"b{n}\n" for n in range(8000)]
    assert (len(old) + len(new)) ** 2 > SEARCH_BUDGET
    assert [run.kind for run in compare(old, new)] == [Kind.REMOVED, Kind.ADDED]
    assert searched == []


def test_29_an_edit_of_a_crlf_file_shows_the_edit_and_not_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, b"".join(b"line %d\r\n" % n for n in range(4000)))
    result = replace(tmp_path, "a.txt", "line 2000", "LINE")
    assert len(result.llm_content) < 400
    assert path.read_bytes().count(b"\r\n") == 4000
    assert result.return_display["diffStat"]["model_added_lines"] == 1


def test_29_a_mixed_file_keeps_the_ending_of_each_line(tmp_path: Path) -> None:
    path = write(tmp_path, b"a\r\nb\nc\r\nd\n")
    replace(tmp_path, "a.txt", "b\nc", "b\nX")
    assert path.read_bytes() == b"a\r\nb\nX\r\nd\n"


def test_30_a_search_in_vain_looks_at_each_line_a_few_times_only() -> None:
    lines = [f"some words and the number {n}" for n in range(20_000)]
    outcome = find_edit("\n".join(lines), "\n".join(["quite another text " + "x" * 100] * 5), "y")
    assert isinstance(outcome, Refusal)


# -- OpenHands ------------------------------------------------------------------------------------------


def test_e1_one_word_in_a_crlf_file_changes_one_word(tmp_path: Path) -> None:
    path = write(tmp_path, b"a\r\nb\r\nc\r\n")
    assert kind_of(replace(tmp_path, "a.txt", "a\r\nb", "a\r\nB")) == ""
    assert path.read_bytes() == b"a\r\nB\r\nc\r\n"


@pytest.mark.parametrize("path", ["/etc/hostname", "../outside.txt", "link.txt", "dangling.txt"])
def test_e5_no_edit_leaves_the_workspace(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    outside = write(tmp_path, b"one\n", "outside.txt")
    (root / "link.txt").symlink_to(outside)
    (root / "dangling.txt").symlink_to(tmp_path / "made.txt")
    assert kind_of(replace(root, path, "one", "two")) == "invalid_tool_params"
    assert kind_of(replace(root, path, "", "two")) == "invalid_tool_params"
    assert outside.read_bytes() == b"one\n"
    assert not (tmp_path / "made.txt").exists()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def compute( items ):\n    return sum( items )", "def compute( items ):\n    return max( items )"),
        (
            "    def compute(items):\n        return sum(items)",
            "    def compute(items):\n        return max(items)",
        ),
    ],
)
def test_e8_indentation_and_spacing_that_are_off_are_forgiven(tmp_path: Path, old: str, new: str) -> None:
    path = write(tmp_path, b"def compute(items):\n    return sum(items)\n")
    assert kind_of(replace(tmp_path, "a.txt", old, new)) == ""
    assert path.read_bytes() == b"def compute(items):\n    return max(items)\n"


def test_e11_the_parameters_of_the_other_dialect_are_no_error(tmp_path: Path) -> None:
    path = write(tmp_path, b"one\n")
    assert kind_of(replace(tmp_path, "a.txt", "one", "two", expected_replacements=1)) == ""
    arguments = {"file_path": str(path), "old_string": "two", "new_string": "3", "instruction": "x"}
    assert toolset(tmp_path, dialect=Dialect.CLASSIC).call_now("replace", arguments).error is None


def test_e13_text_that_cannot_be_written_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = write(tmp_path, b"one\n")
    assert kind_of(replace(tmp_path, "a.txt", "one", "\ud800")) == "file_write_failure"
    latin = write(tmp_path, "café au lait, one of many\n".encode("latin-1"), "l.txt")
    assert kind_of(replace(tmp_path, "l.txt", "one", "日本")) == "file_write_failure"
    assert (path.read_bytes(), latin.read_bytes()) == (
        b"one\n",
        "café au lait, one of many\n".encode("latin-1"),
    )


@pytest.mark.parametrize("between", ["\n", " "], ids=["many lines", "one line"])
def test_e15_one_word_in_ten_megabytes_makes_a_small_result(tmp_path: Path, between: str) -> None:
    half = f"some words{between}" * 480_000
    (tmp_path / "a.txt").write_text(f"{half}needle{between}{half}", encoding="utf-8")
    result = replace(tmp_path, "a.txt", "needle", "pin")
    assert result.error is None
    assert len(json.dumps(result.to_json())) < 100_000
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == f"{half}pin{between}{half}"


def test_e17_a_nul_in_the_path_is_answered(tmp_path: Path) -> None:
    assert kind_of(replace(tmp_path, "a\0b.txt", "one", "two")) == "invalid_tool_params"


def test_a1_a_mode_and_a_link_survive_an_edit(tmp_path: Path) -> None:
    path = write(tmp_path, b"one\n")
    path.chmod(0o755)
    (tmp_path / "link").symlink_to("a.txt")
    assert kind_of(replace(tmp_path, "link", "one", "two")) == ""
    assert (tmp_path / "link").is_symlink()
    assert path.stat().st_mode & 0o777 == 0o755
    assert path.read_bytes() == b"two\n"
