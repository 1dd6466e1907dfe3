"""Vertex AI: list the publisher's models, generate, stream and count with them.

With a bearer token in a project, or with an API key and no project (express mode).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from groundwire.emulator.google import fields, models
from groundwire.emulator.google.bearer import check_bearer
from groundwire.emulator.google.errors import Refusal, google_error, refuse
from groundwire.emulator.google.gemini import check_key
from groundwire.emulator.google.generation import answer, counted, streamed, unary
from groundwire.emulator.google.rules import Rulebook, proto_listing
from groundwire.emulator.routing import Api, Handler, Route
from groundwire.emulator.wire import Call, Reply, json_reply
from groundwire.emulator.world import World

RULES = Rulebook(fields.VERTEX, proto_listing, roles=("user", "model"))
SERVICE = "aiplatform.googleapis.com"


def _checked(handler: Callable[[Call, World], Reply]) -> Handler:
    def handle(call: Call, world: World) -> Reply:
        try:
            if "project" in call.captures:
                check_bearer(call, world, SERVICE)
            else:
                check_key(call)
            _check_model(call)
            return handler(call, world)
        except Refusal as refusal:
            return refusal.reply

    return handle


def _check_model(call: Call) -> None:
    if models.is_known(call.captures["model"]):
        return
    resource = re.sub(r"^/v1(beta1)?/|:.*", "", call.path)
    raise Refusal(
        google_error(
            404,
            f"Publisher Model `{resource}` was not found or your project does not have access "
            "to it. Please ensure you are using a valid model version. For more information, see: "
            "https://cloud.google.com/vertex-ai/generative-ai/docs/learn/model-versions",
        )
    )


def _generate(call: Call, world: World) -> Reply:
    request = RULES.read(call.json, "GenerateContentRequest")
    return unary(answer(request, call.captures["model"], call, world, RULES))


def _stream(call: Call, world: World) -> Reply:
    request = RULES.read(call.json, "GenerateContentRequest")
    return streamed(answer(request, call.captures["model"], call, world, RULES), call)


def _count(call: Call, world: World) -> Reply:
    return json_reply(counted(RULES.read(call.json, "CountTokensRequest"), call.captures["model"]))


def _list(call: Call, world: World) -> Reply:
    try:
        check_bearer(call, world, SERVICE)
    except Refusal as refusal:
        return refusal.reply
    names = [f"publishers/google/models/{name}" for name in (*models.LISTED, "imagen-4.0-generate-001")]
    return json_reply({"publisherModels": [{"name": name, "versionId": "default"} for name in names]})


_MODEL = (
    r"/v1(beta1)?/projects/(?P<project>[^/]+)/locations/(?P<location>[^/]+)"
    r"/publishers/google/models/(?P<model>[^/:]+)"
)

_EXPRESS = r"/v1(beta1)?/publishers/google/models/(?P<model>[^/:]+)"

VERTEX = Api(
    "vertex",
    ("/v1/projects/", "/v1/publishers/", "/v1beta1/"),
    (
        Route("POST", _MODEL + ":generateContent", _checked(_generate), "json", "generate"),
        Route("POST", _MODEL + ":streamGenerateContent", _checked(_stream), "json", "generate"),
        Route("POST", _MODEL + ":countTokens", _checked(_count), "json", "count"),
        Route("POST", _EXPRESS + ":generateContent", _checked(_generate), "json", "generate"),
        Route("POST", _EXPRESS + ":streamGenerateContent", _checked(_stream), "json", "generate"),
        Route("POST", _EXPRESS + ":countTokens", _checked(_count), "json", "count"),
        Route("GET", r"/v1(beta1)?/publishers/google/models", _list),
    ),
    refuse,
)
