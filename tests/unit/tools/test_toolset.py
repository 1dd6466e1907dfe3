"""A toolset: which tools a model gets, in which form, and what a call gives back."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

import groundwire
from groundwire.errors import ToolError, UsageError
from groundwire.tools.base import Dialect
from groundwire.tools.dialects import dialect_of, trimmed
from groundwire.tools.toolset import toolset

FILE_TOOLS = {"read_file", "write_file", "list_directory", "glob", "read_many_files"}


@pytest.mark.parametrize(
    ("model", "dialect"),
    [
        ("gemini-2.5-pro", Dialect.CLASSIC),
        ("models/gemini-2.0-flash", Dialect.CLASSIC),
        ("gemini/gemini-1.5-pro", Dialect.CLASSIC),
        ("gemini-3-pro-preview", Dialect.CURRENT),
        ("google/gemini-3.1-pro", Dialect.CURRENT),
        ("gemini-10-ultra", Dialect.CURRENT),
        ("gemini-flash-latest", Dialect.CURRENT),
        ("gemini-pro", Dialect.CLASSIC),
        ("gemini/gemma-3-27b-it", Dialect.LEGACY),
        ("gpt-5", Dialect.LEGACY),
        ("claude-opus-4", Dialect.LEGACY),
        (None, Dialect.CURRENT),
    ],
)
def test_a_model_gets_the_dialect_it_knows(model: str | None, dialect: Dialect) -> None:
    assert dialect_of(model) is dialect


def declared(root: Path, **choice: Any) -> set[str]:
    return {tool["name"] for tool in toolset(root, **choice).declarations()}


def test_each_dialect_has_its_own_names(tmp_path: Path) -> None:
    assert declared(tmp_path, model="gemini-3-pro") >= FILE_TOOLS | {"grep_search"}
    assert declared(tmp_path, model="gemini-2.5-pro") >= FILE_TOOLS | {"search_file_content"}
    assert not declared(tmp_path, model="gpt-5") & (FILE_TOOLS | {"replace"})


def test_a_dialect_can_be_forced_and_a_wrong_one_is_named(tmp_path: Path) -> None:
    assert "grep_search" in declared(tmp_path, model="gpt-5", dialect="current")
    with pytest.raises(UsageError, match="There is no dialect 'modern'"):
        toolset(tmp_path, dialect="modern")


def test_a_read_only_toolset_has_no_tool_that_writes(tmp_path: Path) -> None:
    tools = toolset(tmp_path, read_only=True)
    assert not {tool["name"] for tool in tools.declarations()} & {"write_file", "replace"}
    error = tools.call_now("write_file", {"file_path": "a", "content": "x"}).error
    assert error is not None
    assert error.type == "tool_not_registered"
    assert list(tmp_path.iterdir()) == []


def test_declarations_come_in_the_form_of_each_api(tmp_path: Path) -> None:
    tools = toolset(tmp_path)
    gemini, openai, anthropic = (tools.declarations(form)[0] for form in ("gemini", "openai", "anthropic"))
    assert sorted(gemini) == ["description", "name", "parameters"]
    assert openai["type"] == "function"
    assert openai["function"]["parameters"] == gemini["parameters"] == anthropic["input_schema"]


def test_a_schema_is_trimmed_to_what_the_gemini_api_accepts() -> None:
    schema = {
        "$schema": "x",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "a": {"type": ["string", "null"], "format": "uri", "examples": ["x"]},
            "b": {"type": "string", "format": "date-time"},
            "c": {"type": "array", "items": {"type": "integer", "exclusiveMinimum": 0}},
            "d": {"anyOf": [{"const": "x", "type": "string"}]},
        },
    }
    assert trimmed(schema) == {
        "type": "object",
        "properties": {
            "a": {"type": "string", "nullable": True},
            "b": {"type": "string", "format": "date-time"},
            "c": {"type": "array", "items": {"type": "integer"}},
            "d": {"anyOf": [{"enum": ["x"], "type": "string"}]},
        },
    }


async def test_a_call_gives_a_result_under_wire_names(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    tools = toolset(groundwire.Workspace(tmp_path))
    result = await tools.call("read_file", {"file_path": "a.txt"})
    assert result.to_json() == {"llmContent": "x", "returnDisplay": "", "error": None}
    failed = (await tools.call("read_file", {"file_path": "no"})).to_json()
    assert failed["error"] == {"message": f"File not found: {tmp_path}/no", "type": "file_not_found"}


@pytest.mark.parametrize("arguments", [None, [], "x", 3])
def test_arguments_that_are_no_object_are_refused(tmp_path: Path, arguments: object) -> None:
    error = toolset(tmp_path).call_now("read_file", arguments).error
    assert error is not None
    assert error.message == "Value of params must be an object"


def test_an_unknown_tool_is_named_with_those_there_are(tmp_path: Path) -> None:
    error = toolset(tmp_path).call_now("run_shell_command", {}).error
    assert error is not None
    assert error.type == "tool_not_registered"
    assert "read_file" in error.message


async def test_calls_run_at_the_same_time(tmp_path: Path) -> None:
    tools = toolset(tmp_path)
    names = [f"{number}.txt" for number in range(20)]
    await asyncio.gather(*(tools.call("write_file", {"file_path": name, "content": name}) for name in names))
    assert sorted(os.listdir(tmp_path)) == sorted(names)


def test_a_preview_of_a_call_that_would_fail_says_why(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="Path not in workspace"):
        toolset(tmp_path).preview("write_file", {"file_path": "../a", "content": "x"})
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    assert toolset(tmp_path).preview("read_file", {"file_path": "a.txt"}) == ""


def test_a_root_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="not a directory"):
        toolset(tmp_path / "no")


def test_the_editor_of_the_plan_has_a_method_for_each_tool(tmp_path: Path) -> None:
    editor = groundwire.GeminiEditor(tmp_path)
    assert editor.write_file(str(tmp_path / "src/a.py"), "one\ntwo\nthree\n").error is None
    assert editor.read_file(str(tmp_path / "src/a.py"), offset=1, limit=1).llm_content.endswith("]\ntwo")
    assert "[DIR] src" in editor.list_directory(str(tmp_path)).llm_content
    assert editor.glob("**/*.py").llm_content.endswith("/src/a.py")
    assert "L2: two" in editor.search_file_content("tw.", include="*.py").llm_content
    assert editor.read_many_files(["src"]).llm_content[0].startswith(f"--- {tmp_path}/src/a.py ---")


POISON = ("\ud800", "a\0b", "a\udfff/b", "\x1b]0;x\x07")
"""What JSON can carry and neither a path nor a word of a command can; and a text that is only odd."""


def poisoned_calls() -> list[tuple[Dialect, str, str, str]]:
    """Each text parameter of each file tool, with each poison in it."""
    return [
        (dialect, declaration["name"], name, poison)
        for dialect in Dialect
        for declaration in toolset(".", dialect=dialect).declarations()
        for name, described in declaration["parameters"]["properties"].items()
        if described.get("type") in ("string", "array")
        for poison in POISON
    ]


@pytest.mark.parametrize(("dialect", "tool", "parameter", "poison"), poisoned_calls())
def test_a_text_the_system_cannot_be_told_is_a_result_and_no_crash(
    tmp_path: Path, dialect: Dialect, tool: str, parameter: str, poison: str
) -> None:
    (tmp_path / "a.txt").write_text("hello\n", encoding="utf-8")
    tools = toolset(tmp_path, dialect=dialect)
    declared = next(one for one in tools.declarations() if one["name"] == tool)["parameters"]
    good: dict[str, Any] = {
        "file_path": "a.txt",
        "path": "a.txt",
        "command": "view",
        "instruction": "x",
        "content": "b",
        "old_string": "hello",
        "new_string": "b",
        "old_str": "hello",
        "new_str": "b",
        "pattern": "hello",
        "dir_path": ".",
        "include": ["*"],
        "paths": ["*"],
    }
    arguments = {name: good[name] for name in declared["properties"] if name in good}
    if declared["properties"].get("include", {}).get("type") == "string":
        arguments["include"] = "*"
    if tool in ("list_directory", "glob", "search_file_content") and "path" in arguments:
        arguments["path"] = str(tmp_path)
    is_list = declared["properties"][parameter]["type"] == "array"
    arguments[parameter] = [poison] if is_list else poison

    result = tools.call_now(tool, arguments)

    assert result.to_json()
    if poison != POISON[-1] and parameter in ("file_path", "path", "dir_path"):
        assert result.error is not None
