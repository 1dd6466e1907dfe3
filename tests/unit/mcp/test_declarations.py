"""Which tools a server offers, and what it says of them."""

from __future__ import annotations

import pytest

from groundwire.mcp.declarations import Offer, instructions, offered
from groundwire.tools.base import Dialect
from groundwire.tools.toolset import toolset

SEARCH = ["geminisearch", "websearch_gemini", "websearch_openai_oauth", "websearch_openrouter", "websearch"]


def names(offer: Offer) -> list[str]:
    return [tool["name"] for tool in offered(offer).declared]


def test_the_search_tools_have_their_names() -> None:
    assert names(Offer("search")) == SEARCH


def test_bare_names_are_those_of_the_providers() -> None:
    tools = offered(Offer("search", "bare"))
    assert [tool["name"] for tool in tools.declared] == ["gemini", "openai_oauth", "openrouter"]
    assert tools.search["gemini"] == "websearch_gemini"


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("read_only", [False, True])
def test_the_file_tools_are_those_of_the_toolset(dialect: Dialect, read_only: bool) -> None:
    offer = Offer("files", dialect=dialect.value, read_only=read_only)
    there = toolset(".", dialect=dialect, read_only=read_only)
    assert names(offer) == [declared["name"] for declared in there.declarations()]
    assert offered(offer).writing == {name for name in names(offer) if there.writes(name)}


def test_all_is_both() -> None:
    assert names(Offer("all")) == SEARCH + names(Offer("files"))


def test_hints_say_who_reads_and_who_writes() -> None:
    hints = {tool["name"]: tool["annotations"] for tool in offered(Offer("all")).declared}
    assert hints["websearch"]["openWorldHint"]
    assert hints["websearch"]["readOnlyHint"]
    assert hints["read_file"]["readOnlyHint"]
    assert not hints["read_file"]["openWorldHint"]
    assert hints["write_file"]["destructiveHint"]
    assert hints["write_file"]["idempotentHint"]
    assert hints["replace"]["destructiveHint"]
    assert not hints["replace"]["idempotentHint"]


def test_the_advice_names_the_workspace_only_where_there_is_one() -> None:
    assert "citations" in instructions(Offer("search", root="/somewhere"))
    assert "/somewhere" not in instructions(Offer("search", root="/somewhere"))
    assert "/somewhere" in instructions(Offer("files", root="/somewhere"))


def test_the_advice_is_sendable_whatever_the_folder_is_called() -> None:
    instructions(Offer("files", root="/\udcff")).encode("utf-8")
