"""What a token endpoint answered: new tokens, or a refusal that is for good or passing. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import msgspec

from groundwire.config.checks import usable_key
from groundwire.secret import Secret

DEFAULT_LIFETIME = 3600.0
"""How long a token lasts when its server does not say."""


@dataclass(frozen=True, slots=True)
class Granted:
    """New tokens; whatever the server left out keeps its old value."""

    access: Secret | None
    refresh: Secret | None
    id_token: Secret | None
    expires_in: float | None


@dataclass(frozen=True, slots=True)
class Refused:
    """No new tokens. `permanent`: only a new sign-in helps. `code` is the server's word for it."""

    reason: str
    permanent: bool
    code: str | None = None


def judge(status: int, body: bytes, *, permanent: Collection[str]) -> Granted | Refused:
    """Understand the reply of a token endpoint; `permanent` are the codes after which only a new sign-in
    helps."""
    fields = json_object(body)
    if 200 <= status < 300:
        access, refresh = _token(fields, "access_token"), _token(fields, "refresh_token")
        if access is None and refresh is None:
            return Refused("it answered without a token", permanent=False)
        return Granted(access, refresh, _token(fields, "id_token"), _lifetime(fields.get("expires_in")))
    code = _error_code(fields)
    return Refused(f"HTTP {status}" + (f", {code}" if code else ""), code in permanent, code)


def json_object(body: bytes) -> Mapping[str, object]:
    """The JSON object in a body; empty for everything else."""
    try:
        reply = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return reply if isinstance(reply, dict) else {}


def _token(fields: Mapping[str, object], name: str) -> Secret | None:
    value = fields.get(name)
    try:
        return usable_key(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _lifetime(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        return None
    return float(value)


def _error_code(fields: Mapping[str, object]) -> str | None:
    """The code stands in `error.code`, `error` or `code`."""
    error = fields.get("error")
    candidates = (error.get("code"), error.get("type")) if isinstance(error, dict) else (error,)
    for value in (*candidates, fields.get("code")):
        if isinstance(value, str) and value.isidentifier():
            return value
    return None
