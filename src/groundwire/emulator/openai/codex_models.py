"""The models of an emulated ChatGPT account, and the catalogue entry Codex wants for each."""

from __future__ import annotations

from typing import Any, Final

MODELS: Final = (
    "gpt-6.1-sol",
    "gpt-6-astra",
    "gpt-6-sol",
    "gpt-6-luna",
    "gpt-5.6-sol",
    "gpt-6.1-terra",
    "gpt-5.6-terra",
    "gpt-5.6-luna",
    "gpt-5.5",
)
"""Best first."""

PLAIN_MODELS: Final = frozenset({"gpt-5.5"})
"""For these Codex sends plain requests with hosted search; for all others the lite form."""

EFFORTS: Final = {"low": "Answers quickly", "medium": "Balances speed and depth", "high": "Thinks longest"}


def catalogue_entry(model: str) -> dict[str, Any]:
    """What `GET /codex/models` says about a model."""
    return {
        "slug": model,
        "display_name": model,
        "description": "An emulated model.",
        "default_reasoning_level": "medium",
        "supported_reasoning_levels": [
            {"effort": effort, "description": words} for effort, words in EFFORTS.items()
        ],
        "shell_type": "shell_command",
        "visibility": "list",
        "supported_in_api": True,
        "priority": MODELS.index(model) + 1,
        "upgrade": None,
        "base_instructions": "You are Codex, a coding agent on an emulated backend.",
        "supports_reasoning_summaries": True,
        "support_verbosity": True,
        "default_verbosity": "low",
        "apply_patch_tool_type": "freeform",
        "web_search_tool_type": "text_and_image",
        "input_modalities": ["text", "image"],
        "truncation_policy": {"mode": "tokens", "limit": 10_000},
        "supports_parallel_tool_calls": True,
        "context_window": 272_000,
        "experimental_supported_tools": [],
        "use_responses_lite": model not in PLAIN_MODELS,
    }
