"""What each setting may hold: one check per setting, giving the value to keep or a ValueError saying why not.

The message continues the setting's name: "search.timeout must be a number of seconds above 0".
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from groundwire.secret import Secret

PROVIDERS: Final = ("gemini", "openai_oauth", "openrouter", "local")
"""Every provider, in the order in which the first one with a credential is chosen."""

UPSTREAMS: Final = ("auto", "api-key", "vertex", "code-assist")
"""The ways to Gemini that can be chosen."""


def _text(value: object) -> str | None:
    if not isinstance(value, str):
        raise ValueError("must be a text")
    if not value.isprintable():
        raise ValueError("must not contain control characters")
    return value.strip() or None


def _model(*prefixes: str) -> Callable[[object], str | None]:
    """A model's name. Agents write it with the provider in front; only OpenRouter wants it that way."""

    def check(value: object) -> str | None:
        name = _text(value)
        for prefix in prefixes:
            name = name.removeprefix(prefix) if name else None
        return name or None

    return check


def _key(value: object) -> Secret | None:
    text = value.reveal() if isinstance(value, Secret) else value
    if not isinstance(text, str):
        raise ValueError("must be a text")
    return usable_key(text)


def usable_key(text: str) -> Secret | None:
    """A key that can be sent in a header, None for an empty one; ValueError for one that cannot be sent."""
    stripped = text.strip()
    if not stripped:
        return None
    if not (stripped.isascii() and stripped.isprintable() and " " not in stripped):
        raise ValueError("holds characters that no key has (line breaks, spaces or non-ASCII letters)")
    return Secret(stripped)


def _one_of(*allowed: str) -> Callable[[object], str]:
    def check(value: object) -> str:
        if value not in allowed:
            raise ValueError(f"must be one of: {', '.join(allowed)}")
        return str(value)

    return check


def _resource(pattern: str) -> Callable[[object], str | None]:
    """A name of Google Cloud's, a project or a location: it becomes part of an address."""

    def check(value: object) -> str | None:
        name = _text(value)
        if name is not None and not re.fullmatch(pattern, name):
            raise ValueError("must be small letters, digits and hyphens, as Google Cloud names things")
        return name

    return check


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1000:
        raise ValueError("must be a whole number from 1 to 1000")
    return value


def _switch(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise ValueError("must be a number of seconds above 0")
    return float(value)


def _dollars(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise ValueError("must be a number of US dollars above 0")
    return float(value)


_PRICE = ("input", "output", "input_long", "output_long", "search")


def _prices(value: object) -> Mapping[str, Mapping[str, float]]:
    """A table of tables: for each model input and output, and what else a price has."""
    if not isinstance(value, Mapping) or not all(isinstance(price, Mapping) for price in value.values()):
        raise ValueError("must be a table with a table of prices for each model")
    for model, price in value.items():
        if not price.keys() <= set(_PRICE) or not {"input", "output"} <= price.keys():
            raise ValueError(
                f"must give {model} an input and an output, and otherwise only: {', '.join(_PRICE[2:])}"
            )
        for number in price.values():
            if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < math.inf:
                raise ValueError(f"must give {model} numbers of US dollars")
    return {str(model): dict(price) for model, price in value.items()}


def _folder(value: object) -> str | None:
    return _text(str(value) if isinstance(value, Path) else value)


CHECKS: Final[Mapping[str, Callable[[object], object]]] = {
    "search.provider": _one_of(*PROVIDERS),
    "search.max_sources": _count,
    "search.language": _text,
    "search.region": _text,
    "search.raw": _switch,
    "search.resolve_links": _switch,
    "search.timeout": _seconds,
    "gemini.model": _model("google/", "models/"),
    "gemini.api_key": _key,
    "gemini.upstream": _one_of(*UPSTREAMS),
    "openai_oauth.model": _model("openai/"),
    "openai_oauth.api_key": _key,
    "openrouter.model": _model(),
    "openrouter.api_key": _key,
    "openrouter.web_tool": _one_of("plugin", "server_tool"),
    "openrouter.engine": _text,
    "openrouter.max_results": _count,
    "google.client_id": _text,
    "google.client_secret": _key,
    "google.use_gemini_cli_client": _switch,
    "google.project": _text,
    "geminisearch.model": _model("google/", "models/"),
    "geminisearch.api_key": _key,
    "local.corpus": _folder,
    "agent.shell": _switch,
    "agent.proxy_looks_up": _switch,
    "agent.max_cost": _dollars,
    "agent.prices": _prices,
    "vertex.project": _resource(r"(?:[a-z0-9.-]+:)?[a-z0-9][a-z0-9-]*"),
    "vertex.location": _resource(r"[a-z0-9]+(?:-[a-z0-9]+)*"),
    "urls.gemini": _text,
    "urls.code_assist": _text,
    "urls.vertex": _text,
    "urls.codex": _text,
    "urls.openrouter": _text,
    "urls.google_oauth": _text,
    "urls.openai_oauth": _text,
    "allow_insecure_http": _switch,
}


def from_text(setting: str, text: str) -> object:
    """An environment variable's text as the type its setting wants; unchanged when it is not like that."""
    check = CHECKS[setting]
    if check is _switch:
        return {"1": True, "true": True, "0": False, "false": False}.get(text.lower(), text)
    try:
        if check is _count:
            return int(text)
        if check in (_seconds, _dollars):
            return float(text)
        if check is _prices:
            return json.loads(text)
    except ValueError:
        return text
    return text
