"""str_replace_editor: five commands for models that know no Gemini tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groundwire.tools.base import ToolResult
from groundwire.tools.toolset import Toolset, toolset


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\nthree")
    return tmp_path


@pytest.fixture
def tools(root: Path) -> Toolset:
    return toolset(root, model="gpt-5")


def run(tools: Toolset, command: str, path: str = "a.txt", **more: Any) -> ToolResult:
    return tools.call_now("str_replace_editor", {"command": command, "path": path, **more})


def failure(result: ToolResult) -> tuple[str, str]:
    assert result.error is not None
    return result.error.type, result.error.message


def test_other_models_get_this_tool_and_no_gemini_tool(tools: Toolset) -> None:
    assert [declared["name"] for declared in tools.declarations()] == ["str_replace_editor"]


def test_a_file_is_viewed_with_line_numbers(tools: Toolset, root: Path) -> None:
    head = f"Here's the result of running `cat -n` on {root}/a.txt:\n"
    assert run(tools, "view").llm_content == head + "     1\tone\n     2\ttwo\n     3\tthree\n"
    assert run(tools, "view", view_range=[2, -1]).llm_content == head + "     2\ttwo\n     3\tthree\n"


def test_a_view_outside_the_file_is_refused(tools: Toolset) -> None:
    for wrong in ([0, 1], [9, 10], [2, 1], [1]):
        assert failure(run(tools, "view", view_range=wrong))[0] == "invalid_tool_params"


def test_a_directory_is_viewed_two_levels_deep_without_hidden_items(tools: Toolset, root: Path) -> None:
    (root / "x/y/z").mkdir(parents=True)
    (root / "x/y/z/deep.txt").touch()
    (root / ".hidden").touch()
    shown = run(tools, "view", path=str(root)).llm_content.split("\n")[1:]
    assert shown == [str(root), f"{root}/a.txt", f"{root}/x/", f"{root}/x/y/"]


def test_a_directory_name_is_never_run_as_a_command(tools: Toolset, root: Path) -> None:
    (root / "x; touch PWNED #").mkdir()
    run(tools, "view", path="x; touch PWNED #")
    assert not (root / "PWNED").exists()


def test_create_makes_a_file_and_never_overwrites_one(tools: Toolset, root: Path) -> None:
    assert run(tools, "create", path="n/b.txt", file_text="x\n").error is None
    assert (root / "n/b.txt").read_bytes() == b"x\n"
    assert failure(run(tools, "create", file_text="x"))[0] == "attempt_to_create_existing_file"
    assert failure(run(tools, "create", path="c.txt"))[0] == "invalid_tool_params"


def test_str_replace_forgives_copied_line_numbers(tools: Toolset, root: Path) -> None:
    result = run(
        tools, "str_replace", old_str="     2\ttwo\n     3\tthree", new_str="     2\t2\n     3\tthree"
    )
    assert (root / "a.txt").read_bytes() == b"one\r\n2\nthree"
    assert "     2\t2\n" in result.llm_content


def test_str_replace_refuses_what_is_not_there_or_there_twice(tools: Toolset, root: Path) -> None:
    kind, message = failure(run(tools, "str_replace", old_str="one\nzwei", new_str="x"))
    assert kind == "edit_no_occurrence_found"
    assert "- zwei\n+ two" in message
    kind, message = failure(run(tools, "str_replace", old_str="e", new_str="x"))
    assert kind == "edit_expected_occurrence_mismatch"
    assert "lines 1, 3" in message


@pytest.mark.parametrize(
    ("line", "after"),
    [
        (0, b"new\none\r\ntwo\nthree"),
        (1, b"one\r\nnew\r\ntwo\nthree"),
        (3, b"one\r\ntwo\nthree\nnew"),
    ],
)
def test_insert_puts_lines_after_a_line(tools: Toolset, root: Path, line: int, after: bytes) -> None:
    assert run(tools, "insert", insert_line=line, new_str="new\n").error is None
    assert (root / "a.txt").read_bytes() == after


def test_insert_past_the_end_is_refused(tools: Toolset) -> None:
    assert failure(run(tools, "insert", insert_line=4, new_str="x"))[0] == "invalid_tool_params"


def test_insert_keeps_mode_and_links(tools: Toolset, root: Path) -> None:
    (root / "a.txt").chmod(0o755)
    (root / "link").symlink_to("a.txt")
    run(tools, "insert", path="link", insert_line=0, new_str="new")
    assert (root / "link").is_symlink()
    assert (root / "a.txt").stat().st_mode & 0o777 == 0o755
    assert (root / "a.txt").read_bytes().startswith(b"new\n")


def test_undo_edit_takes_back_the_last_change_of_the_file(tools: Toolset, root: Path) -> None:
    before = (root / "a.txt").read_bytes()
    run(tools, "insert", insert_line=0, new_str="new")
    run(tools, "str_replace", old_str="two", new_str="2")
    assert run(tools, "undo_edit").error is None
    assert run(tools, "undo_edit").error is None
    assert (root / "a.txt").read_bytes() == before
    assert failure(run(tools, "undo_edit"))[1] == f"There is no edit of {root}/a.txt to undo."


def test_a_read_only_toolset_can_still_view(root: Path) -> None:
    tools = toolset(root, model="gpt-5", read_only=True)
    assert run(tools, "view").error is None
    assert failure(run(tools, "create", path="b.txt", file_text=""))[0] == "invalid_tool_params"
    assert not (root / "b.txt").exists()
