"""The calls Codex makes around its turns: where the account lives, its settings, how much it has used."""

from __future__ import annotations

from groundwire.emulator.openai.codex_request import refuse_caller
from groundwire.emulator.openai.tokens import read_claims
from groundwire.emulator.wire import Call, Reply, json_reply
from groundwire.emulator.world import World


def account_check(call: Call, world: World) -> Reply:
    """GET /backend-api/wham/accounts/check: where this account's workspace lives."""
    claims = read_claims(call.bearer or "")
    account_id = claims.account_id if claims else None
    if account_id is None:
        return json_reply({"detail": "Unauthorized"}, 401)
    account = {
        "id": account_id,
        "structure": "personal",
        "plan_type": "plus",
        "workspace_backend_origin": _origin(call, world),
        "account_routing_override": "us",
    }
    return json_reply(
        {"accounts": [account], "account_ordering": [account_id], "default_account_id": account_id}
    )


def user_settings(call: Call, world: World) -> Reply:
    """GET /backend-api/wham/settings/user: nothing set."""
    return refuse_caller(call, world) or json_reply({})


def usage_report(call: Call, world: World) -> Reply:
    """GET /backend-api/wham/usage: how much of the plan is used."""
    window = {"used_percent": 12, "limit_window_seconds": 18000, "reset_after_seconds": 3600}
    limit = {"allowed": True, "limit_reached": False, "primary_window": window, "secondary_window": None}
    return refuse_caller(call, world) or json_reply(
        {"plan_type": "plus", "rate_limit": limit, "credits": None}
    )


def analytics(call: Call, world: World) -> Reply:
    """POST /backend-api/codex/analytics-events/events: taken and forgotten."""
    return json_reply({})


def _origin(call: Call, world: World) -> str:
    """Where the caller finds us: Codex wants HTTPS here, so a proxy that adds it is believed."""
    proxied = call.headers.get("x-forwarded-proto")
    return f"{proxied}://{call.headers['host']}" if proxied and "host" in call.headers else world.base_url
