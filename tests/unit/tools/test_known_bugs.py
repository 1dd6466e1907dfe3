"""Known bugs of Gemini CLI 0.61.0's tools, one sentence each: what ours do instead.

The numbers are the same as in conformance/tools_allowed.py. Bugs of `replace` and of diffs (1, 3, 5, 6, 7,
28, 29, 30) are told in test_known_bugs_of_replace.py, those of web search (27) where citations are tested.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from groundwire.errors import ToolError
from groundwire.tools.base import PlannedWrite, ToolResult
from groundwire.tools.toolset import Toolset, toolset


def call(root: Path, tool: str, **arguments: Any) -> ToolResult:
    return toolset(root).call_now(tool, arguments)


def found(root: Path, **arguments: Any) -> list[str]:
    lines = call(root, "glob", **arguments).llm_content.split("\n")[1:]
    return sorted(os.path.relpath(line, root) for line in lines)


def write(path: Path, text: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_02_a_percent_sign_in_a_path_is_a_percent_sign(tmp_path: Path) -> None:
    write(tmp_path / "a%20b.txt", "percent")
    write(tmp_path / "a b.txt", "space")
    assert call(tmp_path, "read_file", file_path="a%20b.txt").llm_content == "percent"
    call(tmp_path, "write_file", file_path="a%20b.txt", content="new")
    assert (tmp_path / "a b.txt").read_text(encoding="utf-8") == "space"
    assert found(tmp_path, pattern="a%20b.txt") == ["a%20b.txt"]


@pytest.mark.parametrize(
    "before", [b"caf\xe9 cr\xe8me\n", "\ufeffold\n".encode("utf-16"), b"\xef\xbb\xbfold\n"]
)
def test_04_an_overwritten_file_keeps_its_encoding_and_its_mark(tmp_path: Path, before: bytes) -> None:
    (tmp_path / "a.txt").write_bytes(before)
    shown = call(tmp_path, "read_file", file_path="a.txt").llm_content
    assert "\ufffd" not in shown
    call(tmp_path, "write_file", file_path="a.txt", content=shown)
    assert (tmp_path / "a.txt").read_bytes() == before


def test_08_a_file_changed_between_reading_and_writing_is_not_overwritten(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "old")
    tools = toolset(tmp_path)
    planned = tools._registry.plan("write_file", {"file_path": "a.txt", "content": "new"}, tools._context)
    assert isinstance(planned, PlannedWrite)
    write(tmp_path / "a.txt", "somebody else's")
    from groundwire.tools.registry import carry_out

    with pytest.raises(ToolError, match="changed by someone else"):
        carry_out(planned, tools._context)
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "somebody else's"


@pytest.mark.parametrize("name", ["app/[...slug]/page.tsx", 'say "hello" to everybody.txt'])
def test_09_dots_and_quotes_in_a_long_path_are_ordinary(tmp_path: Path, name: str) -> None:
    write(tmp_path / name, "content")
    assert call(tmp_path, "read_file", file_path=name).llm_content == "content"
    assert call(tmp_path, "write_file", file_path=name, content="new").error is None
    folder = str(Path(name).parent)
    assert Path(name).name in call(tmp_path, "list_directory", dir_path=folder).llm_content


def test_10_one_loop_of_links_does_not_hide_a_directory(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    write(tmp_path / "a.txt")
    assert call(tmp_path, "list_directory", dir_path=".").return_display["files"] == ["a.txt"]
    assert call(tmp_path, "read_many_files", include=["*"]).return_display["files"] == ["a.txt"]


@pytest.mark.parametrize("pattern", ["../**", "/etc/host*"])
def test_11_a_pattern_never_lists_or_names_what_is_outside(tmp_path: Path, pattern: str) -> None:
    write(tmp_path / "secret.txt")
    write(tmp_path / "root/a.txt")
    assert found(tmp_path / "root", pattern=pattern) == []
    result = call(tmp_path / "root", "read_many_files", include=[pattern])
    assert result.return_display["skipped"] == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", {"file_path": "pipe"}),
        ("write_file", {"file_path": "pipe", "content": "x"}),
        ("read_many_files", {"include": ["pipe"]}),
        ("list_directory", {"dir_path": "pipe"}),
        ("glob", {"pattern": "*"}),
        ("grep_search", {"pattern": "x"}),
        ("grep_search", {"pattern": "x", "dir_path": "pipe"}),
    ],
)
def test_12_a_fifo_is_answered_at_once(tmp_path: Path, tool: str, arguments: dict[str, Any]) -> None:
    os.mkfifo(tmp_path / "pipe")
    call(tmp_path, tool, **arguments)  # a hang fails the whole run


def test_13_a_root_that_is_a_link_works_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "real/.git").mkdir(parents=True)
    write(tmp_path / "real/a.txt")
    write(tmp_path / "real/b.log")
    write(tmp_path / "real/.gitignore", "*.log\n")
    (tmp_path / "root").symlink_to("real")
    root = tmp_path / "root"
    assert "real/a.txt" in call(root, "glob", pattern="*.txt").llm_content
    assert call(root, "read_many_files", include=["*.{txt,log}"]).return_display["files"] == ["a.txt"]


def test_13_a_link_to_a_file_inside_is_found_and_one_that_leads_out_is_not(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root / "a.txt")
    write(tmp_path / "secret.txt")
    (root / "inside.txt").symlink_to("a.txt")
    (root / "outside.txt").symlink_to("../secret.txt")
    assert found(root, pattern="*.txt") == ["a.txt", "inside.txt"]


def test_14_ignore_rules_know_case_directories_parents_and_changes(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    root = tmp_path / "package"
    write(root / "build/x")
    write(root / "X.LOG")
    write(tmp_path / ".gitignore", "*.log\nbuild/\n*.secret\n")
    tools = toolset(root)
    assert tools.call_now("list_directory", {"dir_path": "."}).return_display["files"] == ["X.LOG"]
    write(tmp_path / ".gitignore", "")
    assert tools.call_now("list_directory", {"dir_path": "."}).return_display["files"] == [
        "[DIR] build",
        "X.LOG",
    ]


def test_15_the_content_of_a_protected_file_is_never_printed(tmp_path: Path) -> None:
    write(tmp_path / ".env", "KEY=needle\n")
    for more in ({}, {"no_ignore": True}, {"include_pattern": ".env"}, {"names_only": True}):
        arguments: dict[str, Any] = {"pattern": "needle", **more}
        assert "No matches" in call(tmp_path, "grep_search", **arguments).llm_content
    assert call(tmp_path, "grep_search", pattern="needle", dir_path=".env").error is not None


def test_15_names_only_and_matches_per_file_go_together(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / ".gitignore", "b.txt\n")
    write(tmp_path / "a.txt", "needle\nneedle\n")
    write(tmp_path / "b.txt", "needle\n")
    result = call(tmp_path, "grep_search", pattern="needle", names_only=True, max_matches_per_file=1)
    assert result.llm_content.split("\n")[1:] == ["a.txt"]


def test_16_a_pattern_that_begins_with_a_dash_is_a_pattern(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "first\nuse -n here\n")
    matches = call(tmp_path, "grep_search", pattern="-n").return_display["matches"]
    assert [match["lineNumber"] for match in matches] == [2]


def test_17_the_same_question_always_has_the_same_answer(tmp_path: Path) -> None:
    for number in range(40):
        write(tmp_path / f"{number:02}.txt", "needle\n" * 10)
    answers = {call(tmp_path, "grep_search", pattern="needle").llm_content for _ in range(5)}
    assert len(answers) == 1
    assert "File: 09.txt\n" in answers.pop()


def test_17_exactly_as_many_matches_as_allowed_are_not_limited(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "needle\n" * 5)
    assert "limited" not in call(tmp_path, "grep_search", pattern="needle", total_max_matches=5).llm_content


def test_17_the_limit_counts_what_is_shown(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / ".geminiignore", "a*\n")
    write(tmp_path / "a.txt", "needle\n" * 100)
    write(tmp_path / "b.txt", "needle\n")
    result = call(tmp_path, "grep_search", pattern="needle", total_max_matches=1)
    assert result.return_display["matches"][0]["filePath"] == "b.txt"


def test_18_an_include_pattern_holds_from_the_searched_directory(tmp_path: Path) -> None:
    write(tmp_path / "src/nested/a.txt", "needle")
    result = call(tmp_path, "grep_search", pattern="needle", dir_path="src", include_pattern="nested/**")
    assert result.return_display["summary"] == "Found 1 match"


def test_19_one_match_per_file_is_one_match_per_file(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "needle\nneedle\n")
    result = call(tmp_path, "grep_search", pattern="needle", max_matches_per_file=1)
    assert result.llm_content.endswith("File: a.txt\nL1: needle\nL2- needle\n---")


@pytest.mark.parametrize("name", ["constructor", "toString", "__proto__", "7"])
def test_20_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    write(tmp_path / name, "needle")
    write(tmp_path / "a.txt", "needle")
    matches = call(tmp_path, "grep_search", pattern="needle").return_display["matches"]
    assert sorted(match["filePath"] for match in matches) == sorted(["a.txt", name])


@pytest.mark.parametrize(
    "pattern", ["need(?=le)", "(?i)NEEDLE", "(?P<n>needle)", r"(?<=\d )needle", r"\d needle"]
)
def test_21_what_one_engine_accepts_is_searched(tmp_path: Path, pattern: str) -> None:
    write(tmp_path / "a.txt", "1 needle\n")
    assert call(tmp_path, "grep_search", pattern=pattern).return_display["summary"] == "Found 1 match"


def test_21_what_no_engine_accepts_sets_the_error(tmp_path: Path) -> None:
    assert call(tmp_path, "grep_search", pattern="(?<x").error is not None


@pytest.mark.parametrize("name", ["日本.txt", "a:12:b.txt", "tab.txt"])
def test_22_names_come_back_as_they_are_and_no_line_is_invented(tmp_path: Path, name: str) -> None:
    write(tmp_path / name, "needle\n\nend\n")
    matches = call(tmp_path, "grep_search", pattern="needle|^$").return_display["matches"]
    assert [(match["filePath"], match["lineNumber"]) for match in matches] == [(name, 1), (name, 2)]


def test_23_lines_that_are_not_utf_8_and_hidden_files_are_searched(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes(b"needle caf\xe9\n")
    write(tmp_path / ".config/settings", "needle")
    text = call(tmp_path, "grep_search", pattern="needle").llm_content
    assert "L1: needle café" in text
    assert "File: .config/settings" in text


def test_24_a_long_line_is_never_cut_inside_a_character(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "x" + "😀" * 3000)
    for tool, arguments in (("read_file", {"file_path": "a.txt"}), ("grep_search", {"pattern": "x"})):
        call(tmp_path, tool, **arguments).llm_content.encode("utf-8")  # a lone surrogate would not encode


def test_25_a_dollar_sign_in_a_name_stays_and_recursion_and_directories_work(tmp_path: Path) -> None:
    write(tmp_path / "d/$&.txt", "x")
    write(tmp_path / "d/deep/b.txt", "y")
    assert f"--- {tmp_path}/d/$&.txt ---" in call(tmp_path, "read_many_files", include=["d"]).llm_content[0]
    shallow = call(tmp_path, "read_many_files", include=["d"], recursive=False)
    assert shallow.return_display["files"] == ["d/$&.txt"]


def test_26_lines_after_the_end_and_above_the_limit_and_binaries_are_told_as_they_are(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "1\n2")
    write(tmp_path / "long.txt", "x\n" * 5000)
    (tmp_path / "b.bin").write_bytes(b"\0\1")
    beyond = call(tmp_path, "read_file", file_path="a.txt", start_line=9).llm_content
    assert "No lines shown: the file has 2 total" in beyond
    assert "Use a start_line from 1 to 2." in beyond
    assert "start_line: 3" not in beyond
    whole = call(tmp_path, "read_file", file_path="long.txt", start_line=1, end_line=5000)
    assert "Showing lines 1-2000 of 5001" in whole.llm_content
    assert call(tmp_path, "read_file", file_path="b.bin").error is not None


def test_31_matchers_are_built_once_per_directory_and_not_per_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from groundwire.workspace import ignore
    from groundwire.workspace.ignore_rules import IgnoreRules

    (tmp_path / ".git").mkdir()
    write(tmp_path / ".gitignore", "*.log\n")
    for number in range(50):
        write(tmp_path / f"{number}.txt")
    built: list[bytes] = []

    class Counted(IgnoreRules):
        def __init__(self, content: bytes) -> None:
            built.append(content)
            super().__init__(content)

    monkeypatch.setattr(ignore, "IgnoreRules", Counted)
    assert len(found(tmp_path, pattern="*.txt")) == 50
    assert len(built) == 1


async def test_32_calls_leave_nothing_behind(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "needle")
    tools: Toolset = toolset(tmp_path)
    await tools.call("grep_search", {"pattern": "needle"})
    await asyncio.sleep(0)
    handles = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        await tools.call("read_file", {"file_path": "a.txt"})
        await tools.call("grep_search", {"pattern": "needle"})
    assert len(os.listdir("/proc/self/fd")) <= handles
    ours = [thread for thread in threading.enumerate() if "_watch" in thread.name or "_feed" in thread.name]
    assert ours == []
    assert sys.getrefcount(tools) < 10
