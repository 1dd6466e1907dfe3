"""What the credential stores hold: OpenCode's and our own records, and Codex's tokens, as typed values.

OpenCode keeps `{"google": {"type": "api", "key": …}, "openai": {"type": "oauth", "access": …, "refresh": …,
"expires": ms, "accountId": …}}`; our own store has the same records under our provider names. Codex keeps
`{"tokens": {"id_token": …, "access_token": …, "refresh_token": …, "account_id": …}, "last_refresh": …}`.
How Google sign-ins are kept is in `google_records`. All functions here are pure. A record that cannot be used
raises BadRecord with the reason; one that is not there is None.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from groundwire.config.checks import usable_key
from groundwire.secret import Secret


class BadRecord(Exception):
    """A record is there but cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class OAuthTokens:
    """One sign-in as a store holds it. `expires` and `last_refresh` are seconds since 1970."""

    access: Secret
    refresh: Secret | None = None
    id_token: Secret | None = None
    account_id: str | None = None
    expires: float | None = None
    last_refresh: float | None = None
    client_id: str | None = None
    client_secret: Secret | None = None
    email: str | None = None
    asked_project: str | None = None
    """The project that was asked for when `project` was found."""
    project: str | None = None


def api_key_record(document: Mapping[str, object], name: str) -> Secret | None:
    """The key of an `api` record in OpenCode's or our own store; None when there is none of that type."""
    record = record_named(document, name)
    if record is None or record.get("type") != "api":
        return None
    key = secret_field(record, "key")
    if key is None:
        raise BadRecord(f"the record '{name}' has no key")
    return key


def oauth_record(document: Mapping[str, object], name: str) -> OAuthTokens | None:
    """The tokens of an `oauth` record in OpenCode's or our own store; None when there is none."""
    record = record_named(document, name)
    if record is None or record.get("type") != "oauth":
        return None
    access = secret_field(record, "access")
    if access is None:
        raise BadRecord(f"the record '{name}' has no access token")
    expires = finite_number(record.get("expires"))
    return OAuthTokens(
        access=access,
        refresh=secret_field(record, "refresh"),
        account_id=header_text(record.get("accountId")),
        email=header_text(record.get("email")),
        expires=None if expires is None else expires / 1000,
    )


def codex_tokens(document: Mapping[str, object]) -> OAuthTokens | None:
    """The ChatGPT sign-in in Codex's auth.json; None when Codex is not signed in that way."""
    tokens = document.get("tokens")
    if tokens is None:
        return None
    if not isinstance(tokens, dict):
        raise BadRecord("'tokens' is not an object")
    access = secret_field(tokens, "access_token")
    if access is None:
        raise BadRecord("'tokens' has no access_token")
    provenance = tokens.get("oauth_provenance")
    return OAuthTokens(
        access=access,
        refresh=secret_field(tokens, "refresh_token"),
        id_token=secret_field(tokens, "id_token"),
        account_id=header_text(tokens.get("account_id")),
        last_refresh=_timestamp(document.get("last_refresh")),
        client_id=header_text(provenance.get("client_id")) if isinstance(provenance, dict) else None,
    )


def record_named(document: Mapping[str, object], name: str) -> dict[str, object] | None:
    """One record of OpenCode's or our own store."""
    record = document.get(name)
    if record is None:
        return None
    if not isinstance(record, dict):
        raise BadRecord(f"the record '{name}' is not an object")
    return record


def secret_field(record: Mapping[str, object], field: str) -> Secret | None:
    """A token or key of a record, checked so that it can be sent."""
    value = record.get(field)
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadRecord(f"'{field}' is not a text")
    try:
        return usable_key(value)
    except ValueError as wrong:
        raise BadRecord(f"'{field}' {wrong}") from None


def header_text(value: object) -> str | None:
    """A text that may go into a header, or None."""
    if isinstance(value, str) and value.isascii() and value.isprintable():
        return value.strip() or None
    return None


def finite_number(value: object) -> float | None:
    """A number that can be reckoned with, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _timestamp(value: object) -> float | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
