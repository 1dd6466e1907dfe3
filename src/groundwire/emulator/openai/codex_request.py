"""What the Codex backend refuses, and in which words: sign-in, account, and the body of a request.

The bodies and statuses are those reported by people who met them; the allowed fields are those the
real Codex client sends. `instructions` may be missing when a developer message stands in its place,
because that is how Codex 0.166 asks.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Final

from groundwire.emulator.openai.codex_models import MODELS
from groundwire.emulator.openai.signin import SignIns
from groundwire.emulator.openai.tokens import read_claims
from groundwire.emulator.wire import Call, Reply, html_reply, json_reply, to_json
from groundwire.emulator.world import World

FIELDS: Final = frozenset(
    {
        "model",
        "instructions",
        "input",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "reasoning",
        "store",
        "stream",
        "include",
        "service_tier",
        "prompt_cache_key",
        "text",
        "client_metadata",
    }
)

CHALLENGE_PAGE: Final = (
    '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head>'
    '<body><div class="main-content"><noscript>Enable JavaScript and cookies to continue</noscript></div>'
    "<script>window._cf_chl_opt={cvId:'3',cZone:\"chatgpt.com\"};</script></body></html>"
)


def refuse_caller(call: Call, world: World) -> Reply | None:
    """Why this caller may not ask anything, or None: token, expiry, account, and a browser check."""
    token = call.bearer
    if token is None:
        return json_reply({"detail": "Unauthorized"}, 401)
    claims = read_claims(token)
    if claims is None or claims.account_id is None:
        return unauthorized(
            "Could not parse your authentication token. Please try signing in again.", "invalid_token"
        )
    if token in world.of(SignIns).revoked:
        return unauthorized("Your authentication token has been invalidated.", "token_invalidated")
    if claims.expires_at is None or claims.expires_at <= world.clock():
        return unauthorized(
            "Provided authentication token is expired. Please try signing in again.", "token_expired"
        )
    account = call.headers.get("chatgpt-account-id")
    if account is None or not call.headers.get("user-agent"):
        return challenge()
    if account != claims.account_id:
        return unauthorized("The account does not belong to this token.", "account_mismatch")
    return None


def refuse_request(request: Any) -> Reply | None:
    """Why this request body is not answered, or None."""
    if not isinstance(request, Mapping):
        return detail("Input should be a valid dictionary")
    for field in request:
        if field not in FIELDS:
            return detail(f"Unsupported parameter: {field}")
    if request.get("store") is not False:
        return detail("Store must be set to false")
    if request.get("stream") is not True:
        return detail("Stream must be set to true")
    return _refuse_input(request) or _refuse_model(request) or _refuse_tools(request)


def unauthorized(message: str, code: str) -> Reply:
    """A 401 in the backend's words, with the headers that repeat the reason."""
    body = {"error": {"message": message, "type": None, "code": code, "param": None}, "status": 401}
    reason = {
        "x-openai-authorization-error": code,
        "x-error-json": base64.b64encode(to_json(body)).decode("ascii"),
    }
    return json_reply(body, 401, reason)


def challenge() -> Reply:
    """Cloudflare's page for callers it does not trust."""
    return html_reply(CHALLENGE_PAGE, 403)


def detail(message: str, status: int = 400) -> Reply:
    """A refusal in the backend's plain form."""
    return json_reply({"detail": message}, status)


def _refuse_input(request: Mapping[str, Any]) -> Reply | None:
    given = request.get("input")
    if not isinstance(given, list):
        return detail("Input must be a list")
    if not given:
        return detail("Input must not be empty")
    roles = [item.get("role") for item in given if isinstance(item, Mapping)]
    if len(roles) != len(given):
        return detail("Input items must be objects")
    if "system" in roles:
        return detail("System messages are not allowed")
    if not request.get("instructions") and "developer" not in roles:
        return detail("Instructions are required")
    calls = [item.get("call_id") for item in given if str(item.get("type", "")).endswith("_call")]
    for item in given:
        if str(item.get("type", "")).endswith("_call_output") and item.get("call_id") not in calls:
            return invalid(
                f"No tool call found for function call output with call_id {item.get('call_id')}.", "input"
            )
    return None


def _refuse_model(request: Mapping[str, Any]) -> Reply | None:
    model = request.get("model")
    if not isinstance(model, str) or not model:
        return detail("Model is required")
    if model not in MODELS:
        return detail(f"The '{model}' model is not supported when using Codex with a ChatGPT account.")
    return None


def _refuse_tools(request: Mapping[str, Any]) -> Reply | None:
    tools = request.get("tools") or []
    if not isinstance(tools, list) or not all(isinstance(tool, Mapping) and "type" in tool for tool in tools):
        return invalid("Invalid type for 'tools': expected an array of objects with a type.", "tools")
    choice = request.get("tool_choice", "auto")
    if isinstance(choice, Mapping):
        wanted = choice.get("name") if choice.get("type") == "function" else choice.get("type")
        offered = [tool.get("name") if choice.get("type") == "function" else tool["type"] for tool in tools]
        if wanted not in offered:
            return invalid(f"Tool choice '{wanted}' not found in 'tools' parameter.", "tool_choice")
    return None


def invalid(message: str, parameter: str) -> Reply:
    """A refusal in the platform's form."""
    error = {"message": message, "type": "invalid_request_error", "param": parameter, "code": None}
    return json_reply({"error": error}, 400)
