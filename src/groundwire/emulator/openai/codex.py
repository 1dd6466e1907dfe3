"""The emulated chatgpt.com/backend-api: its addresses, and the one that matters, Codex responses.

A request is checked (`codex_request`), read (`request`), answered by the emulated model
(`acting`), told in one of the recorded phrasings, and streamed (`stream`). The scenarios
that change only the stream's shape are read here; faults are in `faults/codex.py`, the other calls
in `codex_search` and `codex_account`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from groundwire.emulator.acting import act
from groundwire.emulator.openai.answers import HARMLESS_NATIVE
from groundwire.emulator.openai.client_tools import client_tools
from groundwire.emulator.openai.codex_account import account_check, analytics, usage_report, user_settings
from groundwire.emulator.openai.codex_models import MODELS, catalogue_entry
from groundwire.emulator.openai.codex_request import detail, refuse_caller, refuse_request
from groundwire.emulator.openai.codex_search import standalone_search
from groundwire.emulator.openai.items import Wire, response_object, usage
from groundwire.emulator.openai.phrasing import shortened
from groundwire.emulator.openai.request import read_conversation, search_tool
from groundwire.emulator.openai.shape import shape_for
from groundwire.emulator.openai.stream import Shape, frames, response_events
from groundwire.emulator.openai.turn import Telling, cited_answer, output_items, plain_answer
from groundwire.emulator.routing import Api, Problem, Route
from groundwire.emulator.wire import Call, Chunk, Reply, event_stream, json_reply
from groundwire.emulator.world import World

RATE_HEADERS: Final = {
    "x-codex-primary-used-percent": "12",
    "x-codex-primary-window-minutes": "300",
    "x-codex-secondary-used-percent": "4",
    "x-codex-secondary-window-minutes": "10080",
    "x-codex-credits-has-credits": "False",
    "x-codex-credits-unlimited": "False",
}


def responses(call: Call, world: World) -> Reply:
    """POST /backend-api/codex/responses: one turn of the model, streamed."""
    refused = refuse_caller(call, world) or refuse_request(call.json)
    if refused is not None:
        return refused
    request: dict[str, Any] = call.json
    tool = search_tool(request)
    acts_by_script = world.script is not None and bool(client_tools(request))
    searching = tool is not None and (tool.forced or not acts_by_script)
    conversation = read_conversation(request, search=searching)
    turn = act(conversation, call, world)
    if turn.failure is not None:
        return detail(turn.failure.message, turn.failure.status)
    answer = plain_answer(turn)
    if tool is not None and turn.searched is not None:
        answer = cited_answer(conversation.prompt, tool, call, world, HARMLESS_NATIVE)
    shape = shape_for(call.scenarios, turn.finish, Shape(delta_size=answer.delta_size))
    answer = shortened(answer) if shape.ending == "incomplete" else answer
    items = output_items(turn, conversation.prompt, answer, world, _telling(request))
    events = _events(request, items, call, world, shape)
    comment = b"keep-alive" if shape.noise else b""
    stream = event_stream((Chunk(frame) for frame in frames(events, comment=comment)), RATE_HEADERS)
    return replace(stream, wait=turn.wait)


def upgrade_required(call: Call, world: World) -> Reply:
    """GET on the responses address is Codex trying a WebSocket; 426 sends it to plain HTTP."""
    return json_reply({"detail": "Upgrade Required"}, 426)


def models(call: Call, world: World) -> Reply:
    """GET /backend-api/codex/models: the account's models, best first."""
    listed = {"models": [catalogue_entry(model) for model in MODELS]}
    return refuse_caller(call, world) or json_reply(listed, headers={"etag": 'W/"emulator"'})


def _telling(request: dict[str, Any]) -> Telling:
    include = request.get("include")
    return Telling(
        with_sources=isinstance(include, list) and "web_search_call.action.sources" in include,
        tools=client_tools(request),
    )


def _events(
    request: dict[str, Any], items: list[Wire], call: Call, world: World, shape: Shape
) -> Iterator[Wire]:
    now = int(world.clock())
    searches = sum(item["type"] == "web_search_call" for item in items)
    finished = {
        "completed_at": now,
        "usage": usage(len(call.body), items),
        "tool_usage": {"web_search": {"num_requests": searches}},
    }
    return response_events(response_object(world.next_id("resp_"), now, request), items, finished, shape)


def _refuse(problem: Problem) -> Reply:
    words = {
        "unknown path": "Not Found",
        "wrong method": "Method Not Allowed",
        "body too large": "Request Entity Too Large",
        "wrong content type": f"Unsupported content type {problem.detail}".rstrip(),
        "malformed body": f"There was an error parsing the body: {problem.detail}",
    }
    return detail(words[problem.trouble], problem.status)


CODEX: Final = Api(
    name="codex",
    prefixes=("/backend-api/",),
    routes=(
        Route("POST", "/backend-api/codex/responses", responses, takes="json", kind="generate"),
        Route("GET", "/backend-api/codex/responses", upgrade_required, kind="upgrade"),
        Route("GET", "/backend-api/codex/models", models, kind="models"),
        Route("POST", "/backend-api/codex/alpha/search", standalone_search, takes="json", kind="search"),
        Route("GET", "/backend-api/wham/accounts/check", account_check, kind="account"),
        Route("GET", "/backend-api/wham/settings/user", user_settings, kind="account"),
        Route("POST", "/backend-api/codex/analytics-events/events", analytics, kind="account"),
        Route("GET", "/backend-api/wham/usage", usage_report, kind="account"),
    ),
    refuse=_refuse,
)
