"""Google's sign-in as plain functions: the address to open, the requests for tokens, the judging of replies.

Nothing here touches a disk, a clock, randomness or the network. `GoogleIssuer` is these functions in the form
that `stored_sign_in` keeps a sign-in fresh with.

The client id is the public one of Gemini CLI and can be replaced. Its secret is not here and comes from the
configuration or from a Gemini CLI installed on this machine (see `google_client`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode

from groundwire.credentials import jwt
from groundwire.credentials.pkce import Attempt
from groundwire.credentials.records import OAuthTokens, header_text
from groundwire.credentials.token_reply import DEFAULT_LIFETIME, Granted, Refused, json_object, judge
from groundwire.errors import BadGoogleClient, CredentialError, MissingGoogleSignIn
from groundwire.secret import Secret
from groundwire.transport.base import Request
from groundwire.version import __version__

GEMINI_CLI_CLIENT_ID = "681255809395-oo8ft2oprdrnp9e3aqf6av3hmdib135j.apps.googleusercontent.com"
"""The public client id of Gemini CLI, for which Code Assist sign-ins are made."""

SCOPES = (
    "https://www.googleapis.com/auth/cloud-platform",
    "https://www.googleapis.com/auth/userinfo.email",
    "https://www.googleapis.com/auth/userinfo.profile",
)
CALLBACK_PATH = "/oauth2callback"
CODE_PAGE = "https://codeassist.google.com/authcode"
"""Where Google shows the code to copy; registered for Gemini CLI's client only."""

MARGIN = 5 * 60.0
"""A token is renewed when it has less than this many seconds left, as google-auth-library does."""

_PERMANENT = ("invalid_grant",)
_WRONG_CLIENT = ("invalid_client", "unauthorized_client", "deleted_client", "disabled_client")


@dataclass(frozen=True, slots=True)
class Client:
    """An OAuth client: who asks a person to sign in. `where` says where its secret was found."""

    client_id: str
    secret: Secret
    where: str = ""


def authorization_url(accounts_url: str, client_id: str, redirect_uri: str, attempt: Attempt) -> str:
    """The address where a person consents. `prompt=consent`: without it a second sign-in brings no refresh
    token."""
    query = {
        "client_id": client_id,
        "redirect_uri": redirect_uri,
        "response_type": "code",
        "scope": " ".join(SCOPES),
        "access_type": "offline",
        "prompt": "consent",
        "state": attempt.state,
        "code_challenge": attempt.challenge,
        "code_challenge_method": "S256",
    }
    return f"{accounts_url}/o/oauth2/v2/auth?{urlencode(query)}"


def exchange_request(oauth_url: str, client: Client, code: str, redirect_uri: str, verifier: str) -> Request:
    """Trade the code for tokens. The body holds secrets: do not print it."""
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": redirect_uri,
        "code_verifier": verifier,
    }
    return _token_request(oauth_url, client, form)


def refresh_request(oauth_url: str, client: Client, refresh: Secret) -> Request:
    """Ask for a new access token. The body holds secrets: do not print it."""
    return _token_request(
        oauth_url, client, {"grant_type": "refresh_token", "refresh_token": refresh.reveal()}
    )


def _token_request(oauth_url: str, client: Client, form: dict[str, str]) -> Request:
    body = {**form, "client_id": client.client_id, "client_secret": client.secret.reveal()}
    return _form_request(f"{oauth_url}/token", body)


def revoke_request(oauth_url: str, token: Secret) -> Request:
    """End a sign-in at the server."""
    return _form_request(f"{oauth_url}/revoke", {"token": token.reveal()})


def token_info_request(oauth_url: str) -> Request:
    """Ask whose token it is; the credential's own header is added when it is sent."""
    return _form_request(f"{oauth_url}/tokeninfo", {})


def email_in(status: int, body: bytes) -> str | None:
    """The address in the answer to `token_info_request`."""
    return header_text(json_object(body).get("email")) if status == 200 else None


def judge_reply(status: int, body: bytes) -> Granted | Refused:
    """Understand the token endpoint's reply; BadGoogleClient when not the sign-in but the client is wrong."""
    reply = judge(status, body, permanent=_PERMANENT)
    if isinstance(reply, Refused):
        words = header_text(json_object(body).get("error_description")) or reply.reason
        if reply.code in _WRONG_CLIENT or "client_secret" in words:
            raise BadGoogleClient(f"Google refused the OAuth client: {words.rstrip('.')} ({reply.code}).")
        if reply.permanent:
            return Refused(f"Google says: {words.rstrip('.')} (invalid_grant)", True, reply.code)
    return reply


def granted(reply: Granted, client: Client, now: float) -> OAuthTokens | None:
    """A new sign-in from the reply to a code; None when it cannot be renewed later."""
    if reply.access is None or reply.refresh is None:
        return None
    return OAuthTokens(
        access=reply.access,
        refresh=reply.refresh,
        id_token=reply.id_token,
        expires=now + (reply.expires_in or DEFAULT_LIFETIME),
        last_refresh=now,
        client_id=client.client_id,
        client_secret=client.secret,
        email=email_of(reply.id_token),
    )


def email_of(id_token: Secret | None) -> str | None:
    """Whose sign-in it is, as its identity token says."""
    return header_text(jwt.payload(id_token).get("email"))


def _form_request(url: str, form: dict[str, str]) -> Request:
    return Request(
        method="POST",
        url=url,
        headers={
            "Content-Type": "application/x-www-form-urlencoded",
            "Accept": "application/json",
            "User-Agent": f"groundwire/{__version__}",
        },
        body=urlencode(form).encode("ascii"),
    )


@dataclass(frozen=True, slots=True)
class GoogleIssuer:
    """How a Google sign-in is kept fresh: at which address, and with which client for which sign-in."""

    oauth_url: str
    client_for: Callable[[OAuthTokens], Client]
    label: str = "Google"
    missing: type[CredentialError] = MissingGoogleSignIn

    def ends_at(self, tokens: OAuthTokens) -> float | None:
        """When the access token ends; Google's tokens do not say it themselves."""
        return tokens.expires

    def is_stale(self, tokens: OAuthTokens, now: float) -> bool:
        """Whether to renew before the next request."""
        return tokens.expires is not None and tokens.expires <= now + MARGIN

    def headers(self, tokens: OAuthTokens) -> dict[str, str | Secret]:
        """The one header."""
        return {"Authorization": Secret(f"Bearer {tokens.access.reveal()}")}

    def refresh_request(self, tokens: OAuthTokens, refresh: Secret) -> Request:
        """Ask for new tokens, as the client for which the sign-in was made."""
        return refresh_request(self.oauth_url, self.client_for(tokens), refresh)

    def judge_refresh(self, status: int, body: bytes) -> Granted | Refused:
        """Understand the reply."""
        return judge_reply(status, body)

    def renewed(self, old: OAuthTokens, reply: Granted, now: float) -> OAuthTokens:
        """The old sign-in with what is new in its place; Google rarely sends a new refresh token."""
        return OAuthTokens(
            access=reply.access or old.access,
            refresh=reply.refresh or old.refresh,
            id_token=reply.id_token or old.id_token,
            expires=now + (reply.expires_in or DEFAULT_LIFETIME),
            last_refresh=now,
            client_id=old.client_id,
            client_secret=old.client_secret,
            email=old.email or email_of(reply.id_token),
            asked_project=old.asked_project,
            project=old.project,
        )
