"""Makes `declarations.json` from the tools themselves: every tool as a client sees it.

    search   the five search tools
    files    the file tools, by dialect, and by dialect for a server that only reads

`make docs` writes the file and a test compares it, so a server can read it instead of loading every tool.
"""

from __future__ import annotations

import json
from typing import Any

from groundwire.search_tools import SEARCH_TOOLS, SearchTool
from groundwire.tools.base import Dialect
from groundwire.tools.registry import Registry
from groundwire.tools.toolset import TOOLS

REPEATABLE = ("write_file",)
"""Tools that write, and change nothing more when they are called again with the same arguments."""

TITLES = {
    "geminisearch": "Web search (Gemini)",
    "websearch": "Web search",
    "websearch_gemini": "Web search (Gemini)",
    "websearch_openai_oauth": "Web search (ChatGPT)",
    "websearch_openrouter": "Web search (OpenRouter)",
}
"""Names for people, where the tool's own name does not read like words."""

SEARCH_RESULT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "llmContent": {
            "type": "string",
            "description": "The answer in Markdown, with [n] citations and their sources; or the error.",
        },
        "returnDisplay": {"type": "string", "description": "One line about what happened."},
        "sources": {
            "type": "array",
            "description": "The pages behind the numbers: the first one is [1].",
            "items": {
                "type": "object",
                "properties": {
                    "web": {
                        "type": "object",
                        "properties": {"title": {"type": "string"}, "uri": {"type": "string"}},
                    }
                },
            },
        },
        "error": {
            "type": "object",
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string", "description": "A stable name of the failure."},
            },
            "required": ["message"],
        },
    },
    "required": ["llmContent", "returnDisplay"],
}
"""JSON Schema of a WebSearchResult."""


def declarations() -> dict[str, Any]:
    """All tools, in groups."""
    files = {}
    for dialect in Dialect:
        files[dialect.value] = _file_tools(dialect, read_only=False)
        files[f"{dialect.value}, read only"] = _file_tools(dialect, read_only=True)
    return {"search": [_search_tool(tool) for tool in SEARCH_TOOLS.values()], "files": files}


def text() -> str:
    """The content of `declarations.json`."""
    return json.dumps(declarations(), indent=1, ensure_ascii=False) + "\n"


def _search_tool(tool: SearchTool) -> dict[str, Any]:
    annotations = _annotations(tool.name, writes=False, open_world=True)
    return _tool(tool.name, tool.description, tool.parameters, annotations) | {"outputSchema": SEARCH_RESULT}


def _file_tools(dialect: Dialect, *, read_only: bool) -> list[dict[str, Any]]:
    registry = Registry(TOOLS, dialect, read_only=read_only)
    return [
        _tool(
            declared.name,
            declared.description,
            dict(declared.parameters),
            _annotations(declared.name, writes=registry.writes(declared.name), open_world=False),
        )
        for declared in registry.declarations()
    ]


def _tool(
    name: str, description: str, parameters: dict[str, Any], annotations: dict[str, Any]
) -> dict[str, Any]:
    return {
        "name": name,
        "title": annotations["title"],
        "description": description,
        "inputSchema": parameters,
        "annotations": annotations,
    }


def _annotations(name: str, *, writes: bool, open_world: bool) -> dict[str, Any]:
    return {
        "title": TITLES.get(name) or name.replace("_", " ").capitalize(),
        "readOnlyHint": not writes,
        "destructiveHint": writes,
        "idempotentHint": not writes or name in REPEATABLE,
        "openWorldHint": open_world,
    }
