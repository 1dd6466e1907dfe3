"""OpenAI's sign-in as plain functions: read a token's claims, ask for new tokens, judge the reply.

Nothing here touches a disk, a clock or the network. `OpenAIIssuer` is these functions in the form that
`stored_sign_in` keeps a sign-in fresh with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import urlencode

from groundwire.credentials import jwt
from groundwire.credentials.records import OAuthTokens, header_text
from groundwire.credentials.store import Changes
from groundwire.credentials.token_reply import DEFAULT_LIFETIME, Granted, Refused, judge
from groundwire.errors import CredentialError, MissingOpenAISession
from groundwire.secret import Secret
from groundwire.transport.base import Request
from groundwire.version import __version__

CLIENT_ID = "app_EMoamEEZ73f0CkXaXp7hrann"
"""The public client id of the Codex CLI, for which the stored sign-ins were made."""

HEADERS = {"Accept": "application/json", "User-Agent": f"groundwire/{__version__}"}
"""What every request to the sign-in server carries; an honest name, since bare ones meet a challenge."""

MARGIN = 5 * 60.0
"""A token is renewed when it has less than this many seconds left."""

_UNDATED_LIFETIME = 8 * 24 * 3600.0
"""Codex renews a token whose end cannot be read this long after the last renewal."""

_AUTH_CLAIM = "https://api.openai.com/auth"
_PERMANENT = {"refresh_token_expired", "refresh_token_reused", "refresh_token_invalidated", "invalid_grant"}


@dataclass(frozen=True, slots=True)
class Claims:
    """The parts of a token that we use; all None when the token is not a readable JWT."""

    expires: float | None = None
    account_id: str | None = None
    residency: str | None = None
    fedramp: bool = False


def claims(token: Secret | None) -> Claims:
    """What a JWT says about itself, or an empty Claims for anything that is not one."""
    payload = jwt.payload(token)
    inner = payload.get(_AUTH_CLAIM)
    auth: Mapping[str, object] = inner if isinstance(inner, dict) else {}
    organizations = payload.get("organizations")
    first = organizations[0] if isinstance(organizations, list) and organizations else None
    ids = (
        payload.get("chatgpt_account_id"),
        auth.get("chatgpt_account_id"),
        first.get("id") if isinstance(first, dict) else None,
    )
    return Claims(
        expires=_date(payload.get("exp")),
        account_id=next((text for value in ids if (text := header_text(value))), None),
        residency=header_text(auth.get("chatgpt_compute_residency")),
        fedramp=auth.get("chatgpt_account_is_fedramp") is True,
    )


def ends_at(tokens: OAuthTokens) -> float | None:
    """When the access token ends, in seconds since 1970: its own word first, then the store's."""
    own = claims(tokens.access).expires
    if own is not None:
        return own
    if tokens.expires is not None:
        return tokens.expires
    return None if tokens.last_refresh is None else tokens.last_refresh + _UNDATED_LIFETIME


def is_stale(tokens: OAuthTokens, now: float) -> bool:
    """Whether to renew before the next request."""
    end = ends_at(tokens)
    return end is not None and end <= now + MARGIN


def account_of(tokens: OAuthTokens) -> str | None:
    """The account that a sign-in is for: the store's word first, then the tokens'."""
    return tokens.account_id or claims(tokens.id_token).account_id or claims(tokens.access).account_id


def codex_headers(tokens: OAuthTokens) -> dict[str, str | Secret]:
    """The headers with which the Codex backend knows the account."""
    headers: dict[str, str | Secret] = {"Authorization": Secret(f"Bearer {tokens.access.reveal()}")}
    identity, access = claims(tokens.id_token), claims(tokens.access)
    if account := account_of(tokens):
        headers["ChatGPT-Account-Id"] = account
    residency = access.residency or identity.residency
    if residency and residency != "no_constraint":
        headers["x-openai-internal-codex-residency"] = residency
    if access.fedramp or identity.fedramp:
        headers["X-OpenAI-Fedramp"] = "true"
    return headers


