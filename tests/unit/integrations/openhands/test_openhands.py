"""The OpenHands integration without the SDK: who gets what, what becomes of results, what is missing.

The rest is run with the real SDK: make conformance PEER=openhands.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from groundwire.errors import MissingPackage
from groundwire.integrations import openhands
from groundwire.integrations.openhands.converting import (
    Image,
    Text,
    diff_of,
    given_arguments,
    pieces,
    resource,
)
from groundwire.integrations.openhands.gating import dialect_for
from groundwire.integrations.openhands.requirement import check_sdk
from groundwire.tools.base import Dialect, ToolResult
from groundwire.tools.toolset import toolset


@pytest.mark.parametrize(
    ("model", "canonical", "dialect"),
    [
        ("gemini/gemini-3-pro-preview", None, Dialect.CURRENT),
        ("vertex_ai/gemini-2.5-pro", None, Dialect.CLASSIC),
        ("openrouter/google/gemini-3-flash", None, Dialect.CURRENT),
        ("gpt-4o", None, Dialect.LEGACY),
        ("gemini/gemma-3-27b-it", None, Dialect.LEGACY),
        ("litellm_proxy/house-model", "gemini-3-pro", Dialect.CURRENT),
        ("litellm_proxy/house-model", "claude-sonnet-4-5", Dialect.LEGACY),
        ("gemini/gemini-2.5-flash", "gpt-4o", Dialect.CLASSIC),
    ],
)
def test_the_model_decides(tmp_path: Path, model: str, canonical: str | None, dialect: Dialect) -> None:
    assert dialect_for(model, canonical) is dialect
    if canonical is None:
        assert toolset(tmp_path, model=model).dialect is dialect


def test_what_the_model_left_out_is_left_out() -> None:
    values = {"file_path": "a", "start_line": None, "other": 0}
    assert given_arguments(values) == {"file_path": "a", "other": 0}


def test_arguments_that_no_conversation_can_store_are_refused() -> None:
    with pytest.raises(ValueError, match="half a character"):
        given_arguments({"include": [{"deep": "\ud800"}]})


def test_texts_stay_texts_and_images_images() -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    assert pieces(ToolResult("hello")) == [Text("hello")]
    assert pieces(ToolResult([{"text": "a"}, image, "b"])) == [
        Text("a"),
        Image("data:image/png;base64,AAAA"),
        Text("b"),
    ]
    assert pieces(ToolResult([])) == [Text("")]


def test_what_cannot_be_shown_is_named() -> None:
    (piece,) = pieces(ToolResult({"inlineData": {"mimeType": "application/pdf", "data": "AAAA"}}))
    assert piece == Text("(content of the type application/pdf, which cannot be shown here: 3 bytes)")


def test_half_characters_do_not_reach_the_wire() -> None:
    assert pieces(ToolResult("a\ud800")) == [Text("a?")]


def test_an_edit_has_its_diff(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    tools = toolset(tmp_path, model="gemini-2.5-pro")
    edited = tools.call_now("replace", {"file_path": "a.txt", "old_string": "one", "new_string": "two"})
    assert "-one\n+two" in diff_of(edited)
    assert diff_of(ToolResult("x", "shown")) == ""


@pytest.mark.parametrize("path", ["a.txt", "./b/../a.txt", "{root}/a.txt", "@a.txt", "link/a.txt"])
def test_one_file_is_one_resource(tmp_path: Path, path: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    named = path.format(root=tmp_path)
    assert (
        resource("replace", {"file_path": named}, str(tmp_path)) == f"file:{(tmp_path / 'a.txt').resolve()}"
    )


def test_calls_on_many_files_and_senseless_paths_have_no_resource(tmp_path: Path) -> None:
    assert resource("glob", {"pattern": "*"}, str(tmp_path)) is None
    assert resource("read_file", {"file_path": "a\0b"}, str(tmp_path)) is None
    assert resource("read_file", {"file_path": "\ud800"}, str(tmp_path)) is None
    assert resource("read_file", {"file_path": 5}, str(tmp_path)) is None
    assert resource("read_file", {"path": "a"}, str(tmp_path)) is not None


def test_without_the_sdk_the_way_to_it_is_told() -> None:
    if sys.version_info >= (3, 12) and importlib.util.find_spec("openhands") is not None:
        pytest.skip("the OpenHands SDK is installed here")
    with pytest.raises(MissingPackage, match=r"pip install 'groundwire\[openhands\]'"):
        _ = openhands.TOOLSET


def test_it_has_no_other_names() -> None:
    with pytest.raises(AttributeError, match="no attribute 'toolset'"):
        _ = openhands.toolset


def test_an_older_python_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 11, 0, "final", 0))
    with pytest.raises(MissingPackage, match=r"needs Python 3.12 or later; this is 3.11"):
        check_sdk()
