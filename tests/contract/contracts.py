"""The contracts as text: each function writes down, from the code, one thing that others rely on."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

import groundwire
from docs.generate import commands, errors
from groundwire.citations import WebSearchResult
from groundwire.cli import COMMANDS
from groundwire.config import load_config
from groundwire.emulator import Emulator
from groundwire.library import SearchOptions
from groundwire.runtime import Runtime
from groundwire.search_tools import SEARCH_TOOLS
from groundwire.testing import AsgiTransport
from groundwire.tools.base import Dialect
from groundwire.tools.toolset import Toolset
from groundwire.workspace.boundary import Workspace

SNAPSHOTS = Path(__file__).parent / "snapshots"

SEARCHES = {
    "an answer": ("gemini", "北京天气", "style-sentences"),
    "an answer with pages that nobody cites": ("openai_oauth", "weather in Beijing", "style-native"),
    "no folder of documents": ("local", "how do I brew green tea?", ""),
    "nothing found": ("gemini", "weather in Beijing", "empty"),
    "a blank query": ("gemini", "  ", ""),
    "a refused key": ("openrouter", "weather in Beijing", "openrouter-401"),
}
"""Situation: provider, query, scenario of the emulator."""

REJECTED_CALLS = {
    "an unknown argument": ("websearch_gemini", {"query": "x", "foo": 1}),
    "an unknown provider": ("websearch", {"query": "x", "provider": "bing"}),
    "no object": ("geminisearch", "x"),
}
"""Situation: search tool, arguments."""


def public_names() -> str:
    """`groundwire.__all__`, with the signatures of the functions."""
    lines = []
    for name in groundwire.__all__:
        value = getattr(groundwire, name)
        signature = str(inspect.signature(value)).replace("'", "") if inspect.isfunction(value) else ""
        lines.append(f"{name}{signature}")
    options = [f"    {name}: {kind.__name__}" for name, kind in get_type_hints(SearchOptions).items()]
    return "\n".join([*lines, "", "SearchOptions", *options, ""])


def help_texts() -> str:
    """Every `--help`."""
    return "\n".join([commands.help_text(), *(commands.help_text(word) for word in COMMANDS)])


def search_tools() -> str:
    """The five search tools as a model sees them."""
    return as_json(
        [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in SEARCH_TOOLS.values()
        ]
    )


def file_tools() -> str:
    """The file tools as a model sees them, in each dialect."""
    workspace = Workspace(Path(__file__).parent)
    return as_json({dialect.value: Toolset(workspace, dialect).declarations() for dialect in Dialect})


def error_table() -> str:
    """Codes, exit codes and HTTP statuses."""
    rows = [f"{kind.code} {kind.exit_code} {kind.http_status}" for kind in errors.documented()]
    return "\n".join([*rows, ""])


def results() -> str:
    """The JSON of searches that go well and of searches that fail."""
    return as_json(asyncio.run(_results()))


async def _results() -> dict[str, Any]:
    found = {
        situation: (await _searched(provider, query, scenario)).to_json()
        for situation, (provider, query, scenario) in SEARCHES.items()
    }
    runtime = Runtime(load_config(env={}, cwd=SNAPSHOTS, home=SNAPSHOTS), env={})
    found["no credential"] = (await _without_credential(runtime)).to_json()
    for situation, (tool, arguments) in REJECTED_CALLS.items():
        found[situation] = (await runtime.call_search_tool(tool, arguments)).to_json()
    return found


async def _searched(provider: str, query: str, scenario: str) -> WebSearchResult:
    emulator = Emulator(scenario=scenario)
    env = emulator.env()
    config = load_config(env=env, cwd=SNAPSHOTS, home=SNAPSHOTS)
    try:
        async with Runtime(config, env=env, http=AsgiTransport(emulator.app)) as runtime:
            return await runtime.search(query, provider)
    finally:
        emulator.close()


async def _without_credential(runtime: Runtime) -> WebSearchResult:
    async with runtime:
        return await runtime.search("weather in Beijing", "gemini")


def as_json(value: object) -> str:
    """Indented JSON, so that a diff shows single fields."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


CONTRACTS: Mapping[str, Callable[[], str]] = {
    "public_names.txt": public_names,
    "help.txt": help_texts,
    "search_tools.json": search_tools,
    "file_tools.json": file_tools,
    "errors.txt": error_table,
    "results.json": results,
}
"""Snapshot: the function that writes it."""
