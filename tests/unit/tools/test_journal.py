"""Undo: every write comes back byte for byte, and nobody else's work is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.tools import journal
from groundwire.tools.toolset import Toolset, toolset


def edit(tools: Toolset, old: str, new: str, path: str = "a.txt") -> None:
    arguments = {"file_path": path, "instruction": "", "old_string": old, "new_string": new}
    assert tools.call_now("replace", arguments).error is None


def test_writes_come_back_one_by_one_with_bytes_and_mode(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    first = "é\r\nb\n".encode("utf-16")
    target.write_bytes(first)
    target.chmod(0o750)
    tools = toolset(tmp_path)
    edit(tools, "b", "c")
    edit(tools, "c", "d")
    tools.call_now("write_file", {"file_path": "a.txt", "content": "all new"})
    for expected in (b"d\n", b"c\n", b"b\n"):
        assert tools.undo().error is None
        assert target.read_bytes().decode("utf-16").endswith(expected.decode())
    assert target.read_bytes() == first
    assert target.stat().st_mode & 0o777 == 0o750
    assert tools.undo().llm_content == "There is no edit to undo."


def test_a_created_file_is_gone_again(tmp_path: Path) -> None:
    tools = toolset(tmp_path)
    tools.call_now("write_file", {"file_path": "x/new.txt", "content": "a"})
    assert tools.undo().error is None
    assert not (tmp_path / "x/new.txt").exists()


def test_a_file_changed_by_someone_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\n")
    tools = toolset(tmp_path)
    edit(tools, "one", "two")
    (tmp_path / "a.txt").write_bytes(b"someone else's\n")
    error = tools.undo().error
    assert error is not None
    assert "changed by someone else" in error.message
    assert (tmp_path / "a.txt").read_bytes() == b"someone else's\n"


def test_one_file_can_be_undone_past_later_writes_to_others(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(b"one\n")
    tools = toolset(tmp_path)
    edit(tools, "one", "two", "a.txt")
    edit(tools, "one", "two", "b.txt")
    assert tools.undo("a.txt").error is None
    assert [(tmp_path / name).read_bytes() for name in ("a.txt", "b.txt")] == [b"one\n", b"two\n"]


def test_the_journal_forgets_the_oldest_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "MOST_WRITES", 2)
    (tmp_path / "a.txt").write_bytes(b"0\n")
    tools = toolset(tmp_path)
    for number in range(4):
        edit(tools, str(number), str(number + 1))
    assert [tools.undo().error is None for _ in range(3)] == [True, True, False]
    assert (tmp_path / "a.txt").read_bytes() == b"2\n"
