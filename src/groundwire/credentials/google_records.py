"""A Google sign-in as each store keeps it: read into OAuthTokens, and what a renewal changes there.

| store | form |
|---|---|
| Gemini CLI's oauth_creds.json | `{"access_token", "refresh_token", "expiry_date": ms, "id_token"?, …}` |
| Gemini CLI's encrypted store | `{"token": {"accessToken", "refreshToken", "expiresAt": ms, …}, …}` |
| OpenCode's auth.json | `{"type": "oauth", "access", "expires": ms, "refresh"}`, see below |
| our own | an OpenCode record with `project`, `askedProject`, `email`, `clientId`, `clientSecret` beside it |

In OpenCode's store `refresh` is `token|project asked for|project found`, of which the last may be missing,
and the last two. All functions are pure. A sign-in that has only a refresh token is one whose access token
has ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from groundwire.credentials.records import (
    BadRecord,
    OAuthTokens,
    finite_number,
    header_text,
    record_named,
    secret_field,
)
from groundwire.credentials.store import Changes
from groundwire.secret import Secret

OWN_RECORD = "google"
"""The name of the record in our own store."""

NO_TOKEN = Secret("")


def opencode_tokens(document: Mapping[str, object], name: str) -> OAuthTokens | None:
    """The sign-in in a record of OpenCode's store; None when there is none."""
    record = record_named(document, name)
    if record is None or record.get("type") != "oauth":
        return None
    tokens = _tokens(record, access="access", refresh="refresh", expires="expires")
    if tokens.refresh is None:
        return tokens
    refresh, asked, found = (*tokens.refresh.reveal().split("|"), "", "")[:3]
    return replace(
        tokens,
        refresh=Secret(refresh) if refresh else None,
        asked_project=header_text(asked),
        project=header_text(found) or header_text(asked),
    )


def opencode_changes(name: str, tokens: OAuthTokens) -> Changes:
    """What changes in that record: the projects travel inside `refresh`, as OpenCode drops other keys."""
    values: dict[str, object] = {"access": tokens.access.reveal()}
    if tokens.refresh is not None:
        values["refresh"] = "|".join([tokens.refresh.reveal(), *_projects(tokens)])
    if tokens.expires is not None:
        values["expires"] = int(tokens.expires * 1000)
    return {(name, field): value for field, value in values.items()}


def _projects(tokens: OAuthTokens) -> list[str]:
    if tokens.asked_project and tokens.project and tokens.asked_project != tokens.project:
        return [tokens.asked_project, tokens.project]
    return [tokens.project] if tokens.project else []


def own_tokens(document: Mapping[str, object]) -> OAuthTokens | None:
    """The sign-in in our own store; None when there is none."""
    record = record_named(document, OWN_RECORD)
    if record is None or record.get("type") != "oauth":
        return None
    return replace(
        _tokens(record, access="access", refresh="refresh", expires="expires"),
        email=header_text(record.get("email")),
        asked_project=header_text(record.get("askedProject")),
        project=header_text(record.get("project")),
        client_id=header_text(record.get("clientId")),
        client_secret=secret_field(record, "clientSecret"),
    )


def own_record(tokens: OAuthTokens) -> dict[str, object]:
    """The whole record of our own store."""
    values: dict[str, object] = {
        "type": "oauth",
        "access": tokens.access.reveal(),
        "refresh": None if tokens.refresh is None else tokens.refresh.reveal(),
        "expires": None if tokens.expires is None else int(tokens.expires * 1000),
        "email": tokens.email,
        "clientId": tokens.client_id,
        "clientSecret": None if tokens.client_secret is None else tokens.client_secret.reveal(),
        "askedProject": tokens.asked_project,
        "project": tokens.project,
    }
    return {field: value for field, value in values.items() if value is not None}


def own_changes(tokens: OAuthTokens) -> Changes:
    """What changes in our own store."""
    return {(OWN_RECORD, field): value for field, value in own_record(tokens).items()}


def gemini_cli_tokens(document: Mapping[str, object]) -> OAuthTokens | None:
    """The sign-in in Gemini CLI's oauth_creds.json."""
    kind = document.get("type")
    if kind is not None and kind != "authorized_user":
        raise BadRecord("it holds credentials of another kind than a sign-in")
    if not document:
        return None
    tokens = _tokens(document, access="access_token", refresh="refresh_token", expires="expiry_date")
    return replace(tokens, id_token=secret_field(document, "id_token"))


def gemini_cli_changes(tokens: OAuthTokens) -> Changes:
    """What changes in Gemini CLI's oauth_creds.json."""
    changes: dict[tuple[str, ...], object] = {("access_token",): tokens.access.reveal()}
    if tokens.refresh is not None:
        changes[("refresh_token",)] = tokens.refresh.reveal()
    if tokens.id_token is not None:
        changes[("id_token",)] = tokens.id_token.reveal()
    if tokens.expires is not None:
        changes[("expiry_date",)] = int(tokens.expires * 1000)
    return changes


def encrypted_tokens(record: Mapping[str, object]) -> OAuthTokens | None:
    """The sign-in in a record of Gemini CLI's encrypted store, decrypted."""
    token = record.get("token")
    if token is None:
        return None
    if not isinstance(token, dict):
        raise BadRecord("'token' is not an object")
    return _tokens(token, access="accessToken", refresh="refreshToken", expires="expiresAt")


def with_encrypted_changes(record: Mapping[str, object], tokens: OAuthTokens) -> dict[str, object]:
    """That record with renewed tokens in it; everything else stays."""
    old = record.get("token")
    token: dict[str, object] = {**old} if isinstance(old, dict) else {}
    token["accessToken"] = tokens.access.reveal()
    if tokens.refresh is not None:
        token["refreshToken"] = tokens.refresh.reveal()
    if tokens.expires is not None:
        token["expiresAt"] = int(tokens.expires * 1000)
    changed = {**record, "token": token}
    if tokens.last_refresh is not None:
        changed["updatedAt"] = int(tokens.last_refresh * 1000)
    return changed


def _tokens(record: Mapping[str, object], *, access: str, refresh: str, expires: str) -> OAuthTokens:
    token, renewal = secret_field(record, access), secret_field(record, refresh)
    if token is None and renewal is None:
        raise BadRecord("it has neither an access token nor a refresh token")
    ends = finite_number(record.get(expires))
    if token is None:
        ends = 0.0
    return OAuthTokens(
        access=token or NO_TOKEN, refresh=renewal, expires=None if ends is None else ends / 1000
    )
