"""The Gemini API: generateContent, streamGenerateContent, countTokens, models."""

from __future__ import annotations

from groundwire.emulator.acting import act
from groundwire.emulator.gemini_request import conversation_of
from groundwire.emulator.gemini_response import Answer, events, prompt_tokens, whole
from groundwire.emulator.google_errors import google_error, refuse
from groundwire.emulator.grounding import grounding_metadata
from groundwire.emulator.routing import Api, Route
from groundwire.emulator.wire import Call, Chunk, Reply, event_stream, json_reply, to_json
from groundwire.emulator.world import World


def _answer(call: Call, world: World) -> Answer | Reply:
    conversation = conversation_of(call.json or {}, call.captures["model"])
    turn = act(conversation, call, world)
    if turn.failure:
        return google_error(turn.failure.status, turn.failure.message)
    grounding = grounding_metadata(turn.searched) if turn.searched else None
    return Answer(turn, conversation, world.next_id("response-"), grounding)


def _generate(call: Call, world: World) -> Reply:
    answer = _answer(call, world)
    return answer if isinstance(answer, Reply) else json_reply(whole(answer))


def _stream(call: Call, world: World) -> Reply:
    answer = _answer(call, world)
    if isinstance(answer, Reply):
        return answer
    if call.query.get("alt") != "sse":
        return json_reply(events(answer))
    return event_stream([Chunk(b"data: " + to_json(event) + b"\r\n\r\n") for event in events(answer)])


def _count(call: Call, world: World) -> Reply:
    return json_reply(
        {"totalTokens": prompt_tokens(conversation_of(call.json or {}, call.captures["model"]))}
    )


_MODEL = r"/(?P<version>v1|v1beta|v1alpha)/models/(?P<model>[^/:]+)"

GEMINI = Api(
    "gemini",
    ("/v1/", "/v1beta/", "/v1alpha/"),
    (
        Route("POST", _MODEL + ":generateContent", _generate, "json", "generate"),
        Route("POST", _MODEL + ":streamGenerateContent", _stream, "json", "generate"),
        Route("POST", _MODEL + ":countTokens", _count, "json", "count"),
    ),
    refuse,
)
