"""What OpenRouter refuses, and how a request asks it to search: plugin, server tool, or `:online`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from groundwire.emulator.openai.loose_json import objects_in, words_in
from groundwire.emulator.openai.request import SearchTool, search_tool
from groundwire.emulator.wire import Call, Reply, json_reply

KEY_PREFIX: Final = "sk-or-"
AUTHORS: Final = (
    "openai",
    "anthropic",
    "google",
    "perplexity",
    "x-ai",
    "mistralai",
    "meta-llama",
    "deepseek",
    "qwen",
    "z-ai",
    "moonshotai",
    "openrouter",
)
NATIVE_AUTHORS: Final = ("openai", "anthropic", "perplexity", "x-ai", "google")
"""Whose models search by themselves; all others get Exa's results pasted into the prompt."""

ENGINES: Final = ("auto", "native", "exa", "firecrawl", "parallel", "perplexity")


@dataclass(frozen=True, slots=True)
class WebSearch:
    """A search OpenRouter will do for a request."""

    tool: SearchTool
    native: bool
    always: bool
    """The plugin always searches; with the server tool the model decides."""


def refuse_key(call: Call) -> Reply | None:
    """Why this key opens nothing, or None."""
    if call.bearer is None:
        return refusal(401, "No cookie auth credentials found")
    if not call.bearer.startswith(KEY_PREFIX):
        return refusal(401, "User not found.")
    return None


def refuse_responses(request: Any) -> Reply | None:
    """Why this Responses request is not answered, or None."""
    if not isinstance(request, Mapping):
        return refusal(400, "Invalid Responses API request: expected an object")
    if not isinstance(request.get("input"), str | list) or not request["input"]:
        return refusal(400, "Invalid Responses API request: input is required")
    if request.get("store"):
        return refusal(400, "Invalid Responses API request: store must be false")
    if request.get("previous_response_id"):
        return refusal(400, "Invalid Responses API request: previous_response_id is not supported")
    return refuse_model(request) or refuse_search(request)


def refuse_chat(request: Any) -> Reply | None:
    """Why this Chat Completions request is not answered, or None."""
    if not isinstance(request, Mapping):
        return refusal(400, "Invalid request: expected an object")
    messages = request.get("messages")
    if not isinstance(messages, list) or not messages:
        return refusal(400, 'Input required: specify "prompt" or "messages"')
    if not all(isinstance(one, Mapping) and isinstance(one.get("role"), str) for one in messages):
        return refusal(400, "Invalid request: every message needs a role")
    return refuse_model(request) or refuse_search(request)


def refuse_model(request: Mapping[str, Any]) -> Reply | None:
    """Why the model is not served, or None."""
    model = wanted_model(request)
    if not model:
        return refusal(400, "No models provided")
    author, slash, name = model.partition("/")
    if not slash or not name or author not in AUTHORS:
        return refusal(400, f"{model} is not a valid model ID")
    return None


def wanted_model(request: Mapping[str, Any]) -> str:
    """The model, or the first of the fallback list; empty when there is none."""
    model = request.get("model")
    return model if isinstance(model, str) and model else next(iter(words_in(request.get("models"))), "")


def refuse_search(request: Mapping[str, Any]) -> Reply | None:
    """Why the search settings contradict themselves, or None."""
    for given in _search_settings(request):
        if given.get("engine", "auto") not in ENGINES:
            return refusal(400, f"Invalid web search engine: {given['engine']}")
        most = given.get("max_results", 5)
        if not isinstance(most, int) or isinstance(most, bool) or most < 1:
            return refusal(400, "max_results must be a positive integer")
        allowed = given.get("allowed_domains") or given.get("include_domains")
        if allowed and (given.get("excluded_domains") or given.get("exclude_domains")):
            return refusal(400, "allowed_domains and excluded_domains cannot be used together")
    return None


def web_search(request: Mapping[str, Any]) -> WebSearch | None:
    """The search a request asks for, or None: the plugin first, then `:online`, then the server tool."""
    model = wanted_model(request)
    plugin = _web_plugin(request)
    if plugin is not None and plugin.get("enabled", True):
        return WebSearch(
            _from_plugin(plugin), _is_native(str(plugin.get("engine", "auto")), model), always=True
        )
    if model.endswith(":online"):
        return WebSearch(_from_plugin({}), _is_native("auto", model), always=True)
    tool = search_tool(request)
    if tool is None:
        return None
    return WebSearch(
        replace(tool, kind="openrouter:web_search"), _is_native(tool.engine, model), always=False
    )


def refusal(status: int, message: str, metadata: Mapping[str, Any] | None = None, **headers: str) -> Reply:
    """An error in OpenRouter's form; its code repeats the status."""
    error: dict[str, Any] = {"message": message, "code": status}
    if metadata is not None:
        error["metadata"] = metadata
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return json_reply({"error": error, "user_id": "user_emulator"}, status, named)


def _is_native(engine: str, model: str) -> bool:
    return engine == "native" or (engine == "auto" and model.partition("/")[0] in NATIVE_AUTHORS)


def _web_plugin(request: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return next((one for one in objects_in(request.get("plugins")) if one.get("id") == "web"), None)


def _from_plugin(plugin: Mapping[str, Any]) -> SearchTool:
    return SearchTool(
        kind="plugin",
        allowed_domains=words_in(plugin.get("include_domains")),
        blocked_domains=words_in(plugin.get("exclude_domains")),
        max_results=plugin.get("max_results", 5),
        engine=str(plugin.get("engine", "auto")),
        forced=True,
    )


def _search_settings(request: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    offered = objects_in(request.get("tools"))
    server_tools = [tool.get("parameters") for tool in offered if tool.get("type") == "openrouter:web_search"]
    return [one for one in (_web_plugin(request), *server_tools) if isinstance(one, Mapping)]
