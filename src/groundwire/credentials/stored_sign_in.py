"""A stored sign-in kept fresh: one renewal at a time across tasks, threads and processes.

A refresh token may work only once. Two renewals with the same one end the sign-in for everybody who shares
the store, so this is the order of things, and no step is left out:

 1. A token in memory that lasts for another five minutes is used as it is.
 2. Take our lock for this store, and for Codex's store its `auth.lock` too.
 3. Read the store again. Another program may have renewed: adopt its token and stop here.
 4. Make sure that the store can be written.
 5. Ask for new tokens, write them to the store they came from, release the locks. This finishes even if
    the caller is cancelled, because a token that was spent and not written is a lost sign-in.
 6. Refused for good may mean that somebody without a lock was faster: read the store once more and adopt, or
    forget the sign-in and say how to sign in again.

When the server cannot be reached and the old token has not ended yet, the old token is used. A clock that is
wrong makes a new token look old: such a token is used until a server refuses it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from groundwire.credentials.base import Clock
from groundwire.credentials.lock import FileLock, Sleep
from groundwire.credentials.records import BadRecord, OAuthTokens
from groundwire.credentials.token_places import TokenPlace
from groundwire.credentials.token_reply import Granted, Refused
from groundwire.errors import CredentialError, SignInExpired, TransportError
from groundwire.secret import Secret
from groundwire.transport.auth import Headers
from groundwire.transport.base import Request, Transport

LOCK_PATIENCE = 60.0
"""How long to wait for another program's renewal, in seconds."""

_log = logging.getLogger(__name__)
_MAX_REPLY_BYTES = 256 * 1024
_READ_TRIES, _READ_PAUSE = 3, 0.05


class Issuer(Protocol):
    """What is particular to the sign-ins of one company. Nothing here touches the world."""

    @property
    def label(self) -> str:
        """The company's name for people: "ChatGPT"."""
        ...

    @property
    def missing(self) -> type[CredentialError]:
        """The error for "no sign-in"."""
        ...

    def ends_at(self, tokens: OAuthTokens) -> float | None:
        """When the access token ends, in seconds since 1970, if that is known."""
        ...

    def is_stale(self, tokens: OAuthTokens, now: float) -> bool:
        """Whether to renew before the next request."""
        ...

    def headers(self, tokens: OAuthTokens) -> Headers:
        """The headers of a request."""
        ...

    def refresh_request(self, tokens: OAuthTokens, refresh: Secret) -> Request:
        """Ask for new tokens; CredentialError when something else is missing for that."""
        ...

    def judge_refresh(self, status: int, body: bytes) -> Granted | Refused:
        """Understand the reply; CredentialError when it is not the sign-in that is wrong."""
        ...

    def renewed(self, old: OAuthTokens, reply: Granted, now: float) -> OAuthTokens:
        """The old tokens with everything new in their place."""
        ...


@dataclass(frozen=True, slots=True)
class FixedToken:
    """An access token somebody handed us: it is used until it is refused."""

    tokens: OAuthTokens
    issuer: Issuer

    async def headers(self) -> Headers:
        """The headers of this token."""
        return self.issuer.headers(self.tokens)

    async def renew(self, refused: Headers) -> bool:
        """Never: there is nothing to renew it with."""
        return False


