"""Faults of the Codex backend: limits, expired sign-ins, Cloudflare, overload, and broken streams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from groundwire.emulator.openai.codex_request import challenge, detail, unauthorized
from groundwire.emulator.scenarios import Scenario
from groundwire.emulator.wire import Call, Chunk, Reply, json_reply
from groundwire.emulator.world import World

RESET_SECONDS: Final = 3600
LIMIT_HEADERS: Final = {
    "x-codex-primary-used-percent": "100",
    "x-codex-primary-window-minutes": "300",
    "x-codex-secondary-used-percent": "41",
    "x-codex-secondary-window-minutes": "10080",
    "x-codex-credits-has-credits": "False",
    "x-codex-credits-unlimited": "False",
    "x-codex-active-limit": "primary",
    "x-codex-rate-limit-reached-type": "rate_limit_reached",
}


@dataclass
class StaleTokens:
    """The tokens that `codex-401-until-refresh` saw first and will not accept."""

    first: str | None = None


def _limit_error(world: World) -> Mapping[str, Any]:
    resets_at = int(world.clock()) + RESET_SECONDS
    return {
        "error": {
            "type": "usage_limit_reached",
            "message": "The usage limit has been reached",
            "plan_type": "plus",
            "resets_at": resets_at,
            "resets_in_seconds": RESET_SECONDS,
        }
    }


def _usage_limit(status: int) -> Callable[[Call, World], Reply]:
    def answer(call: Call, world: World) -> Reply:
        reset = {"x-codex-primary-reset-at": str(int(world.clock()) + RESET_SECONDS)}
        return json_reply(_limit_error(world), status, {**LIMIT_HEADERS, **reset})

    return answer


def _usage_not_included(call: Call, world: World) -> Reply:
    error = {"type": "usage_not_included", "message": "Your plan does not include Codex", "plan_type": "free"}
    return json_reply({"error": error}, 429)


def _rate_limited(call: Call, world: World) -> Reply:
    error = {"message": "Too many requests", "type": "rate_limit_exceeded", "code": "rate_limit_exceeded"}
    return json_reply({"error": error}, 429, {"retry-after": "1"})


def _token_expired(call: Call, world: World) -> Reply:
    return unauthorized(
        "Provided authentication token is expired. Please try signing in again.", "token_expired"
    )


def _expired_every_other_time(call: Call, world: World) -> Reply | None:
    return _token_expired(call, world) if world.count("codex-401-then-ok") % 2 else None


def _expired_until_refresh(call: Call, world: World) -> Reply | None:
    stale = world.of(StaleTokens)
    stale.first = stale.first or call.bearer
    return _token_expired(call, world) if call.bearer == stale.first else None


def _overloaded(call: Call, world: World) -> Reply:
    error = {
        "code": "server_is_overloaded",
        "message": "Our servers are currently overloaded.",
        "type": "server_error",
    }
    return json_reply({"error": error}, 503, {"retry-after": "1"})


def _overloaded_once(call: Call, world: World) -> Reply | None:
    return _overloaded(call, world) if world.count("codex-503-then-ok") % 2 else None


def _chunks(reply: Reply) -> Iterable[Chunk]:
    return reply.chunks if reply.chunks is not None else (Chunk(reply.body),)


def _malformed_event(call: Call, world: World, reply: Reply) -> Reply:
    """The third event's data is not JSON; everything else is as it should be."""

    def spoilt() -> Iterator[Chunk]:
        for number, chunk in enumerate(_chunks(reply)):
            yield replace(chunk, data=b'event: response.spoilt\ndata: {"type":\n\n') if number == 2 else chunk

    return replace(reply, chunks=spoilt())


def _wrong_type(call: Call, world: World, reply: Reply) -> Reply:
    others = [(name, value) for name, value in reply.headers if name.lower() != "content-type"]
    return replace(reply, headers=(("content-type", "text/plain"), *others))


def _fault(name: str, about: str, before: Callable[[Call, World], Reply | None]) -> Scenario:
    return Scenario(f"codex-{name}", about, apis=("codex",), kinds=("generate", "search"), before=before)


CODEX_FAULTS = (
    _fault("usage-limit", "429 usage_limit_reached with the time of reset", _usage_limit(429)),
    _fault(
        "usage-limit-404", "usage_limit_reached with status 404, as some accounts get it", _usage_limit(404)
    ),
    _fault("usage-not-included", "429: the plan does not include Codex", _usage_not_included),
    _fault("rate-limited", "429 with Retry-After and no word about a plan", _rate_limited),
    _fault("token-expired", "401 token_expired, always", _token_expired),
    _fault(
        "401-then-ok",
        "401 token_expired on every other request, the first included",
        _expired_every_other_time,
    ),
    _fault("401-until-refresh", "401 until another token than the first is sent", _expired_until_refresh),
    _fault("unauthorized", "401 without a reason", lambda call, world: detail("Unauthorized", 401)),
    _fault("cloudflare", "403 and Cloudflare's HTML challenge", lambda call, world: challenge()),
    _fault("overloaded", "503 server_is_overloaded", _overloaded),
    _fault("503-then-ok", "503 on every other request, the first included", _overloaded_once),
    Scenario(
        "malformed-event",
        "one event of the stream is not JSON",
        apis=("codex", "openrouter"),
        kinds=("generate",),
        after=_malformed_event,
    ),
    Scenario(
        "wrong-content-type",
        "the right body, called text/plain",
        apis=("codex", "openrouter"),
        kinds=("generate",),
        after=_wrong_type,
    ),
)
