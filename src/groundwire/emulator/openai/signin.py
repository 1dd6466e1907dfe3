"""What the emulated auth.openai.com remembers and decides: codes, refresh tokens, device requests.

Pure rules on plain values; `oauth` puts them behind HTTP. An authorization code works once,
for the redirect it was made for, with the verifier that matches its challenge. A refresh token works
once and brings its successor; a second use is refused, as it is by the real server, and so is every
token that was revoked. A refresh token of an earlier run (it starts with `rt_`) is accepted the first
time it is seen, so that a client survives a restart of the emulator.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from typing import Final, Literal

CODE_LIFETIME: Final = 600
DEVICE_LIFETIME: Final = 15 * 60
REFRESH_PREFIX: Final = "rt_"
DEVICE_CALLBACK: Final = "/deviceauth/callback"
"""The redirect of a device sign-in; its host is whatever address the client knows the issuer by."""

RefreshProblem = Literal["refresh_token_expired", "refresh_token_reused", "refresh_token_invalidated"]

REFRESH_MESSAGES: Final[dict[RefreshProblem, str]] = {
    "refresh_token_expired": "Your refresh token has expired. Please try signing in again.",
    "refresh_token_reused": (
        "Your refresh token has already been used to generate a new access token. "
        "Please try signing in again."
    ),
    "refresh_token_invalidated": "Your refresh token has been invalidated. Please try signing in again.",
}


@dataclass(frozen=True, slots=True)
class Grant:
    """An authorization code waiting to be exchanged."""

    client_id: str
    redirect_uri: str
    challenge: str
    expires_at: float


@dataclass(slots=True)
class DeviceRequest:
    """Somebody without a browser wants to sign in; `user_code` is typed in elsewhere."""

    device_auth_id: str
    user_code: str
    client_id: str
    expires_at: float
    approved: bool = False
    polls: int = 0


@dataclass
class SignIns:
    """The memory of one emulated sign-in server."""

    grants: dict[str, Grant] = field(default_factory=dict)
    used_codes: set[str] = field(default_factory=set)
    used_refresh_tokens: set[str] = field(default_factory=set)
    revoked: set[str] = field(default_factory=set)
    devices: dict[str, DeviceRequest] = field(default_factory=dict)

    def redeem(self, code: str, client_id: str, redirect_uri: str, verifier: str, now: float) -> str:
        """Use a code up; the answer is why it is refused, empty when it is good."""
        if code in self.used_codes:
            return "The authorization code has already been used."
        grant = self.grants.pop(code, None)
        if grant is None:
            return "The authorization code is unknown."
        self.used_codes.add(code)
        if grant.expires_at <= now:
            return "The authorization code has expired."
        if grant.client_id != client_id:
            return "The authorization code was issued to another client."
        from_device = grant.redirect_uri == DEVICE_CALLBACK and redirect_uri.endswith(DEVICE_CALLBACK)
        if grant.redirect_uri != redirect_uri and not from_device:
            return "redirect_uri differs from the one the code was issued for."
        if challenge_of(verifier) != grant.challenge:
            return "code_verifier does not match the code_challenge."
        return ""

    def rotate(self, refresh_token: str) -> RefreshProblem | None:
        """Use a refresh token up; the answer is why it is refused, None when it is good."""
        if refresh_token in self.revoked or not refresh_token.startswith(REFRESH_PREFIX):
            return "refresh_token_invalidated"
        if refresh_token in self.used_refresh_tokens:
            return "refresh_token_reused"
        self.used_refresh_tokens.add(refresh_token)
        return None

    def device_with(self, user_code: str) -> DeviceRequest | None:
        """The device request a person typed the code of; dashes, spaces and case do not matter."""
        wanted = plain_user_code(user_code)
        return next((one for one in self.devices.values() if plain_user_code(one.user_code) == wanted), None)


def plain_user_code(user_code: str) -> str:
    """A user code without what people add or leave out when they type it."""
    return "".join(character for character in user_code.upper() if character.isalnum())


def challenge_of(verifier: str) -> str:
    """The S256 challenge of a PKCE verifier."""
    digest = hashlib.sha256(verifier.encode("utf-8")).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")
