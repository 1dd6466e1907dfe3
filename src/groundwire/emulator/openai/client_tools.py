"""The tools a client runs itself, wherever a request keeps them: in a list, in namespaces, in the input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from groundwire.emulator.openai.loose_json import object_in, objects_in

DEFAULT_NAMESPACE: Final = "functions"
"""Codex's lite models put ordinary functions here; calls of these name no namespace."""


@dataclass(frozen=True, slots=True)
class ClientTool:
    """A tool: its name on the wire, the namespace it is in, and whether it takes text instead of JSON."""

    own_name: str
    namespace: str = ""
    freeform: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name scripts use: `web__run` for the function `run` of the namespace `web`."""
        return spoken_name(self.own_name, self.namespace)


def spoken_name(own_name: str, namespace: str) -> str:
    """One name for a tool and its namespace."""
    return f"{namespace}__{own_name}" if namespace and namespace != DEFAULT_NAMESPACE else own_name


def client_tools(request: Mapping[str, Any]) -> list[ClientTool]:
    """All of them; Codex's lite models carry them inside the first item of the input."""
    items = objects_in(request.get("input"))
    inside = [item.get("tools") for item in items if item.get("type") == "additional_tools"]
    return [tool for tools in (request.get("tools"), *inside) for tool in _read(tools)]


def _read(tools: Any, namespace: str = "") -> Iterator[ClientTool]:
    for tool in objects_in(tools):
        if not isinstance(tool.get("name"), str):
            continue
        if tool.get("type") == "namespace":
            yield from _read(tool.get("tools"), tool["name"])
        elif tool.get("type") in ("function", "custom"):
            parameters = object_in(tool.get("parameters"))
            yield ClientTool(tool["name"], namespace, tool["type"] == "custom", parameters)
