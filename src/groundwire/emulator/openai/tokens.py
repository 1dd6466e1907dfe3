"""The JWTs of an emulated ChatGPT account: made with the claims Codex reads, and read back.

Tokens are signed with a fixed, public test key, so they look right and prove nothing. When a request
brings one, only its shape and its expiry count: people may bring tokens they made themselves.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from groundwire.emulator.wire import to_json

AUTH_CLAIM: Final = "https://api.openai.com/auth"
PROFILE_CLAIM: Final = "https://api.openai.com/profile"
LIFETIME: Final = 10 * 24 * 3600
"""Seconds an access token lives; ChatGPT's last ten days."""

_TEST_KEY: Final = b"groundwire emulator: not a secret"


@dataclass(frozen=True, slots=True)
class Account:
    """The person who is signed in."""

    account_id: str = "acct-emulator-0001"
    user_id: str = "user-emulator-0001"
    email: str = "ada@example.com"
    plan: str = "plus"


@dataclass(frozen=True, slots=True)
class AccessClaims:
    """What the backend wants to know from a bearer token."""

    account_id: str | None
    expires_at: float | None


def id_token(account: Account, issuer: str, client_id: str, now: float, lifetime: int = 3600) -> str:
    """An OpenID token: who signed in, on which plan."""
    return sign({"aud": [client_id], "email": account.email, **_claims(account, issuer, now, lifetime)})


def access_token(
    account: Account, issuer: str, now: float, lifetime: int = LIFETIME, *, serial: int = 0
) -> str:
    """A bearer token for the Codex backend; `serial` tells apart two that were issued in one second."""
    audience = {"aud": ["https://api.openai.com/v1"], "scp": ["openid", "profile", "email", "offline_access"]}
    return sign({**audience, **_claims(account, issuer, now, lifetime), "jti": f"token-{serial}"})


def sign(payload: dict[str, Any]) -> str:
    """A JWT with this payload: base64url without padding, as all of them are."""
    head = _pack(to_json({"alg": "HS256", "typ": "JWT"}))
    body = _pack(to_json(payload))
    signature = hmac.new(_TEST_KEY, f"{head}.{body}".encode(), hashlib.sha256).digest()
    return f"{head}.{body}.{_pack(signature)}"


def read_claims(token: str) -> AccessClaims | None:
    """The claims of a bearer token, or None when it is no JWT."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    try:
        payload = msgspec.json.decode(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (ValueError, msgspec.DecodeError):
        return None
    if not isinstance(payload, dict):
        return None
    auth = payload.get(AUTH_CLAIM)
    account = auth.get("chatgpt_account_id") if isinstance(auth, dict) else payload.get("chatgpt_account_id")
    expires = payload.get("exp")
    return AccessClaims(
        account if isinstance(account, str) else None,
        float(expires) if isinstance(expires, (int, float)) else None,
    )


def _claims(account: Account, issuer: str, now: float, lifetime: int) -> dict[str, Any]:
    return {
        "iss": issuer,
        "sub": f"auth0|{account.user_id}",
        "iat": int(now),
        "exp": int(now) + lifetime,
        AUTH_CLAIM: {
            "chatgpt_account_id": account.account_id,
            "chatgpt_plan_type": account.plan,
            "chatgpt_user_id": account.user_id,
            "user_id": account.user_id,
        },
        PROFILE_CLAIM: {"email": account.email, "email_verified": True},
    }


def _pack(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