class StoredSignIn:
    """An Authorizer over a stored sign-in that renews it when needed. Safe to share between threads."""

    def __init__(
        self,
        tokens: OAuthTokens,
        place: TokenPlace,
        issuer: Issuer,
        *,
        transport: Transport,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._tokens = tokens
        self._place = place
        self._issuer = issuer
        self._transport = transport
        self._clock = clock
        self._sleep = sleep
        self._finishing: set[asyncio.Task[None]] = set()
        self._attempts = 0
        self._failure: TransportError | CredentialError | None = None
        self._just_made: Secret | None = None

    @property
    def tokens(self) -> OAuthTokens:
        """The sign-in as it is known now."""
        return self._tokens

    @property
    def name(self) -> str:
        """Where it is kept; the same for everyone who shares it."""
        return str(self._place.locks[0])

    async def headers(self) -> Headers:
        """The headers of a token that lasts; renews first when it does not."""
        tokens = self._tokens
        if self._stale(tokens):
            await self._renew(tokens.access, refused=False)
        return self._issuer.headers(self._tokens)

    async def renew(self, refused: Headers) -> bool:
        """After a 401: adopt what another program stored, or renew."""
        header = refused.get("Authorization")
        bearer = header.reveal() if isinstance(header, Secret) else str(header)
        await self._renew(Secret(bearer.removeprefix("Bearer ")), refused=True)
        return self._issuer.headers(self._tokens).get("Authorization") != header

    async def note(self, change: Callable[[OAuthTokens], OAuthTokens]) -> None:
        """Keep something about the sign-in with it, under the locks of its store."""
        locks = await self._lock(unless=lambda: False)
        try:
            stored = self._place.load()
            self._tokens = change(stored or self._tokens)
            if stored is not None and self._place.store.path is not None:
                self._place.save(self._tokens)
        except BadRecord:
            self._tokens = change(self._tokens)
        finally:
            _release(locks)

    def reread(self) -> None:
        """Take over what others have noted about the sign-in in its store meanwhile."""
        try:
            stored = self._place.load()
        except BadRecord:
            return
        if stored is not None:
            self._tokens = replace(self._tokens, asked_project=stored.asked_project, project=stored.project)

    def _stale(self, tokens: OAuthTokens) -> bool:
        return tokens.access != self._just_made and self._issuer.is_stale(tokens, self._clock())

    async def _renew(self, spent: Secret, *, refused: bool) -> None:
        """Replace the access token `spent`, unless somebody has done so meanwhile."""
        attempts = self._attempts
        locks = await self._lock(unless=lambda: self._replaced(spent))
        if not locks:
            return
        # Without awaiting, so that a crowd of waiters passes in one go.
        if self._attempts != attempts or self._adopted(spent):
            _release(locks)
            if self._attempts != attempts and self._failure is not None:
                raise type(self._failure)(self._failure.message, hint=self._failure.hint)
            return
        task = asyncio.ensure_future(self._attempt(refused))

        def finished(task: asyncio.Task[None]) -> None:
            _release(locks)
            self._finishing.discard(task)
            if not task.cancelled():
                task.exception()  # look at it: when the caller was cancelled nobody else will

        self._finishing.add(task)
        task.add_done_callback(finished)
        await asyncio.shield(task)

    async def _lock(self, unless: Callable[[], bool]) -> list[FileLock]:
        """Step 2. No locks: they were not needed any more, as `unless` told."""
        taken: list[FileLock] = []
        try:
            for path in self._place.locks:
                if unless():
                    break
                lock = FileLock(path)
                if await lock.acquire(patience=LOCK_PATIENCE, unless=unless, sleep=self._sleep):
                    taken.append(lock)
                elif not unless():
                    raise TransportError(
                        f"Another program has been renewing the sign-in in {self._place.store.where} "
                        f"for more than {LOCK_PATIENCE:.0f} seconds.",
                        hint="Try again in a moment.",
                    )
            else:
                return taken
        except BaseException:
            _release(taken)
            raise
        _release(taken)
        return []

    def _replaced(self, spent: Secret) -> bool:
        return self._tokens.access != spent and not self._stale(self._tokens)

    def _adopted(self, spent: Secret) -> bool:
        """Step 3: whether the store has a token that somebody renewed; then it is ours now."""
        try:
            stored = self._place.load()
        except BadRecord:
            return False
        if stored is None or stored.access == spent or self._stale(stored):
            return False
        self._tokens = stored
        return True

    async def _attempt(self, refused: bool) -> None:
        """Steps 4 to 6, under the locks. How it ends counts for everyone who is waiting here, too: a crowd
        does not ask a server that is down, or that refused for good, once each."""
        self._failure = None
        try:
            stored = await self._stored()
            try:
                self._tokens = await self._renewed(stored)
            except (TransportError, CredentialError):
                if refused or (self._issuer.ends_at(stored) or 0.0) <= self._clock():
                    raise
                self._tokens = stored
        except (TransportError, CredentialError) as error:
            self._failure = error
            self._attempts += 1
            raise
        self._attempts += 1

    async def _renewed(self, stored: OAuthTokens) -> OAuthTokens:
        """New tokens in place of the stored ones, written back; or those that somebody else wrote."""
        reply = await self._exchange(stored)
        if isinstance(reply, Refused):
            return await self._after_refusal(stored, reply)
        now = self._clock()
        tokens = self._issuer.renewed(stored, reply, now)
        self._just_made = tokens.access if self._issuer.is_stale(tokens, now) else None
        try:
            self._place.save(tokens)
        except CredentialError as error:
            # The new token works for this process, so the work goes on; the store's copy is spent.
            _log.warning("%s Sign in again with: %s", error.message, self._place.sign_in_again)
        return tokens

    async def _stored(self) -> OAuthTokens:
        """The sign-in as the store holds it now. OpenCode writes in place, so a half-written file is
        read again before it counts as broken."""
        place = self._place
        for _ in range(_READ_TRIES):
            try:
                stored = place.load()
            except BadRecord as error:
                raise CredentialError(f"{place.store.where}: {error}.", hint=self._hint()) from None
            if stored is not None:
                return stored
            await self._sleep(_READ_PAUSE)
        raise self._issuer.missing(f"The sign-in is no longer in {place.store.where}.", hint=self._hint())

    async def _exchange(self, stored: OAuthTokens) -> Granted | Refused:
        """Steps 4 and 5: spend the refresh token. Gives Refused only for one that is refused for good."""
        place = self._place
        if place.store.path is None:
            raise SignInExpired(
                f"The access token in {place.store.where} has ended, and a renewed one cannot be written "
                "back there.",
                hint=f"Unset it, or sign in again with: {place.sign_in_again}",
            )
        if stored.refresh is None:
            raise SignInExpired(
                f"The sign-in in {place.store.where} has ended and holds no refresh token.", hint=self._hint()
            )
        request = self._issuer.refresh_request(stored, stored.refresh)
        place.store.prove_writable()
        try:
            response = await self._transport.send(request)
            async with response:
                reply = self._issuer.judge_refresh(response.status, await response.read(_MAX_REPLY_BYTES))
        except TransportError as error:
            raise self._not_now(error.message) from error
        if isinstance(reply, Refused) and not reply.permanent:
            raise self._not_now(f"Its server: {reply.reason}.")
        return reply

    async def _after_refusal(self, spent: OAuthTokens, refusal: Refused) -> OAuthTokens:
        """Step 6: whoever spent the token has written the new one, or nobody has it."""
        stored = await self._stored()
        if stored.access != spent.access:
            return stored
        try:
            self._place.forget(stored)
        except CredentialError as error:
            _log.warning("%s", error.message)
        raise self._ended(refusal.reason)

    def _ended(self, reason: str) -> SignInExpired:
        where = self._place.store.where
        return SignInExpired(
            f"The {self._issuer.label} sign-in in {where} has ended: {reason}.", hint=self._hint()
        )

    def _hint(self) -> str:
        return f"Sign in again with: {self._place.sign_in_again}"

    def _not_now(self, reason: str) -> TransportError:
        return TransportError(
            f"The {self._issuer.label} sign-in could not be renewed now. {reason}",
            hint="The sign-in itself is kept: try again in a moment.",
        )


def _release(locks: Sequence[FileLock]) -> None:
    for lock in locks:
        lock.release()
