"""What the Gemini API, Vertex AI and Code Assist do alike: judge a request, answer it whole or streamed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from groundwire.emulator.acting import act
from groundwire.emulator.composing import SearchAnswer
from groundwire.emulator.google.errors import STATUS_NAMES, Refusal, error_info, google_error
from groundwire.emulator.google.grounding import grounding_metadata
from groundwire.emulator.google.redirects import redirect_link
from groundwire.emulator.google.request import conversation_of
from groundwire.emulator.google.response import Answer, events, prompt_tokens, whole
from groundwire.emulator.google.rules import Rulebook
from groundwire.emulator.wire import Call, Chunk, Reply, event_stream, json_reply, to_json
from groundwire.emulator.world import World

Wrap = Callable[[dict[str, Any]], dict[str, Any]]


def as_it_is(response: dict[str, Any]) -> dict[str, Any]:
    """The response without an envelope."""
    return response


def answer(request: Mapping[str, Any], model: str, call: Call, world: World, rules: Rulebook) -> Answer:
    """The model's answer to a request whose fields are already read; Refusal when it gets none."""
    rules.judge(request, model)
    conversation = conversation_of(request, model)
    turn = act(conversation, call, world)
    if turn.failure:
        details = [error_info(turn.failure.reason, "googleapis.com")] if turn.failure.reason else []
        status = STATUS_NAMES.get(turn.failure.status)
        raise Refusal(google_error(turn.failure.status, turn.failure.message, status=status, details=details))
    grounding = _grounding(turn.searched, call, world) if turn.searched else None
    return Answer(turn, conversation, world.next_id("response-"), grounding)


def _grounding(searched: SearchAnswer, call: Call, world: World) -> dict[str, Any]:
    if "redirect-links" not in call.scenarios:
        return grounding_metadata(searched)
    return grounding_metadata(searched, lambda source: redirect_link(source.url, world))


def unary(answered: Answer, wrap: Wrap = as_it_is) -> Reply:
    """The answer in one JSON document."""
    reply = json_reply(wrap(whole(answered)))
    return _late(reply, answered.turn.wait)


def streamed(answered: Answer, call: Call, wrap: Wrap = as_it_is) -> Reply:
    """The answer as server-sent events, or as a JSON array when the client did not ask for events."""
    documents = [wrap(event) for event in events(answered)]
    if call.query.get("alt") != "sse":
        return _late(json_reply(documents), answered.turn.wait)
    return event_stream(framed(documents, answered.turn.wait))


def framed(documents: Iterable[Any], wait: float = 0.0) -> list[Chunk]:
    """Server-sent events in the plainest form, the only one every real client reads: one `data: ` line
    of JSON, CRLF, a blank line after each event (the last one too), no comments, no end marker."""
    return [
        Chunk(b"data: " + to_json(document) + b"\r\n\r\n", 0.0 if number else wait)
        for number, document in enumerate(documents)
    ]


def counted(request: Mapping[str, Any], model: str) -> dict[str, Any]:
    """The answer of countTokens."""
    total = prompt_tokens(conversation_of(request, model))
    return {"totalTokens": total, "promptTokensDetails": [{"modality": "TEXT", "tokenCount": total}]}


def _late(reply: Reply, wait: float) -> Reply:
    return Reply(reply.status, reply.headers, reply.body, wait=wait) if wait else reply
