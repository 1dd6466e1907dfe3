"""The emulated openrouter.ai/api/v1: its addresses, and Responses as JSON or events.

Chat Completions is in `openrouter_chat`, key and models are in `openrouter_account`. OpenRouter
differs from the Codex backend in what surrounds the same items: no event names but processing
comments, the whole output in the last event, a price in the usage, and, unless the model searches
natively, annotations without positions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from groundwire.emulator.acting import act
from groundwire.emulator.conversation import Conversation, Turn
from groundwire.emulator.openai.answers import HARMLESS_EXA, HARMLESS_NATIVE
from groundwire.emulator.openai.client_tools import ClientTool, client_tools
from groundwire.emulator.openai.items import Wire, response_object, usage
from groundwire.emulator.openai.openrouter_account import credits_left, key, models
from groundwire.emulator.openai.openrouter_chat import chat_reply, read_chat
from groundwire.emulator.openai.openrouter_request import (
    WebSearch,
    refusal,
    refuse_chat,
    refuse_key,
    refuse_responses,
    web_search,
)
from groundwire.emulator.openai.phrasing import CitedAnswer, shortened
from groundwire.emulator.openai.request import read_conversation
from groundwire.emulator.openai.shape import shape_for
from groundwire.emulator.openai.stream import Shape, frames, response_events
from groundwire.emulator.openai.turn import Telling, cited_answer, output_items, plain_answer
from groundwire.emulator.routing import Api, Problem, Route
from groundwire.emulator.wire import Call, Chunk, Reply, event_stream, json_reply
from groundwire.emulator.world import World

PROCESSING: Final = b"OPENROUTER PROCESSING"
RESULT_PRICE: Final = 0.004
"""Dollars per Exa result."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A turn and its words, before either API puts them in its own form."""

    turn: Turn
    conversation: Conversation
    answer: CitedAnswer
    searched: WebSearch | None


def responses(call: Call, world: World) -> Reply:
    """POST /api/v1/responses."""
    refused = refuse_key(call) or refuse_responses(call.json)
    if refused is not None:
        return refused
    request: dict[str, Any] = call.json
    found = _answered(read_conversation(request, search=False), request, call, world)
    if found.turn.failure is not None:
        return refusal(found.turn.failure.status, found.turn.failure.message)
    plain = Shape(output_in_completed=True, delta_size=found.answer.delta_size)
    shape = shape_for(call.scenarios, found.turn.finish, plain)
    answer = shortened(found.answer) if shape.ending == "incomplete" else found.answer
    items = output_items(
        found.turn, found.conversation.prompt, answer, world, _telling(found, client_tools(request))
    )
    response = response_object(world.next_id("gen-"), int(world.clock()), request)
    finished = {"completed_at": int(world.clock()), "usage": _priced(usage(len(call.body), items), found)}
    if request.get("stream"):
        events = response_events(response, items, finished, shape)
        return replace(event_stream(_chunks(events)), wait=found.turn.wait)
    return replace(json_reply(_document({**response, **finished}, items, shape)), wait=found.turn.wait)


def chat_completions(call: Call, world: World) -> Reply:
    """POST /api/v1/chat/completions."""
    refused = refuse_key(call) or refuse_chat(call.json)
    if refused is not None:
        return refused
    request: dict[str, Any] = call.json
    found = _answered(read_chat(request), request, call, world)
    if found.turn.failure is not None:
        return refusal(found.turn.failure.status, found.turn.failure.message)
    return chat_reply(found.turn, found.answer, request, call, world)


def _answered(conversation: Conversation, request: dict[str, Any], call: Call, world: World) -> Answered:
    wanted = web_search(request)
    by_script = world.script is not None and bool(conversation.functions)
    if wanted is not None and not wanted.always and by_script and not wanted.tool.forced:
        wanted = None
    turn = act(replace(conversation, search=wanted is not None), call, world)
    if wanted is None or turn.searched is None:
        return Answered(turn, conversation, plain_answer(turn), None)
    harmless = HARMLESS_NATIVE if wanted.native else HARMLESS_EXA
    answer = cited_answer(conversation.prompt, wanted.tool, call, world, harmless)
    return Answered(turn, conversation, answer, wanted)


def _telling(found: Answered, tools: Sequence[ClientTool]) -> Telling:
    """The item a search becomes: the server tool's own, the native one, or none for results pasted in."""
    if found.searched is None:
        return Telling(None, tools=tools)
    if not found.searched.always:
        return Telling("openrouter:web_search", with_sources=True, tools=tools)
    return Telling("web_search_call" if found.searched.native else None, with_sources=True, tools=tools)


def _priced(counts: Wire, found: Answered) -> Wire:
    searches = int(found.searched is not None and found.answer.searched)
    results = len(found.answer.consulted) if found.searched is not None and not found.searched.native else 0
    priced = {**counts, "cost": round(counts["total_tokens"] * 1e-6 + results * RESULT_PRICE, 6)}
    if found.searched is not None and not found.searched.always:
        priced["server_tool_use_details"] = {"web_search_requests": searches, "tool_calls_executed": searches}
    return priced


def _chunks(events: Iterator[Wire]) -> Iterator[Chunk]:
    yield Chunk(b": " + PROCESSING + b"\n\n")
    for number, frame in enumerate(frames(events, named=False)):
        if number % 10 == 9:
            yield Chunk(b": " + PROCESSING + b"\n\n")
        yield Chunk(frame)
    yield Chunk(b"data: [DONE]\n\n")


def _document(response: Wire, items: list[Wire], shape: Shape) -> Wire:
    """The answer as one document; what only a stream can do wrong has no place in it."""
    if shape.ending in ("failed", "error"):
        return {**response, "status": "failed", "error": shape.error, "error_type": "server", "output": []}
    spoken = "".join(part["text"] for item in items if item["type"] == "message" for part in item["content"])
    whole = {**response, "status": "completed", "output": items, "output_text": spoken}
    if shape.ending == "incomplete":
        return {**whole, "status": "incomplete", "incomplete_details": {"reason": shape.incomplete_reason}}
    return whole


def _refuse(problem: Problem) -> Reply:
    words = {
        "unknown path": "Not Found",
        "wrong method": "Method Not Allowed",
        "body too large": "Request Entity Too Large",
        "wrong content type": f"Unsupported content type {problem.detail}".rstrip(),
        "malformed body": f"Invalid JSON in the request body: {problem.detail}",
    }
    return refusal(problem.status, words[problem.trouble])


OPENROUTER: Final = Api(
    name="openrouter",
    prefixes=("/api/v1/",),
    routes=(
        Route("POST", "/api/v1/responses", responses, takes="json", kind="generate"),
        Route("POST", "/api/v1/chat/completions", chat_completions, takes="json", kind="generate"),
        Route("GET", "/api/v1/(key|auth/key)", key, kind="key"),
        Route("GET", "/api/v1/credits", credits_left, kind="key"),
        Route("GET", "/api/v1/models", models, kind="models"),
    ),
    refuse=_refuse,
)
