"""Programs that sign in to Google Cloud by themselves: a service account's signed assertion for a token.

The assertion is checked as Google does it (RFC 7523), except for the signature: whose key it is, only Google
knows. An account whose address contains the word `invalid` is refused.
"""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode
from typing import Any

import msgspec

from groundwire.emulator.google.accounts import ACCESS_SECONDS, GoogleAccounts
from groundwire.emulator.google.errors import oauth_error
from groundwire.emulator.wire import Call, Reply, json_reply
from groundwire.emulator.world import World

GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
AUDIENCES = ("https://oauth2.googleapis.com/token", "https://www.googleapis.com/oauth2/v4/token")
LONGEST_SECONDS = 3600
CLOCK_SKEW_SECONDS = 300
_TIME_FRAME = (
    "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
    "Check your iat and exp values in the JWT claim."
)


def token_for_assertion(call: Call, world: World) -> Reply:
    """A token for a service account."""
    header, claims = _parts(call.form.get("assertion", ""))
    trouble = _trouble(header, claims, world)
    if trouble is not None:
        return oauth_error(*trouble)
    accounts = world.of(GoogleAccounts)
    access = world.next_id("ya29.c.emulator-service-account-")
    accounts.access_expiry[access] = world.clock() + ACCESS_SECONDS
    accounts.access_scope[access] = claims["scope"]
    return json_reply({"access_token": access, "expires_in": ACCESS_SECONDS, "token_type": "Bearer"})


def _trouble(header: dict[str, Any], claims: dict[str, Any], world: World) -> tuple[str, str] | None:
    if not header or not claims:
        return "invalid_grant", "Bad Request"
    if header.get("alg") != "RS256":
        return "invalid_grant", "Invalid JWT: Unsupported algorithm."
    account = claims.get("iss")
    if not isinstance(account, str) or "@" not in account or "invalid" in account:
        return "invalid_grant", "Invalid grant: account not found"
    if claims.get("aud") not in (*AUDIENCES, f"{world.base_url}/token"):
        return "invalid_grant", "Invalid JWT: Failed audience check."
    if not isinstance(claims.get("scope"), str) or not claims["scope"]:
        return "invalid_scope", "Empty or missing scope not allowed."
    begins, ends, now = claims.get("iat"), claims.get("exp"), world.clock()
    if type(begins) is not int or type(ends) is not int:
        return "invalid_grant", _TIME_FRAME
    in_time = begins - CLOCK_SKEW_SECONDS <= now < ends + CLOCK_SKEW_SECONDS
    if not in_time or not 0 < ends - begins <= LONGEST_SECONDS:
        return "invalid_grant", _TIME_FRAME
    return None


def _parts(assertion: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The header and the claims; empty when it is no signed token."""
    pieces = assertion.split(".")
    if len(pieces) != 3 or not all(pieces):
        return {}, {}
    try:
        header, claims = (
            msgspec.json.decode(urlsafe_b64decode(piece + "=" * (-len(piece) % 4))) for piece in pieces[:2]
        )
    except (binascii.Error, ValueError):
        return {}, {}
    return (header, claims) if isinstance(header, dict) and isinstance(claims, dict) else ({}, {})
