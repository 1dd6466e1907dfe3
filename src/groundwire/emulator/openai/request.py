"""Reads a Responses API request: the conversation in it, and what kind of search it allows.

Pure and forgiving: what a server refuses is decided by `codex_request` and `openrouter_request`
before anything is read here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from groundwire.emulator.conversation import Conversation, FunctionCall, FunctionResult, Message
from groundwire.emulator.openai.client_tools import client_tools, spoken_name
from groundwire.emulator.openai.loose_json import object_in, objects_in, words_in
from groundwire.emulator.scenarios import unmarked

Role = Literal["user", "model", "system"]

SEARCH_TOOLS: Final = (
    "web_search",
    "web_search_2025_08_26",
    "web_search_preview",
    "web_search_preview_2025_03_11",
    "openrouter:web_search",
)
_ROLES: Final[dict[str, Role]] = {
    "user": "user",
    "assistant": "model",
    "developer": "system",
    "system": "system",
}


@dataclass(frozen=True, slots=True)
class SearchTool:
    """The search a request offers to the model."""

    kind: str
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    max_results: int = 4
    engine: str = "auto"
    forced: bool = False


def read_conversation(request: Mapping[str, Any], *, search: bool) -> Conversation:
    """The request as a conversation no API owns."""
    tools = client_tools(request)
    names = tuple(tool.name for tool in tools)
    return Conversation(
        model=str(request.get("model", "")),
        messages=tuple(_merged(_messages(request))),
        functions=names,
        search=search,
        schemas={tool.name: tool.parameters for tool in tools if tool.parameters},
        must_call=insisted(request.get("tool_choice"), names),
        thoughts=bool(object_in(request.get("reasoning")).get("summary")),
        output_schema=_output_schema(object_in(object_in(request.get("text")).get("format"))),
    )


def insisted(choice: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    """The functions of which a request insists that one is called."""
    if choice == "required":
        return names
    given = object_in(choice)
    wanted = given.get("name") or object_in(given.get("function")).get("name")
    return (wanted,) if wanted in names else ()


def search_tool(request: Mapping[str, Any]) -> SearchTool | None:
    """The hosted search tool among the request's tools, or None when there is none or it is switched off."""
    choice = request.get("tool_choice")
    tool = next((one for one in objects_in(request.get("tools")) if one.get("type") in SEARCH_TOOLS), None)
    if tool is None or choice == "none":
        return None
    given = {**tool, **object_in(tool.get("filters")), **object_in(tool.get("parameters"))}
    return SearchTool(
        kind=str(tool["type"]),
        allowed_domains=words_in(given.get("allowed_domains")),
        blocked_domains=words_in(given.get("blocked_domains") or given.get("excluded_domains")),
        max_results=given["max_results"] if isinstance(given.get("max_results"), int) else 4,
        engine=str(given.get("engine", "auto")),
        forced=object_in(choice).get("type") == tool["type"] or choice == "required",
    )


def _output_schema(form: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if form.get("type") == "json_schema":
        return object_in(form.get("schema"))
    return {} if form.get("type") == "json_object" else None


def _messages(request: Mapping[str, Any]) -> Iterator[Message]:
    if isinstance(request.get("instructions"), str) and request["instructions"]:
        yield Message("system", request["instructions"])
    given = request.get("input")
    if isinstance(given, str):
        yield Message("user", unmarked(given))
        return
    names: dict[str, str] = {}
    for item in objects_in(given):
        kind = item.get("type", "message")
        if kind == "message":
            yield Message(_ROLES.get(str(item.get("role")), "user"), unmarked(_text(item.get("content"))))
        elif kind in ("function_call", "custom_tool_call"):
            name = spoken_name(str(item.get("name", "")), str(item.get("namespace") or ""))
            call_id = str(item.get("call_id", ""))
            names[call_id] = name
            yield Message("model", calls=(FunctionCall(name, _arguments(item), call_id),))
        elif kind in ("function_call_output", "custom_tool_call_output"):
            call_id = str(item.get("call_id", ""))
            output = item.get("output")
            content = output if isinstance(output, str) else _text(output)
            yield Message("user", results=(FunctionResult(names.get(call_id, ""), content, call_id),))


def _merged(messages: Iterable[Message]) -> Iterator[Message]:
    """Neighbouring calls as one entry, neighbouring results as one entry: a turn may hold several."""
    waiting: Message | None = None
    for message in messages:
        if waiting is not None and (
            (waiting.calls and message.calls) or (waiting.results and message.results)
        ):
            waiting = Message(
                waiting.role, calls=waiting.calls + message.calls, results=waiting.results + message.results
            )
            continue
        if waiting is not None:
            yield waiting
        waiting = message
    if waiting is not None:
        yield waiting


def _arguments(item: Mapping[str, Any]) -> Mapping[str, Any]:
    if item.get("type") == "custom_tool_call":
        return {"input": item.get("input", "")}
    try:
        return object_in(msgspec.json.decode(str(item.get("arguments", "{}"))))
    except msgspec.DecodeError:
        return {}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in objects_in(content) if isinstance(part.get("text"), str))
