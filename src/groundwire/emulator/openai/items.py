"""The Responses API's own words: output items, the response object around them, and token counts.

Both the Codex backend and OpenRouter speak this form. Everything here is a finished item, as it
stands in `response.output_item.done` or in the `output` of a JSON answer; `stream` tells
how such an item comes into being event by event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from groundwire.emulator.openai.loose_json import object_in
from groundwire.emulator.openai.phrasing import CitedAnswer, OutputMessage
from groundwire.emulator.wire import to_json

Wire = dict[str, Any]


def web_search_call(item_id: str, query: str, answer: CitedAnswer, *, with_sources: bool) -> Wire:
    """The hosted search a model made; the sources are listed only when the request asked for them."""
    action: Wire = {"type": "search", "queries": [query], "query": query}
    if with_sources:
        sources: list[Wire] = [{"type": "url", "url": url} for url in answer.consulted]
        if answer.api_source is not None:
            sources.append({"type": "api", "name": answer.api_source})
        action["sources"] = sources
    return {"id": item_id, "type": "web_search_call", "status": "completed", "action": action}


def message_item(item_id: str, message: OutputMessage) -> Wire:
    """An assistant message with its text and annotations."""
    part = {
        "type": "output_text",
        "annotations": [annotation.to_wire(message.text) for annotation in message.annotations],
        "logprobs": [],
        "text": message.text,
    }
    item: Wire = {
        "id": item_id,
        "type": "message",
        "status": "completed",
        "content": [part],
        "role": "assistant",
    }
    if message.phase is not None:
        item["phase"] = message.phase
    return item


def reasoning_item(item_id: str, thoughts: Sequence[str]) -> Wire:
    """What the model thought, as summaries; the encrypted content is opaque to everyone."""
    summary = [{"type": "summary_text", "text": thought} for thought in thoughts]
    return {"id": item_id, "type": "reasoning", "summary": summary, "encrypted_content": "emulated"}


def function_call_item(item_id: str, call_id: str, name: str, arguments: Mapping[str, Any]) -> Wire:
    """A function the model asks its client to run; the arguments are JSON inside a string."""
    return {
        "id": item_id,
        "type": "function_call",
        "status": "completed",
        "arguments": to_json(arguments).decode(),
        "call_id": call_id,
        "name": name,
    }


def custom_tool_call_item(item_id: str, call_id: str, name: str, text: str) -> Wire:
    """A freeform tool the model asks its client to run; the input is text, not JSON."""
    return {
        "id": item_id,
        "type": "custom_tool_call",
        "status": "completed",
        "call_id": call_id,
        "input": text,
        "name": name,
    }


def response_object(response_id: str, created_at: int, request: Mapping[str, Any]) -> Wire:
    """A response that has just begun: what was asked, echoed, and no output yet."""
    return {
        "id": response_id,
        "object": "response",
        "created_at": created_at,
        "completed_at": None,
        "status": "in_progress",
        "background": False,
        "error": None,
        "frequency_penalty": 0.0,
        "incomplete_details": None,
        "instructions": request.get("instructions"),
        "max_output_tokens": request.get("max_output_tokens"),
        "model": request.get("model"),
        "output": [],
        "parallel_tool_calls": request.get("parallel_tool_calls", True),
        "presence_penalty": 0.0,
        "previous_response_id": None,
        "prompt_cache_key": request.get("prompt_cache_key"),
        "reasoning": {"effort": None, "summary": None, **object_in(request.get("reasoning"))},
        "service_tier": "auto",
        "store": False,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}, **object_in(request.get("text"))},
        "tool_choice": request.get("tool_choice", "auto"),
        "tools": request.get("tools") or [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": None,
        "user": None,
        "metadata": {},
    }


def usage(request_size: int, items: Sequence[Wire]) -> Wire:
    """Token counts: four bytes to a token, which is close enough for nobody to bill."""
    spoken = sum(len(to_json(item)) for item in items if item["type"] in ("message", "function_call"))
    thought = sum(len(to_json(item)) for item in items if item["type"] == "reasoning")
    asked, answered, reasoned = -(-request_size // 4), -(-(spoken + thought) // 4), -(-thought // 4)
    return {
        "input_tokens": asked,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": answered,
        "output_tokens_details": {"reasoning_tokens": reasoned},
        "total_tokens": asked + answered,
    }
