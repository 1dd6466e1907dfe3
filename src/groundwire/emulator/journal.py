"""The log of an emulator: one line of JSON per request, without secrets.

A header, query parameter or body field that carries a credential keeps its name and its length, so
that a log can be shown to others and still answers "which key did it send?" by the last characters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import IO, Any

from groundwire.emulator.wire import Call, Reply, to_json

SECRET_HEADERS = frozenset({"authorization", "x-goog-api-key", "x-api-key", "cookie", "proxy-authorization"})
SECRET_FIELDS = frozenset(
    {
        "key",
        "api_key",
        "access_token",
        "refresh_token",
        "id_token",
        "token",
        "client_secret",
        "code",
        "code_verifier",
        "code_challenge",
        "state",
        "device_auth_id",
        "user_code",
    }
)
SIGN_IN_APIS = frozenset({"google-oauth", "openai-oauth"})


def entry(call: Call, reply: Reply, now: float) -> dict[str, Any]:
    """One request and the status it got, ready to be written."""
    return {
        "time": datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds"),
        "api": call.api,
        "method": call.method,
        "path": call.path,
        "query": _without_secrets(call.query, SECRET_FIELDS),
        "headers": _without_secrets(call.headers, SECRET_HEADERS),
        "body": _body(call),
        "scenarios": list(call.scenarios),
        "status": reply.status,
    }


def _body(call: Call) -> Any:
    """Bodies of sign-in hold secrets; those of models hold what people wrote, where `code` is just a word."""
    fields = call.form or call.json
    if call.api in SIGN_IN_APIS and isinstance(fields, Mapping):
        return _without_secrets(fields, SECRET_FIELDS)
    return fields if fields is not None else None


def _without_secrets(fields: Mapping[str, Any], secret: frozenset[str]) -> dict[str, Any]:
    return {name: masked(str(value)) if name in secret else value for name, value in fields.items()}


def masked(secret: str) -> str:
    """A secret that can be recognised by its owner and used by nobody."""
    kind, space, rest = secret.partition(" ")
    if space and kind.lower() == "bearer":
        return f"{kind} {masked(rest)}"
    ending = secret[-4:] if len(secret) >= 16 else ""
    return f"<{len(secret)} characters{', ending ' + ending if ending else ''}>"


class Journal:
    """Writes each call to an open file, at once, one line each."""

    def __init__(self, file: IO[bytes], clock: Callable[[], float]) -> None:
        self._file = file
        self._clock = clock

    def __call__(self, call: Call, reply: Reply) -> None:
        """Write one line."""
        self._file.write(to_json(entry(call, reply, self._clock())) + b"\n")
        self._file.flush()
