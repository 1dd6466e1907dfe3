"""Code Assist: the private API behind Gemini CLI's Google sign-in, `POST /v1internal:METHOD`.

Generation is Vertex's, wrapped: the request in `{model, project, user_prompt_id, request}`, the
response in `{response, traceId}`. countTokens is wrapped on the way in only. Finding a project
(loadCodeAssist, onboardUser) is in code_assist_setup.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import msgspec

from groundwire.emulator.google import code_assist_setup, fields, models
from groundwire.emulator.google.bearer import check_bearer
from groundwire.emulator.google.errors import Refusal, google_error, refuse
from groundwire.emulator.google.generation import Wrap, answer, counted, streamed, unary
from groundwire.emulator.google.response import Answer
from groundwire.emulator.google.rules import Rulebook, proto_listing
from groundwire.emulator.routing import Api, Handler, Route
from groundwire.emulator.wire import Call, Reply, json_reply, to_json
from groundwire.emulator.world import World

RULES = Rulebook(fields.CODE_ASSIST, proto_listing)
SERVICE = "cloudcode-pa.googleapis.com"
TRACE_HEADER = "x-cloudaicompanion-trace-id"
QUOTA_SECONDS = 86400


def _checked(handler: Callable[[Call, World], Reply]) -> Handler:
    def handle(call: Call, world: World) -> Reply:
        try:
            check_bearer(call, world, SERVICE)
            return handler(call, world)
        except Refusal as refusal:
            return in_both_forms(refusal.reply)

    return handle


def in_both_forms(reply: Reply) -> Reply:
    """The error with the older `errors` list inside it, as this API sends it."""
    body = msgspec.json.decode(reply.body)
    error = body["error"]
    reason = {
        400: "badRequest",
        401: "authError",
        403: "forbidden",
        404: "notFound",
        429: "rateLimitExceeded",
    }
    error["errors"] = [
        {"message": error["message"], "domain": "global", "reason": reason.get(reply.status, "backendError")}
    ]
    return replace(reply, body=to_json(body))


def _answered(call: Call, world: World) -> Answer:
    wrapped = RULES.read(call.json, "WrappedGenerate")
    model = wrapped.get("model", "")
    if not models.is_known(model):
        raise Refusal(google_error(404, "Requested entity was not found."))
    if "request" not in wrapped:
        raise Refusal(google_error(400, "Request contains an invalid argument."))
    return answer(wrapped["request"], model, call, world, RULES)


def _wrap(answered: Answer) -> Wrap:
    trace = f"trace-{answered.response_id}"

    def wrap(response: dict[str, Any]) -> dict[str, Any]:
        return {"response": response, "traceId": trace}

    return wrap


def _generate(call: Call, world: World) -> Reply:
    answered = _answered(call, world)
    return _traced(unary(answered, _wrap(answered)), answered)


def _stream(call: Call, world: World) -> Reply:
    answered = _answered(call, world)
    return _traced(streamed(answered, call, _wrap(answered)), answered)


def _traced(reply: Reply, answered: Answer) -> Reply:
    return replace(reply, headers=(*reply.headers, (TRACE_HEADER, f"trace-{answered.response_id}")))


def _count(call: Call, world: World) -> Reply:
    request = RULES.read(call.json, "WrappedCount").get("request") or {}
    model = str(request.get("model", "")).removeprefix("models/")
    return json_reply({"totalTokens": counted(request, model)["totalTokens"]})


def _quota(call: Call, world: World) -> Reply:
    resets = datetime.fromtimestamp(world.clock() + QUOTA_SECONDS, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return json_reply(
        {
            "buckets": [
                {"remainingFraction": 0.75, "resetTime": resets, "tokenType": "REQUESTS", "modelId": name}
                for name in models.LISTED
            ]
        }
    )


def _experiments(call: Call, world: World) -> Reply:
    return json_reply({"experimentIds": [], "flags": []})


def _nothing(call: Call, world: World) -> Reply:
    return json_reply({})


def _method(name: str, handler: Callable[[Call, World], Reply], kind: str = "") -> Route:
    return Route("POST", rf"/v1internal:{name}", _checked(handler), "json", kind)


_HARMLESS = (
    "fetchAdminControls|getCodeAssistGlobalUserSetting|setCodeAssistGlobalUserSetting|recordCodeAssistMetrics"
)

CODE_ASSIST = Api(
    "code-assist",
    ("/v1internal",),
    (
        _method("generateContent", _generate, "generate"),
        _method("streamGenerateContent", _stream, "generate"),
        _method("countTokens", _count, "count"),
        _method("loadCodeAssist", code_assist_setup.load, "setup"),
        _method("onboardUser", code_assist_setup.onboard, "setup"),
        Route(
            "GET", r"/v1internal/(?P<name>operations/.+)", _checked(code_assist_setup.operation), kind="setup"
        ),
        _method("retrieveUserQuota", _quota),
        _method("listExperiments", _experiments),
        _method(f"({_HARMLESS})", _nothing),
        Route("GET", r"/v1internal:getCodeAssistGlobalUserSetting", _checked(_nothing)),
    ),
    refuse,
)
