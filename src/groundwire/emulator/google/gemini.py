"""The Gemini API: generateContent, streamGenerateContent, countTokens, models; an API key is required.

A key is any text that does not contain the word `invalid`, in the header `x-goog-api-key` or the
query parameter `key`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groundwire.emulator.google import fields, models
from groundwire.emulator.google.errors import TYPE, Refusal, error_info, google_error, refuse
from groundwire.emulator.google.generation import answer, counted, streamed, unary
from groundwire.emulator.google.rules import Rulebook
from groundwire.emulator.routing import Api, Handler, Route
from groundwire.emulator.wire import Call, Reply, json_reply
from groundwire.emulator.world import World

RULES = Rulebook(fields.GEMINI)
PAGE_SIZE = 50

NO_KEY = (
    "Method doesn't allow unregistered callers (callers without established identity). "
    "Please use API Key or other form of API consumer identity to call this API."
)
BAD_KEY = "API key not valid. Please pass a valid API key."


def checked(handler: Callable[[Call, World], Reply]) -> Handler:
    """The handler behind the key check; a refusal raised inside becomes the reply."""

    def handle(call: Call, world: World) -> Reply:
        try:
            check_key(call)
            return handler(call, world)
        except Refusal as refusal:
            return refusal.reply

    return handle


def check_key(call: Call) -> None:
    """Refuse a call without an API key, or with a wrong one."""
    key = call.headers.get("x-goog-api-key") or call.query.get("key")
    if key and "invalid" not in key:
        return
    if key:
        raise Refusal(google_error(400, BAD_KEY, details=_bad_key_details()))
    if call.bearer:
        # An OAuth token made for Code Assist does not cover this API.
        raise Refusal(
            google_error(
                403,
                "Request had insufficient authentication scopes.",
                details=[error_info("ACCESS_TOKEN_SCOPE_INSUFFICIENT", "googleapis.com")],
            )
        )
    raise Refusal(google_error(403, NO_KEY))


def _bad_key_details() -> list[dict[str, Any]]:
    service = {"service": "generativelanguage.googleapis.com"}
    return [
        error_info("API_KEY_INVALID", "googleapis.com", service),
        {"@type": f"{TYPE}LocalizedMessage", "locale": "en-US", "message": BAD_KEY},
    ]


def _model(call: Call, method: str) -> str:
    name = call.captures["model"]
    if not models.is_known(name):
        raise Refusal(google_error(404, models.not_found(name, call.captures["version"], method)))
    return name


def _generate(call: Call, world: World) -> Reply:
    model = _model(call, "generateContent")
    return unary(answer(RULES.read(call.json, "GenerateContentRequest"), model, call, world, RULES))


def _stream(call: Call, world: World) -> Reply:
    model = _model(call, "streamGenerateContent")
    return streamed(answer(RULES.read(call.json, "GenerateContentRequest"), model, call, world, RULES), call)


def _count(call: Call, world: World) -> Reply:
    model = _model(call, "countTokens")
    request = RULES.read(call.json, "CountTokensRequest")
    return json_reply(counted(request.get("generateContentRequest") or request, model))


def _list(call: Call, world: World) -> Reply:
    try:
        size = int(call.query.get("pageSize") or call.query.get("page_size") or PAGE_SIZE)
        start = int(call.query.get("pageToken") or call.query.get("page_token") or 0)
    except ValueError:
        return google_error(400, "Invalid value at 'page_size' (TYPE_INT32)")
    names = models.LISTED[start : start + max(1, size)]
    page: dict[str, Any] = {"models": [models.described(name) for name in names]}
    if start + len(names) < len(models.LISTED):
        page["nextPageToken"] = str(start + len(names))
    return json_reply(page)


def _get(call: Call, world: World) -> Reply:
    return json_reply(models.described(_model(call, "GetModel")))


_VERSION = r"/(?P<version>v1|v1beta|v1alpha)/models"
_NAMED = _VERSION + r"/(?P<model>[^/:]+)"

GEMINI = Api(
    "gemini",
    ("/v1/", "/v1beta/", "/v1alpha/"),
    (
        Route("POST", _NAMED + ":generateContent", checked(_generate), "json", "generate"),
        Route("POST", _NAMED + ":streamGenerateContent", checked(_stream), "json", "generate"),
        Route("POST", _NAMED + ":countTokens", checked(_count), "json", "count"),
        Route("GET", _VERSION, checked(_list)),
        Route("GET", _NAMED, checked(_get)),
    ),
    refuse,
)
