"""The memory of Google sign-in: codes given out, access and refresh tokens, who they belong to.

Codes work once. Access tokens expire by the emulator's clock. A token this emulator did not give out
is taken as valid when it looks like Google's (`ya29.` for access, `1//` for refresh), so that a client
can be started with credentials of one's own invention; one that contains the word `invalid` or
`expired` is not.
"""

from __future__ import annotations

from dataclasses import dataclass, field

EMAIL = "person@example.com"
SUBJECT = "100000000000000000001"
ACCESS_SECONDS = 3599
CODE_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Grant:
    """What a code stands for until it is exchanged."""

    client_id: str
    redirect_uri: str
    scope: str
    challenge: str
    challenge_method: str
    expires: float
    offline: bool
    """Whether a refresh token was asked for."""


@dataclass(slots=True)
class GoogleAccounts:
    """Every code and token of one emulator."""

    codes: dict[str, Grant] = field(default_factory=dict)
    spent_codes: set[str] = field(default_factory=set)
    used_states: set[str] = field(default_factory=set)
    access_expiry: dict[str, float] = field(default_factory=dict)
    access_scope: dict[str, str] = field(default_factory=dict)
    refresh_scope: dict[str, str] = field(default_factory=dict)
    refresh_client: dict[str, str] = field(default_factory=dict)
    revoked: set[str] = field(default_factory=set)

    def knows_access(self, token: str, now: float) -> bool:
        """Whether the access token is good at this time."""
        if token in self.revoked:
            return False
        if token in self.access_expiry:
            return now < self.access_expiry[token]
        return token.startswith("ya29.") and not _looks_bad(token)

    def knows_refresh(self, token: str) -> bool:
        """Whether the refresh token is good."""
        if token in self.revoked:
            return False
        return token in self.refresh_scope or (token.startswith("1//") and not _looks_bad(token))

    def revoke(self, token: str) -> None:
        """Make a token of either kind worthless."""
        self.revoked.add(token)


def _looks_bad(token: str) -> bool:
    return "invalid" in token or "expired" in token
