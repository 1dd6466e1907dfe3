"""OpenAI's sign-in with ChatGPT: by browser as a Flow of `login`, and by device code when there is none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from groundwire.credentials import openai_sign_in as oauth
from groundwire.credentials.base import Clock
from groundwire.credentials.lock import Sleep
from groundwire.credentials.login import Person
from groundwire.credentials.openai_oauth import judge_refresh
from groundwire.credentials.pkce import Attempt
from groundwire.credentials.records import OAuthTokens
from groundwire.credentials.token_reply import Refused
from groundwire.errors import SignInFailed
from groundwire.transport.base import Request, Transport

DEVICE_PATIENCE = 15 * 60.0
"""How long a device code is good for, in seconds."""

_MAX_REPLY_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class OpenAIFlow:
    """Signing in as Codex's public client, whose redirects are registered for two ports."""

    oauth_url: str
    transport: Transport
    clock: Clock
    ports: Sequence[int] = oauth.CALLBACK_PORTS
    company: str = "ChatGPT"
    callback_path: str = oauth.CALLBACK_PATH

    def address(self, redirect_uri: str, attempt: Attempt) -> str:
        """The page where a person consents."""
        return oauth.authorization_url(self.oauth_url, redirect_uri, attempt)

    async def exchange(self, code: str, redirect_uri: str, attempt: Attempt) -> OAuthTokens:
        """The sign-in for a code."""
        return await self._exchange(code, redirect_uri, attempt.verifier)

    async def by_device(self, person: Person, *, sleep: Sleep = asyncio.sleep) -> OAuthTokens:
        """Show a code that the person types on a page, on any machine, and wait until they have."""
        begun = oauth.judge_device(*await self._send(oauth.device_request(self.oauth_url)))
        if isinstance(begun, Refused):
            raise SignInFailed(
                f"OpenAI did not give a device code: {begun.reason}.",
                hint="Turn it on in the security settings of ChatGPT, or sign in with a browser: "
                "groundwire login openai --browser",
            )
        page = f"{self.oauth_url}/codex/device"
        person.say(f"Open {page} in any browser, sign in, and type this code:\n\n    {begun.user_code}\n")
        person.say("Never give this code to anybody. Waiting…")
        poll = oauth.device_poll_request(self.oauth_url, begun)
        waited = 0.0
        while waited <= DEVICE_PATIENCE:
            answer = oauth.judge_device_poll(*await self._send(poll))
            if isinstance(answer, Refused):
                raise SignInFailed(f"OpenAI ended the sign-in: {answer.reason}.")
            if answer is not None:
                redirect_uri = f"{self.oauth_url}/deviceauth/callback"
                return await self._exchange(answer.code, redirect_uri, answer.verifier)
            await sleep(begun.interval)
            waited += max(begun.interval, 1.0)
        raise SignInFailed(f"Nobody typed the code within {DEVICE_PATIENCE / 60:.0f} minutes.")

    async def _exchange(self, code: str, redirect_uri: str, verifier: str) -> OAuthTokens:
        request = oauth.exchange_request(self.oauth_url, code, redirect_uri, verifier)
        reply = judge_refresh(*await self._send(request))
        if isinstance(reply, Refused):
            raise SignInFailed(f"OpenAI did not take the code: {reply.reason}.")
        tokens = oauth.granted(reply, self.clock())
        if tokens is None:
            raise SignInFailed("OpenAI gave no refresh token.")
        return tokens

    async def _send(self, request: Request) -> tuple[int, bytes]:
        response = await self.transport.send(request)
        async with response:
            return response.status, await response.read(_MAX_REPLY_BYTES)
