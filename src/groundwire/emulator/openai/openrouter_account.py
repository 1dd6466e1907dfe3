"""OpenRouter's calls around a turn: what the key may spend, what is left, which models there are.

The fields are those OpenRouter's own package insists on, so that it accepts the answers.
"""

from __future__ import annotations

from typing import Any, Final

from groundwire.emulator.openai.openrouter_request import refuse_key
from groundwire.emulator.wire import Call, Reply, json_reply
from groundwire.emulator.world import World

MODELS: Final = (
    "openai/gpt-5.5",
    "openai/o4-mini",
    "openai/gpt-oss-120b",
    "anthropic/claude-sonnet-4.5",
    "google/gemini-2.5-flash",
    "deepseek/deepseek-chat-v3.1",
)
"""The models that are listed; every model of a known author is served."""

CREDITS: Final = 10
SPENT: Final = 0.42


def key(call: Call, world: World) -> Reply:
    """GET /api/v1/key: what the key may still spend."""
    spans = ("", "_daily", "_weekly", "_monthly")
    data: dict[str, Any] = {
        "label": "sk-or-v1-emu...ator",
        **{f"usage{span}": SPENT for span in spans},
        **{f"byok_usage{span}": 0 for span in spans},
        "limit": CREDITS,
        "limit_remaining": CREDITS - SPENT,
        "limit_reset": None,
        "include_byok_in_limit": False,
        "is_free_tier": False,
        "is_provisioning_key": False,
        "is_management_key": False,
        "free_model_daily_requests": {"limit": 1000, "remaining": 1000, "used": 0},
        "budgets": [],
        "effective_budget": None,
        "allowed_data_regions": ["global"],
        "creator_user_id": "user_emulator",
        "organization_id": None,
        "workspace_id": None,
        "expires_at": None,
        "rate_limit": {"requests": -1, "interval": "10s", "note": "This field is deprecated."},
    }
    return refuse_key(call) or json_reply({"data": data})


def credits_left(call: Call, world: World) -> Reply:
    """GET /api/v1/credits: bought and spent."""
    return refuse_key(call) or json_reply({"data": {"total_credits": CREDITS, "total_usage": SPENT}})


def models(call: Call, world: World) -> Reply:
    """GET /api/v1/models; no key is needed."""
    listed = [_model(name) for name in MODELS]
    return json_reply({"data": listed, "total_count": len(listed), "links": {"next": None}})


def _model(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "canonical_slug": name,
        "name": name,
        "description": "An emulated model.",
        "created": 1_760_000_000,
        "context_length": 200_000,
        "architecture": {
            "modality": "text->text",
            "input_modalities": ["text"],
            "output_modalities": ["text"],
            "tokenizer": "Other",
            "instruct_type": None,
        },
        "pricing": {"prompt": "0.000001", "completion": "0.000004", "web_search": "0.01"},
        "top_provider": {"is_moderated": False, "context_length": 200_000, "max_completion_tokens": None},
        "per_request_limits": None,
        "supported_parameters": ["tools", "tool_choice", "max_tokens", "reasoning", "web_search_options"],
        "default_parameters": None,
        "supported_voices": None,
        "links": {"details": f"/api/v1/models/{name}/endpoints"},
    }
