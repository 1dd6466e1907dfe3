"""Declarations as a strict Gemini server sees them: the emulator accepts every one, in every dialect."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from groundwire.emulator import Emulator
from groundwire.tools.base import Dialect
from groundwire.tools.toolset import TOOLS, toolset


def post(url: str, body: dict[str, Any]) -> tuple[int, str]:
    headers = {"content-type": "application/json", "x-goog-api-key": "any"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, ""
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


@pytest.mark.parametrize("dialect", list(Dialect))
async def test_the_emulator_accepts_our_declarations(tmp_path: Path, dialect: Dialect) -> None:
    declared = toolset(tmp_path, dialect=dialect).declarations()
    body = {
        "contents": [{"role": "user", "parts": [{"text": "hello"}]}],
        "tools": [{"functionDeclarations": declared}],
    }
    async with Emulator() as emulator:
        url = f"{emulator.base_url}/v1beta/models/gemini-2.5-flash:generateContent"
        assert await asyncio.to_thread(post, url, body) == (200, "")
        wrong = {**body, "tools": [{"functionDeclarations": [{**one, "additional": 1} for one in declared]}]}
        if declared:
            assert (await asyncio.to_thread(post, url, wrong))[0] == 400


@pytest.mark.parametrize("dialect", list(Dialect))
def test_every_parameter_is_described_and_every_required_one_exists(dialect: Dialect) -> None:
    for tool in TOOLS:
        declaration = tool.declaration(dialect)
        if declaration is None:
            continue
        properties = declaration.parameters["properties"]
        assert set(declaration.parameters["required"]) <= set(properties)
        assert all(schema.get("description") for schema in properties.values())
        assert declaration.description


@pytest.mark.parametrize(
    ("tool", "names", "required"),
    [
        ("read_file", ["file_path", "start_line", "end_line"], ["file_path"]),
        ("write_file", ["file_path", "content"], ["file_path", "content"]),
        ("list_directory", ["dir_path", "ignore", "file_filtering_options"], ["dir_path"]),
        (
            "glob",
            ["pattern", "dir_path", "case_sensitive", "respect_git_ignore", "respect_gemini_ignore"],
            ["pattern"],
        ),
        (
            "grep_search",
            [
                *(
                    "pattern",
                    "dir_path",
                    "include_pattern",
                    "exclude_pattern",
                    "names_only",
                    "case_sensitive",
                ),
                *("fixed_strings", "context", "after", "before", "no_ignore"),
                *("max_matches_per_file", "total_max_matches"),
            ],
            ["pattern"],
        ),
        (
            "read_many_files",
            ["include", "exclude", "recursive", "useDefaultExcludes", "file_filtering_options"],
            ["include"],
        ),
    ],
)
def test_the_current_tools_have_the_parameters_of_gemini_cli(
    tmp_path: Path, tool: str, names: list[str], required: list[str]
) -> None:
    declared = {one["name"]: one["parameters"] for one in toolset(tmp_path, dialect="current").declarations()}
    assert list(declared[tool]["properties"]) == names
    assert declared[tool]["required"] == required
