"""The models the Gemini API lists, and which names it knows.

A name that is not listed but has the form of a Gemini model's name is known too, so that an emulator
is not out of date the day a new model appears; anything else is an unknown model.
"""

from __future__ import annotations

import re
from typing import Any

LISTED = (
    "gemini-2.0-flash",
    "gemini-2.5-pro",
    "gemini-2.5-flash",
    "gemini-2.5-flash-lite",
    "gemini-3-pro-preview",
    "gemini-3-flash-preview",
    "gemini-3.1-pro-preview",
    "gemini-3.1-flash-lite",
    "gemini-3.5-flash",
    "gemini-flash-latest",
)
METHODS = ("generateContent", "countTokens", "streamGenerateContent")

_FORM = re.compile(
    r"gemini-(\d+(\.\d+)?-)?(pro|flash|flash-lite|ultra)(-(preview|latest|exp|image|thinking|lite|\d[\w-]*))*"
)


def is_known(name: str) -> bool:
    """Whether a model of that name is served."""
    return name in LISTED or _FORM.fullmatch(name) is not None


def not_found(name: str, version: str, method: str) -> str:
    """What the server says about a model it does not know."""
    return (
        f"models/{name} is not found for API version {version}, or is not supported for {method}. "
        "Call ListModels to see the list of available models and their supported methods."
    )


def described(name: str) -> dict[str, Any]:
    """A model as `models.get` gives it."""
    return {
        "name": f"models/{name}",
        "version": "001",
        "displayName": name.replace("-", " ").title(),
        "description": f"The emulated {name}",
        "inputTokenLimit": 1048576,
        "outputTokenLimit": 65536,
        "supportedGenerationMethods": list(METHODS),
        "temperature": 1,
        "topP": 0.95,
        "topK": 64,
        "maxTemperature": 2,
        "thinking": True,
    }
