"""Google's sign-in as a Flow of `login`: which page, which code exchange, what becomes of the reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from groundwire.config import BaseUrls
from groundwire.credentials import google_oauth as oauth
from groundwire.credentials.base import Clock
from groundwire.credentials.pkce import Attempt
from groundwire.credentials.records import OAuthTokens
from groundwire.credentials.token_reply import Refused
from groundwire.errors import SignInFailed
from groundwire.transport.base import Transport

TERMS = (
    "Google's terms forbid using Gemini CLI's sign-in with other software: accounts have been suspended for "
    "it, and since 18 June 2026 individual accounts are refused. The ways that Google supports are an API "
    "key (groundwire login gemini) and Vertex AI; go on only with an OAuth client, or under a licence, that "
    "allows this."
)
"""What a person reads before the first sign-in, in two sentences."""

TERMS_LINK = "https://github.com/google-gemini/gemini-cli/blob/main/docs/resources/tos-privacy.md"
PASTE_BACK = "http://127.0.0.1:8085/oauth2callback"
"""Where a client of one's own redirects when the code is pasted: nobody listens there."""

_MAX_REPLY_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class GoogleFlow:
    """Signing in with one OAuth client."""

    client: oauth.Client
    urls: BaseUrls
    transport: Transport
    clock: Clock
    ports: Sequence[int] = (0,)
    company: str = "Google"
    callback_path: str = oauth.CALLBACK_PATH

    @property
    def code_page(self) -> str:
        """The redirect for pasting a code. Google's page that shows it is registered for one client only."""
        return oauth.CODE_PAGE if self.client.client_id == oauth.GEMINI_CLI_CLIENT_ID else PASTE_BACK

    def address(self, redirect_uri: str, attempt: Attempt) -> str:
        """The page where a person consents."""
        return oauth.authorization_url(
            self.urls.google_accounts, self.client.client_id, redirect_uri, attempt
        )

    async def exchange(self, code: str, redirect_uri: str, attempt: Attempt) -> OAuthTokens:
        """The sign-in for a code."""
        request = oauth.exchange_request(
            self.urls.google_oauth, self.client, code, redirect_uri, attempt.verifier
        )
        response = await self.transport.send(request)
        async with response:
            reply = oauth.judge_reply(response.status, await response.read(_MAX_REPLY_BYTES))
        if isinstance(reply, Refused):
            raise SignInFailed(f"Google did not take the code. {reply.reason}.")
        tokens = oauth.granted(reply, self.client, self.clock())
        if tokens is None:
            raise SignInFailed(
                "Google gave no refresh token.",
                hint="Remove its access at https://myaccount.google.com/connections, then sign in again.",
            )
        return tokens
