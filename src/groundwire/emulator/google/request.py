"""Gemini's request form read into a Conversation: contents, tools, the newest prompt.

Works on a request whose field names are already in camelCase (see proto_json).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from groundwire.emulator.conversation import Conversation, FunctionCall, FunctionResult, Message
from groundwire.emulator.scenarios import unmarked

SEARCH_TOOLS = ("googleSearch", "googleSearchRetrieval", "enterpriseWebSearch")


def conversation_of(request: Mapping[str, Any], model: str) -> Conversation:
    """What the model is given."""
    tools = request.get("tools") or []
    system = request.get("systemInstruction")
    config = request.get("generationConfig") or {}
    messages = [_message(content) for content in request.get("contents") or []]
    if system:
        messages.insert(0, Message("system", _text(system.get("parts") or [])))
    declared = {
        declaration.get("name", ""): declaration.get("parametersJsonSchema")
        or declaration.get("parameters")
        or {}
        for tool in tools
        for declaration in tool.get("functionDeclarations") or []
    }
    return Conversation(
        model=model,
        messages=tuple(messages),
        functions=tuple(declared),
        search=any(name in tool for tool in tools for name in SEARCH_TOOLS),
        schemas=declared,
        must_call=_must_call(request, tuple(declared)),
        thoughts=bool((config.get("thinkingConfig") or {}).get("includeThoughts")),
        output_schema=_output_schema(config),
    )


def _must_call(request: Mapping[str, Any], declared: tuple[str, ...]) -> tuple[str, ...]:
    config = (request.get("toolConfig") or {}).get("functionCallingConfig") or {}
    if config.get("mode") != "ANY":
        return ()
    return tuple(config.get("allowedFunctionNames") or declared)


def _output_schema(config: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if config.get("responseMimeType") != "application/json":
        return None
    return config.get("responseJsonSchema") or config.get("responseSchema") or {}


def _message(content: Mapping[str, Any]) -> Message:
    parts = content.get("parts") or []
    role: Literal["user", "model"] = "model" if content.get("role") == "model" else "user"
    return Message(
        role=role,
        text=_text(parts),
        last_part=_text([part for part in parts if part.get("text")][-1:]),
        calls=tuple(
            FunctionCall(part["functionCall"].get("name", ""), part["functionCall"].get("args") or {})
            for part in parts
            if "functionCall" in part
        ),
        results=tuple(
            FunctionResult(part["functionResponse"].get("name", ""), part["functionResponse"].get("response"))
            for part in parts
            if "functionResponse" in part
        ),
    )


def _text(parts: list[Mapping[str, Any]]) -> str:
    """The text of the parts, thoughts and scenario markers left out."""
    return unmarked("".join(part["text"] for part in parts if part.get("text") and not part.get("thought")))
