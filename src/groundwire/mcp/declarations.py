"""Which tools a server offers, read from `declarations.json`, which `declaring` makes from the tools."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from groundwire.characters import sendable

PREFIX = "websearch_"


class Offer(NamedTuple):
    """What a server was asked to offer."""

    tools: str = "all"
    """search, files or all."""
    names: str = "full"
    """bare: only the provider's search tools, without the prefix that some hosts add by themselves."""
    root: str = "."
    dialect: str = "current"
    read_only: bool = False


class Offered(NamedTuple):
    """The tools of a server."""

    declared: list[dict[str, Any]]
    """Every tool as clients see it."""
    search: dict[str, str]
    """The search tools: their own names by the names clients use."""
    writing: frozenset[str]
    """The names of the tools that change files."""


def offered(offer: Offer) -> Offered:
    """The tools of this offer."""
    declared = _read()
    search: dict[str, str] = {}
    tools: list[dict[str, Any]] = []
    if offer.tools != "files":
        for tool in declared["search"]:
            name = tool["name"] if offer.names == "full" else _bare(tool["name"])
            if name:
                search[name] = tool["name"]
                tools.append({**tool, "name": name})
    if offer.tools != "search":
        tools += declared["files"][f"{offer.dialect}, read only" if offer.read_only else offer.dialect]
    writing = frozenset(tool["name"] for tool in tools if not tool["annotations"]["readOnlyHint"])
    return Offered(tools, search, writing)


def instructions(offer: Offer) -> str:
    """A sentence or two about the tools, for the model."""
    told = []
    if offer.tools != "files":
        told.append(
            "Search results carry [n] citations and a numbered list of sources; keep the numbers and the "
            "sources' addresses when you pass on what was found."
        )
    if offer.tools != "search":
        told.append(f"File tools work inside {sendable(os.path.abspath(offer.root))} and nowhere else.")
    return " ".join(told)


def _bare(name: str) -> str:
    return name.removeprefix(PREFIX) if name.startswith(PREFIX) else ""


def _read() -> Any:
    path = os.path.join(os.path.dirname(__file__), "declarations.json")
    with open(path, encoding="utf-8") as file:
        return json.load(file)
