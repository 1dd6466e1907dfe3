"""Faults of OpenRouter: credits, rates, providers down, errors inside a 200, answers without output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from groundwire.emulator.openai.openrouter_request import refusal
from groundwire.emulator.scenarios import Scenario
from groundwire.emulator.wire import Call, Chunk, Reply, event_stream, json_reply, to_json
from groundwire.emulator.world import World

Answering = Callable[[Call, World], Reply | None]


def _refusing(
    status: int, message: str, metadata: Mapping[str, Any] | None = None, **headers: str
) -> Answering:
    return lambda call, world: refusal(status, message, metadata, **headers)


def _limited(call: Call, world: World) -> Reply:
    metadata = {
        "raw": "openai/gpt-5.5 is temporarily rate-limited upstream. Please retry shortly.",
        "provider_name": "OpenAI",
    }
    reset = str(int((world.clock() + 2) * 1000))
    limits = {"x_ratelimit_limit": "20", "x_ratelimit_remaining": "0", "x_ratelimit_reset": reset}
    return refusal(429, "Provider returned error", metadata, retry_after="2", **limits)


def _limited_once(call: Call, world: World) -> Reply | None:
    return _limited(call, world) if world.count("openrouter-429-then-ok") % 2 else None


def _error_inside(call: Call, world: World) -> Reply:
    """Status 200, because generation had started; the error is all there is."""
    body = {"error": {"code": 502, "message": "Upstream error from provider: connection reset"}}
    if isinstance(call.json, dict) and call.json.get("stream"):
        return event_stream(
            (Chunk(b": OPENROUTER PROCESSING\n\n"), Chunk(b"data: " + to_json(body) + b"\n\n"))
        )
    return json_reply(body)


def _emptied(call: Call, world: World, reply: Reply) -> Reply:
    """The same JSON answer, completed and without output."""
    if reply.status != 200 or reply.chunks is not None:
        return reply
    answer = msgspec.json.decode(reply.body)
    if "choices" in answer:
        answer["choices"] = []
    else:
        answer |= {"output": [], "output_text": ""}
    return json_reply(answer)


def _fault(name: str, about: str, before: Answering) -> Scenario:
    return Scenario(f"openrouter-{name}", about, apis=("openrouter",), kinds=("generate",), before=before)


_CREDITS = {"limit_source": "openrouter_credits"}
_KEY_LIMIT = {"limit_source": "openrouter_key_limit"}

OPENROUTER_FAULTS = (
    _fault("401", "401: the key is disabled", _refusing(401, "User not found.")),
    _fault(
        "402", "402: no credits left", _refusing(402, "Insufficient credits. Add more credits.", _CREDITS)
    ),
    _fault(
        "402-key-limit",
        "402: the key's own limit is reached",
        _refusing(402, "Key limit exceeded.", _KEY_LIMIT),
    ),
    _fault(
        "403",
        "403: moderation refused the input",
        _refusing(
            403,
            "Input was flagged",
            {"reasons": ["violence"], "flagged_input": "...", "provider_name": "OpenAI"},
        ),
    ),
    _fault("404", "404: no endpoint serves the model", _refusing(404, "No endpoints found for this model.")),
    _fault("408", "408: the request took too long", _refusing(408, "Request timed out")),
    _fault("429", "429 with Retry-After and X-RateLimit headers", _limited),
    _fault(
        "429-bare", "429 without Retry-After", _refusing(429, "Rate limit exceeded: free-models-per-min.")
    ),
    _fault("429-then-ok", "429 on every other request, the first included", _limited_once),
    _fault("500", "500: internal error", _refusing(500, "Internal Server Error")),
    _fault("502", "502: the provider's answer was invalid", _refusing(502, "Provider returned error")),
    _fault("503", "503: no provider is available", _refusing(503, "No available model provider", None)),
    _fault("524", "524: the edge gave up waiting", _refusing(524, "A timeout occurred")),
    _fault("529", "529: the provider is overloaded", _refusing(529, "Provider overloaded")),
    _fault("200-error", "status 200 with nothing but an error inside", _error_inside),
    Scenario(
        "openrouter-empty",
        "a completed JSON answer with an empty output",
        apis=("openrouter",),
        kinds=("generate",),
        after=_emptied,
    ),
)
