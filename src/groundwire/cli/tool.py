"""Call a tool as a model would: one of Gemini CLI's file tools on a directory, or a search tool.

groundwire tool read_file '{"file_path": "README.md"}' --root .
groundwire tool websearch_gemini '{"query": "What is new in Python 3.14?"}' --json
groundwire tool --list
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from groundwire.errors import InvalidToolArguments

if TYPE_CHECKING:
    from groundwire.citations import WebSearchResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words of this command."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="the tool to call")
    parser.add_argument("arguments", nargs="?", metavar="JSON", help="its arguments; - reads them from stdin")
    parser.add_argument("--root", default=".", metavar="DIR", help="the workspace (default: this directory)")
    parser.add_argument("--dialect", choices=("classic", "current", "legacy"), help="default: current")
    parser.add_argument("--model", help="choose the dialect this model knows")
    parser.add_argument("--read-only", action="store_true", help="leave out the tools that write")
    parser.add_argument("--preview", action="store_true", help="show what would change; write nothing")
    parser.add_argument("--list", action="store_true", help="list the tools")
    parser.add_argument("--json", action="store_true", help="print the result (or the declarations) as JSON")


def run(arguments: argparse.Namespace) -> int:
    """List the tools, preview a call, or make it."""
    from groundwire.search_tools import SEARCH_TOOLS
    from groundwire.tools.base import ErrorType
    from groundwire.tools.toolset import toolset

    if arguments.name in SEARCH_TOOLS and not arguments.list:
        return _search(arguments)
    tools = toolset(
        arguments.root, model=arguments.model, dialect=arguments.dialect, read_only=arguments.read_only
    )
    if arguments.list:
        searching = [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in SEARCH_TOOLS.values()
        ]
        declared = [*tools.declarations(), *searching]
        print(_as_json(declared) if arguments.json else _overview(declared))
        return 0
    if arguments.name is None:
        raise InvalidToolArguments("Which tool?", hint="groundwire tool --list shows them.")
    values = _given(arguments)
    if arguments.preview:
        print(tools.preview(arguments.name, values), end="")
        return 0
    result = tools.call_now(arguments.name, values)
    if arguments.json:
        print(_as_json(result.to_json()))
    else:
        print(_as_text(result.llm_content), file=sys.stderr if result.error else sys.stdout)
    if result.error and result.error.type == ErrorType.TOOL_NOT_REGISTERED:
        print(f"The search tools are: {', '.join(SEARCH_TOOLS)}.", file=sys.stderr)
    return 6 if result.error else 0


def _search(arguments: argparse.Namespace) -> int:
    import asyncio

    from groundwire.cli.printable import printable, printable_json
    from groundwire.errors import exit_code_for
    from groundwire.runtime import Runtime, config_from_world

    async def call() -> WebSearchResult:
        async with Runtime(config_from_world()) as runtime:
            return await runtime.call_search_tool(arguments.name, _given(arguments))

    result = asyncio.run(call())
    print(printable_json(result.json()) if arguments.json else printable(result.llm_content))
    return exit_code_for(result.error.type) if result.error else 0


def _given(arguments: argparse.Namespace) -> object:
    return _parse(sys.stdin.read() if arguments.arguments == "-" else arguments.arguments or "{}")


def _parse(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidToolArguments(
            f"The arguments are not JSON: {error}.", hint="""Quote them: '{"file_path": "a.txt"}'"""
        ) from None


def _as_json(value: object) -> str:
    # Escaped, so that lone surrogates and line separators survive every terminal and pipe.
    return json.dumps(value)


def _as_text(content: object) -> str:
    parts = content if isinstance(content, list) else [content]
    texts = [part if isinstance(part, str) else json.dumps(part) for part in parts]
    return "".join(texts).encode("utf-8", "replace").decode("utf-8")


def _overview(declared: list[dict[str, object]]) -> str:
    width = max((len(str(tool["name"])) for tool in declared), default=0)
    return "\n".join(f"{tool['name']:<{width}}  {_first_sentence(tool)}" for tool in declared)


def _first_sentence(tool: dict[str, object]) -> str:
    return str(tool["description"]).partition(". ")[0].removesuffix(".") + "."
