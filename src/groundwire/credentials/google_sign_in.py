"""A Google sign-in at work: an Authorizer with a fresh token, and the project that Code Assist runs in.

The project is found once for a sign-in (see `google_project`), by one caller at a time across tasks, threads
and processes, and kept with the sign-in in its store. When another one is asked for later, it is found anew.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from groundwire.credentials.google_project import find_project
from groundwire.credentials.lock import FileLock, Sleep, lock_path
from groundwire.credentials.records import OAuthTokens
from groundwire.credentials.stored_sign_in import StoredSignIn
from groundwire.errors import GroundwireError, TransportError
from groundwire.transport.auth import Auth, Headers
from groundwire.transport.base import Transport
from groundwire.transport.retry import Retry, RetryPolicy

PATIENCE = 180.0
"""How long to wait for another program that is finding the project, in seconds: onboarding takes time."""

POLICY = RetryPolicy(total=60.0)


class SignIn(Protocol):
    """What keeps the token: a StoredSignIn, or a FixedToken."""

    @property
    def tokens(self) -> OAuthTokens: ...

    async def headers(self) -> Headers: ...

    async def renew(self, refused: Headers) -> bool: ...


@dataclass(frozen=True, slots=True)
class Discovery:
    """What finding a project needs: the network, where Code Assist is, which project was asked for."""

    transport: Transport
    base_url: str
    asked: str | None
    state_dir: Path
    sleep: Sleep = asyncio.sleep


class GoogleSignIn:
    """A credential of Code Assist: `headers` and `renew` for the token, `project` for the project."""

    def __init__(self, sign_in: SignIn, discovery: Discovery) -> None:
        self._sign_in = sign_in
        self._discovery = discovery
        self._project: str | None = None
        self._attempts = 0
        self._failure: GroundwireError | None = None

    async def headers(self) -> Headers:
        """The headers of a token that lasts; renews first when it does not."""
        return await self._sign_in.headers()

    async def renew(self, refused: Headers) -> bool:
        """After a 401: a newer token, if there can be one."""
        return await self._sign_in.renew(refused)

    @property
    def tokens(self) -> OAuthTokens:
        """The sign-in as it is known now."""
        return self._sign_in.tokens

    async def project(self) -> str:
        """The project's id; a CodeAssistRefused says why there is none, and what to do."""
        known = self._known()
        if known is not None:
            return known
        attempts = self._attempts
        lock = FileLock(lock_path(self._discovery.state_dir, f"project of {self._name()}"))
        if not await lock.acquire(
            patience=PATIENCE, unless=lambda: self._known() is not None, sleep=self._discovery.sleep
        ):
            return self._known() or self._still_looking()
        try:
            # How it ended counts for everyone who waited: a crowd asks once.
            if self._attempts != attempts and self._failure is not None:
                raise type(self._failure)(self._failure.message, hint=self._failure.hint)
            return self._known() or await self._find()
        finally:
            lock.release()

    def _known(self) -> str | None:
        return self._project or _kept(self._sign_in.tokens, self._discovery.asked)

    async def _find(self) -> str:
        discovery = self._discovery
        signed = Retry(Auth(discovery.transport, self._sign_in), POLICY, sleep=discovery.sleep)
        self._failure = None
        try:
            if isinstance(self._sign_in, StoredSignIn):
                self._sign_in.reread()
            self._project = _kept(self._sign_in.tokens, discovery.asked)
            if self._project is None:
                found = await find_project(signed, discovery.base_url, discovery.asked, sleep=discovery.sleep)
                self._project = found.project
                await self._keep(found.project)
        except GroundwireError as error:
            self._failure = error
            raise
        finally:
            self._attempts += 1
        return self._project

    async def _keep(self, project: str) -> None:
        if isinstance(self._sign_in, StoredSignIn):
            await self._sign_in.note(_with(self._discovery.asked, project))

    def _name(self) -> str:
        if isinstance(self._sign_in, StoredSignIn):
            return self._sign_in.name
        return f"a given token, process {os.getpid()}, {id(self)}"

    def _still_looking(self) -> str:
        raise TransportError(
            f"Another program has been setting up Code Assist for more than {PATIENCE:.0f} seconds.",
            hint="Try again in a moment.",
        )


def _kept(tokens: OAuthTokens, asked: str | None) -> str | None:
    """The project that is kept with a sign-in, unless another one is asked for now."""
    if asked is None or asked in (tokens.asked_project, tokens.project):
        return tokens.project
    return None


def _with(asked: str | None, project: str) -> Callable[[OAuthTokens], OAuthTokens]:
    return lambda tokens: replace(tokens, asked_project=asked, project=project)
