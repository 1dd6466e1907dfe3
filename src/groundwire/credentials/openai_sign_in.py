"""Beginning and ending a ChatGPT sign-in as plain functions: the page, the code exchange, the device code.

Nothing here touches a disk, a clock, randomness or the network. Renewing is in `openai_oauth`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

import msgspec

from groundwire.credentials import jwt
from groundwire.credentials.openai_oauth import CLIENT_ID, HEADERS, claims
from groundwire.credentials.pkce import Attempt
from groundwire.credentials.records import OAuthTokens, header_text
from groundwire.credentials.token_reply import DEFAULT_LIFETIME, Granted, Refused, json_object
from groundwire.secret import Secret
from groundwire.transport.base import Request

CALLBACK_PATH = "/auth/callback"
CALLBACK_PORTS = (1455, 1457)
"""The ports for which Codex's client has redirects."""

SCOPE = "openid profile email offline_access"
_PENDING = (403, 404)
_LONGEST_INTERVAL = 60.0


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """A sign-in that waits for `user_code` to be typed; it is asked about every `interval` seconds."""

    device_auth_id: str = field(repr=False)
    user_code: str
    interval: float


@dataclass(frozen=True, slots=True)
class DeviceGrant:
    """A code with the verifier that the server chose for it."""

    code: str = field(repr=False)
    verifier: str = field(repr=False)


def authorization_url(oauth_url: str, redirect_uri: str, attempt: Attempt) -> str:
    """The page where a person consents, asked for as Codex does, under our own name."""
    query = {
        "response_type": "code",
        "client_id": CLIENT_ID,
        "redirect_uri": redirect_uri,
        "scope": SCOPE,
        "code_challenge": attempt.challenge,
        "code_challenge_method": "S256",
        "state": attempt.state,
        "id_token_add_organizations": "true",
        "codex_cli_simplified_flow": "true",
        "originator": "groundwire",
    }
    return f"{oauth_url}/oauth/authorize?{urlencode(query)}"


def exchange_request(oauth_url: str, code: str, redirect_uri: str, verifier: str) -> Request:
    """Trade a code for tokens."""
    form = {
        "grant_type": "authorization_code",
        "client_id": CLIENT_ID,
        "code": code,
        "redirect_uri": redirect_uri,
        "code_verifier": verifier,
    }
    headers = {**HEADERS, "Content-Type": "application/x-www-form-urlencoded"}
    return Request("POST", f"{oauth_url}/oauth/token", headers, urlencode(form).encode("ascii"))


def granted(reply: Granted, now: float) -> OAuthTokens | None:
    """A new sign-in from the reply to a code; None when it cannot be renewed later."""
    if reply.access is None or reply.refresh is None:
        return None
    identity, access = claims(reply.id_token), claims(reply.access)
    return OAuthTokens(
        access=reply.access,
        refresh=reply.refresh,
        id_token=reply.id_token,
        account_id=identity.account_id or access.account_id,
        expires=access.expires or now + (reply.expires_in or DEFAULT_LIFETIME),
        last_refresh=now,
        client_id=CLIENT_ID,
        email=email_of(reply.id_token) or email_of(reply.access),
    )


def email_of(token: Secret | None) -> str | None:
    """Whose token it is, as it says itself."""
    claimed = jwt.payload(token)
    profile = claimed.get("https://api.openai.com/profile")
    inner = profile.get("email") if isinstance(profile, dict) else None
    return header_text(claimed.get("email")) or header_text(inner)


def plan_of(token: Secret | None) -> str | None:
    """The ChatGPT plan that a token names: plus, pro, team…"""
    auth = jwt.payload(token).get("https://api.openai.com/auth")
    return header_text(auth.get("chatgpt_plan_type")) if isinstance(auth, dict) else None


def device_request(oauth_url: str) -> Request:
    """Begin a sign-in without a browser."""
    return _json_request(f"{oauth_url}/api/accounts/deviceauth/usercode", {"client_id": CLIENT_ID})


def judge_device(status: int, body: bytes) -> DeviceCode | Refused:
    """The code to show, or why there is none: a 404 says that the account has it turned off."""
    fields = json_object(body)
    device, user = header_text(fields.get("device_auth_id")), fields.get("user_code", fields.get("usercode"))
    shown = header_text(user)
    if status == 404:
        return Refused("device code sign-in is not enabled", permanent=True)
    if status != 200 or device is None or shown is None:
        return Refused(f"HTTP {status}", permanent=False)
    return DeviceCode(device, shown, _interval(fields.get("interval")))


def device_poll_request(oauth_url: str, code: DeviceCode) -> Request:
    """Ask whether the code was typed."""
    body = {"device_auth_id": code.device_auth_id, "user_code": code.user_code}
    return _json_request(f"{oauth_url}/api/accounts/deviceauth/token", body)


def judge_device_poll(status: int, body: bytes) -> DeviceGrant | Refused | None:
    """The grant, the end of the sign-in, or None: not yet."""
    if status in _PENDING:
        return None
    fields = json_object(body)
    code, verifier = header_text(fields.get("authorization_code")), header_text(fields.get("code_verifier"))
    if status != 200 or code is None or verifier is None:
        return Refused(f"HTTP {status}: it was declined, or the code is too old", permanent=True)
    return DeviceGrant(code, verifier)


def revoke_request(oauth_url: str, refresh: Secret) -> Request:
    """End a sign-in at the server."""
    body = {"token": refresh.reveal(), "token_type_hint": "refresh_token", "client_id": CLIENT_ID}
    return _json_request(f"{oauth_url}/oauth/revoke", body)


def _interval(value: object) -> float:
    """Seconds between two questions; the real server sends a text."""
    try:
        return min(max(float(str(value)), 0.0), _LONGEST_INTERVAL)
    except ValueError:
        return 5.0


def _json_request(url: str, body: Mapping[str, str]) -> Request:
    headers = {**HEADERS, "Content-Type": "application/json"}
    return Request("POST", url, headers, msgspec.json.encode(body))
