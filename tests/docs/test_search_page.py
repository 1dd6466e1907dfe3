"""docs/search.md names the options, models, limits and order that the code has."""

from __future__ import annotations

import re

from groundwire.config import PROVIDERS, SearchSettings
from groundwire.library import SearchOptions
from groundwire.providers import gemini, openai_oauth, openrouter
from groundwire.query import MAX_QUERY_CHARS
from groundwire.search_tools import SEARCH_TOOLS
from groundwire.transport.base import MAX_BODY_BYTES
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs/search.md").read_text(encoding="utf-8")


def row(first_cell: str) -> list[list[str]]:
    """The words in backticks in each other cell of a table row."""
    [line] = [line for line in PAGE.splitlines() if line.startswith(f"| {first_cell} |")]
    return [re.findall(r"`([^`]+)`", cell) for cell in line.split("|")[2:-1]]


def section(heading: str) -> str:
    return PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]


def test_every_option_is_in_the_table() -> None:
    named = re.findall(r"^\| `([a-z_]+)` \| (?:`--|–)", section("In Python"), re.MULTILINE)
    assert set(named) == {"provider", *SearchOptions.__annotations__}


def test_the_models_are_those_of_the_code() -> None:
    providers = (gemini, openai_oauth, openrouter)
    assert row("models tried, in order")[:3] == [list(provider.DEFAULT_MODELS) for provider in providers]


def test_the_order_of_providers_is_that_of_the_code() -> None:
    step = section("Which provider is asked").partition("in the order ")[2].partition("\n")[0]
    assert re.findall(r"`([a-z_]+)`", step) == list(PROVIDERS)


def test_the_tools_are_those_of_the_code() -> None:
    named = re.findall(r"^\| `([a-z_]+)` \|", section("Tools for models"), re.MULTILINE)
    assert named == list(SEARCH_TOOLS)


def test_the_limits_are_those_of_the_code() -> None:
    assert f"longer than {MAX_QUERY_CHARS:,} characters" in PAGE
    assert f"larger than {MAX_BODY_BYTES // 1024**2} MB" in PAGE
    assert f"{SearchSettings().timeout:.0f} if not given" in PAGE
