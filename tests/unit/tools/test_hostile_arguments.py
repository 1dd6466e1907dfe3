"""What a model may write into any parameter: every call ends soon, with a result or an error that says it.

A call that ran away, or an exception, would end the agent that made it.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from groundwire.tools.base import Dialect
from groundwire.tools.glob_pattern import Glob
from groundwire.tools.toolset import toolset

HALF = "\ud83d"
HOSTILE: list[Any] = [
    HALF,
    f"src/{HALF}.txt",
    "a\udc80b",
    "\0",
    "a\0b",
    "x" * 300,
    "é" * 200,
    "a" * 200_000,
    "(" * 500,
    "[" * 5000,
    "{a," * 5000 + "}" * 5000,
    "{1..2}" * 3000,
    "{1..1000000}",
    "!(a" * 400 + ")" * 400,
    ")" + "+(a" * 40,
    "*a" * 60 + "b",
    "*" * 5000,
    "-",
    "--pre=x",
    "\ufeff",
    ["\0", HALF],
    ["{a,b}" * 20] * 50,
    2.0,
    1e300,
    [1.0, 2.0],
    [1e300, 2e300],
]
USUAL = {
    "file_path": "src/a.txt",
    "pattern": "two",
    "content": "new\n",
    "old_string": "one",
    "new_string": "ONE",
    "instruction": "",
    "include": ["src/*"],
    "paths": ["src/*"],
}
COMMANDS: dict[str, dict[str, Any]] = {
    "view": {},
    "create": {"file_text": "x"},
    "str_replace": {"old_str": "one", "new_str": "1"},
    "insert": {"insert_line": 1, "new_str": "x"},
    "undo_edit": {},
}


def places(dialect: Dialect, root: Path) -> list[tuple[str, str, dict[str, Any]]]:
    """Each tool with each of its parameters, and arguments that are good without it."""
    found: list[tuple[str, str, dict[str, Any]]] = []
    here = {**USUAL, "path": str(root / "src")}
    for declaration in toolset(root, dialect=dialect).declarations():
        schema = declaration["parameters"]
        good = {name: here[name] for name in schema["required"] if name in here}
        starts = [good]
        if "command" in schema["properties"]:
            file = {"path": str(root / "src" / "a.txt")}
            starts = [{"command": command, **more, **file} for command, more in COMMANDS.items()]
        found += [(declaration["name"], name, start) for start in starts for name in schema["properties"]]
    return found


@pytest.mark.parametrize("dialect", list(Dialect))
def test_no_argument_makes_a_tool_fail_in_a_way_nobody_foresaw_or_run_away(
    tmp_path: Path, dialect: Dialect
) -> None:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src" / ("a" * 200)).write_text("two\n", encoding="utf-8")
    for name, parameter, good in places(dialect, root):
        for value in HOSTILE:
            (root / "src" / "a.txt").write_text("one\ntwo\n", encoding="utf-8")
            started = time.thread_time()
            result = toolset(root, dialect=dialect).call_now(name, {**good, parameter: value})
            json.dumps(result.to_json())
            assert time.thread_time() - started < 5, (name, parameter, str(value)[:40])
    assert os.listdir(tmp_path) == ["root"]


@pytest.mark.parametrize("dialect", [Dialect.CURRENT, Dialect.CLASSIC])
@pytest.mark.parametrize("tool", ["read_file", "write_file", "replace"])
def test_half_a_character_in_a_path_is_named(tmp_path: Path, tool: str, dialect: Dialect) -> None:
    path = {"path" if (tool, dialect) == ("read_file", Dialect.CLASSIC) else "file_path": f"{HALF}.txt"}
    more = {"content": "", "old_string": "", "new_string": "x", "instruction": ""}
    result = toolset(tmp_path, dialect=dialect).call_now(tool, {**path, **more})
    assert result.error is not None
    assert (
        result.error.message
        == "Invalid path: Path contains half a character (a surrogate without its other half)."
    )
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("parameter", ["pattern", "include_pattern", "exclude_pattern"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\0", "half a character or NUL"),
        (HALF, "half a character or NUL"),
        ("é" * 60_000, "longer than 100,000 bytes"),
    ],
)
def test_what_cannot_be_searched_for_is_named(tmp_path: Path, parameter: str, text: str, said: str) -> None:
    result = toolset(tmp_path).call_now("grep_search", {"pattern": "x", parameter: text})
    assert result.error is not None
    assert said in result.error.message
    assert result.error.message.startswith(parameter)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("{1..1001}", "more than 1000 patterns. Use a wildcard"),
        ("{a,b}" * 10, "more than 1000 patterns. Use a wildcard"),
        ("[" * 1001, "more than 1000 brackets"),
        ("@(" * 51 + ")" * 51, "more than 50 groups inside one another"),
    ],
)
def test_a_pattern_that_stands_for_too_much_is_refused_and_not_cut(
    tmp_path: Path, pattern: str, said: str
) -> None:
    result = toolset(tmp_path).call_now("glob", {"pattern": pattern})
    assert result.error is not None
    assert said in result.error.message


def test_as_many_patterns_as_are_allowed_are_all_looked_for(tmp_path: Path) -> None:
    (tmp_path / "1000.txt").write_text("x", encoding="utf-8")
    result = toolset(tmp_path).call_now("glob", {"pattern": "{1..1000}.txt"})
    assert "Found 1 file(s)" in result.llm_content


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [("!(a)" * 12 + "b", False), ("!(a!(b!(c!(d!(e)))))" * 3, True), ("!(*(a)!(b*)*)" * 6 + "x", False)],
)
def test_groups_that_exclude_each_other_take_no_longer_than_others(pattern: str, matches: bool) -> None:
    started = time.thread_time()
    assert Glob([pattern], ignore_case=False).matches("abcdeaaaabbbcccddb" * 3) is matches
    assert time.thread_time() - started < 2


def test_whole_numbers_may_be_written_with_a_point(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n3\n", encoding="utf-8")
    editor = toolset(tmp_path, dialect=Dialect.LEGACY)
    where = {"path": str(tmp_path / "a.txt")}
    editor.call_now("str_replace_editor", {"command": "insert", **where, "insert_line": 1.0, "new_str": "x"})
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "1\nx\n2\n3\n"
    seen = editor.call_now("str_replace_editor", {"command": "view", **where, "view_range": [2.0, 3.0]})
    assert seen.llm_content.splitlines()[-2:] == ["     2\tx", "     3\t2"]