def refresh_request(base_url: str, refresh: Secret, client_id: str | None = None) -> Request:
    """Ask the token endpoint for new tokens. The body holds the refresh token: do not print it."""
    form = {
        "grant_type": "refresh_token",
        "refresh_token": refresh.reveal(),
        "client_id": client_id or CLIENT_ID,
    }
    return Request(
        method="POST",
        url=f"{base_url}/oauth/token",
        headers={**HEADERS, "Content-Type": "application/x-www-form-urlencoded"},
        body=urlencode(form).encode("ascii"),
    )


def judge_refresh(status: int, body: bytes) -> Granted | Refused:
    """Understand the token endpoint's reply. A 401 is for good, whatever else it says."""
    reply = judge(status, body, permanent=_PERMANENT)
    if isinstance(reply, Granted):
        return reply
    if reply.code == "refresh_token_reused":
        return replace(reply, reason="its refresh token was already used by another program")
    return replace(reply, permanent=reply.permanent or status == 401)


def renewed(old: OAuthTokens, reply: Granted, now: float) -> OAuthTokens:
    """The old tokens with everything new in their place."""
    access = reply.access or old.access
    end = claims(access).expires
    return OAuthTokens(
        access=access,
        refresh=reply.refresh or old.refresh,
        id_token=reply.id_token or old.id_token,
        account_id=old.account_id or claims(reply.id_token).account_id or claims(access).account_id,
        expires=end if end is not None else now + (reply.expires_in or DEFAULT_LIFETIME),
        last_refresh=now,
        client_id=old.client_id,
    )


def record_changes(name: str, tokens: OAuthTokens) -> Changes:
    """What a renewal changes in an OpenCode (or our own) store's `oauth` record."""
    values: dict[str, object] = {"access": tokens.access.reveal()}
    if tokens.refresh is not None:
        values["refresh"] = tokens.refresh.reveal()
    if tokens.expires is not None:
        values["expires"] = int(tokens.expires * 1000)
    if tokens.account_id is not None:
        values["accountId"] = tokens.account_id
    return {(name, field): value for field, value in values.items()}


def own_record(tokens: OAuthTokens) -> dict[str, object]:
    """A whole new record of our own store."""
    values = {field: value for (_, field), value in record_changes("", tokens).items()}
    return {"type": "oauth", **values} | ({"email": tokens.email} if tokens.email else {})


def codex_changes(tokens: OAuthTokens) -> Changes:
    """What a renewal changes in Codex's auth.json."""
    changes: dict[tuple[str, ...], object] = {("tokens", "access_token"): tokens.access.reveal()}
    if tokens.id_token is not None:
        changes[("tokens", "id_token")] = tokens.id_token.reveal()
    if tokens.refresh is not None:
        changes[("tokens", "refresh_token")] = tokens.refresh.reveal()
    moment = datetime.fromtimestamp(tokens.last_refresh or 0.0, UTC)
    changes[("last_refresh",)] = moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return changes


def _date(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e12:
        return None
    return float(value)


@dataclass(frozen=True, slots=True)
class OpenAIIssuer:
    """How a ChatGPT sign-in is kept fresh at the sign-in server of this address."""

    oauth_url: str
    label: str = "ChatGPT"
    missing: type[CredentialError] = MissingOpenAISession

    def ends_at(self, tokens: OAuthTokens) -> float | None:
        """When the access token ends."""
        return ends_at(tokens)

    def is_stale(self, tokens: OAuthTokens, now: float) -> bool:
        """Whether to renew before the next request."""
        return is_stale(tokens, now)

    def headers(self, tokens: OAuthTokens) -> dict[str, str | Secret]:
        """The headers of a request."""
        return codex_headers(tokens)

    def refresh_request(self, tokens: OAuthTokens, refresh: Secret) -> Request:
        """Ask for new tokens, as the client for which the old ones were made."""
        return refresh_request(self.oauth_url, refresh, tokens.client_id)

    def judge_refresh(self, status: int, body: bytes) -> Granted | Refused:
        """Understand the reply."""
        return judge_refresh(status, body)

    def renewed(self, old: OAuthTokens, reply: Granted, now: float) -> OAuthTokens:
        """The old tokens with everything new in their place."""
        return renewed(old, reply, now)
