"""What a tool gave, in the protocol's words."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from groundwire.citations import Source, WebSearchResult, failure
from groundwire.errors import MissingGeminiKey
from groundwire.mcp.outcomes import file_outcome, search_outcome
from groundwire.tools.base import ToolFailure, ToolResult
from groundwire.tools.toolset import toolset


def test_a_search_is_told_as_its_json_twice() -> None:
    result = WebSearchResult(llm_content="天气 [1]", return_display="d", sources=(Source("t", "http://a"),))
    outcome = search_outcome(result)
    assert outcome.structured == result.to_json()
    assert json.loads(outcome.content[0]["text"]) == result.to_json()
    assert not outcome.is_error


def test_a_failed_search_is_an_error_with_the_same_json() -> None:
    result = failure(MissingGeminiKey("No key."))
    outcome = search_outcome(result)
    assert outcome.is_error
    assert json.loads(outcome.content[0]["text"])["error"]["type"] == "MISSING_GEMINI_API_KEY"
    assert outcome.structured == result.to_json()


def test_what_a_file_tool_says_is_text() -> None:
    outcome = file_outcome(ToolResult("line 1\nline 2", "shown to people"))
    assert outcome.content == [{"type": "text", "text": "line 1\nline 2"}]
    assert outcome.structured is None


@pytest.mark.parametrize(
    ("media_type", "told"),
    [
        ("image/png", {"type": "image", "data": "QQ==", "mimeType": "image/png"}),
        ("audio/mp3", {"type": "audio", "data": "QQ==", "mimeType": "audio/mp3"}),
        (
            "application/pdf",
            {
                "type": "resource",
                "resource": {"uri": "urn:groundwire:content", "mimeType": "application/pdf", "blob": "QQ=="},
            },
        ),
    ],
)
def test_bytes_become_the_content_made_for_them(media_type: str, told: object) -> None:
    part = {"inlineData": {"data": "QQ==", "mimeType": media_type}}
    assert file_outcome(ToolResult(["before", part])).content == [{"type": "text", "text": "before"}, told]


def test_a_failed_call_is_an_error_with_the_whole_result_as_json() -> None:
    result = ToolResult("No such file.", "Not found.", ToolFailure("No such file: a", "file_not_found"))
    outcome = file_outcome(result)
    assert outcome.is_error
    assert json.loads(outcome.content[0]["text"]) == result.to_json()


def test_half_characters_are_not_sent(tmp_path: Path) -> None:
    """Python tells a name that is no UTF-8 in halves, and strict readers of JSON refuse the whole line."""
    (tmp_path / os.fsdecode(b"\xff.txt")).write_text("needle\n", encoding="utf-8")
    tools = toolset(tmp_path)
    calls: tuple[tuple[str, dict[str, object]], ...] = (
        ("list_directory", {"dir_path": "."}),
        ("glob", {"pattern": "*"}),
        ("grep_search", {"pattern": "needle"}),
        ("read_many_files", {"include": ["*"]}),
        ("read_file", {"file_path": os.fsdecode(b"\xfe.txt")}),
    )
    for name, arguments in calls:
        for part in file_outcome(tools.call_now(name, arguments)).content:
            part["text"].encode("utf-8")
