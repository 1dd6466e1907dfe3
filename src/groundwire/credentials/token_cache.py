"""A ChatGPT sign-in kept fresh: one renewal at a time across tasks, threads and processes.

A refresh token works once. Two renewals with the same one end the sign-in for everybody who shares the
store, so this is the order of things, and no step is left out:

 1. A token in memory that lasts for another five minutes is used as it is.
 2. Take our lock for this store, and for Codex's store its `auth.lock` too.
 3. Read the store again. Another program may have renewed: adopt its token and stop here.
 4. Make sure that the store can be written.
 5. Ask for new tokens, write them to the store they came from, release the locks. This finishes even if
    the caller is cancelled, because a token that was spent and not written is a lost sign-in.
 6. "Already used" means that somebody without a lock was faster: read the store once more, adopt, or give up.

When the server cannot be reached and the old token has not ended yet, the old token is used.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from groundwire.credentials import openai_oauth as oauth
from groundwire.credentials.base import Clock
from groundwire.credentials.lock import FileLock, Sleep, lock_path
from groundwire.credentials.records import BadRecord, OAuthTokens, codex_tokens, oauth_record
from groundwire.credentials.store import FileStore, Store
from groundwire.errors import CredentialError, MissingOpenAISession, SignInExpired, TransportError
from groundwire.secret import Secret
from groundwire.transport.auth import Headers
from groundwire.transport.base import Transport

LOCK_PATIENCE = 60.0
"""How long to wait for another program's renewal, in seconds."""

_log = logging.getLogger(__name__)
_MAX_REPLY_BYTES = 256 * 1024
_READ_TRIES, _READ_PAUSE = 3, 0.05


@dataclass(frozen=True, slots=True)
class TokenPlace:
    """Where in a store a sign-in is kept, how it is read and written there, and who else locks it."""

    store: Store
    load: Callable[[], OAuthTokens | None]
    save: Callable[[OAuthTokens], None]
    locks: Sequence[Path]
    sign_in_again: str


def record_place(store: Store, name: str, state_dir: Path, sign_in_again: str) -> TokenPlace:
    """A sign-in in an `oauth` record of OpenCode's or our own store."""

    def load() -> OAuthTokens | None:
        return oauth_record(store.read().document, name)

    def save(tokens: OAuthTokens) -> None:
        if isinstance(store, FileStore):
            store.put(oauth.record_changes(name, tokens))

    return TokenPlace(store, load, save, [_own_lock(store, state_dir)], sign_in_again)


def codex_place(store: FileStore, state_dir: Path, sign_in_again: str) -> TokenPlace:
    """The sign-in in Codex's auth.json. Codex holds `auth.lock` beside it while writing."""

    def load() -> OAuthTokens | None:
        return codex_tokens(store.read().document)

    def save(tokens: OAuthTokens) -> None:
        store.put(oauth.codex_changes(tokens))

    locks = [_own_lock(store, state_dir), store.path.parent / "auth.lock"]
    return TokenPlace(store, load, save, locks, sign_in_again)


def _own_lock(store: Store, state_dir: Path) -> Path:
    return lock_path(state_dir, os.path.realpath(store.path) if isinstance(store, FileStore) else store.label)


@dataclass(frozen=True, slots=True)
class FixedToken:
    """An access token somebody handed us: it is used until it is refused."""

    tokens: OAuthTokens

    async def headers(self) -> Headers:
        """The headers of this token."""
        return oauth.codex_headers(self.tokens)

    async def renew(self, refused: Headers) -> bool:
        """Never: there is nothing to renew it with."""
        return False


class OpenAISession:
    """An Authorizer over a stored sign-in that renews it when needed. Safe to share between threads."""

    def __init__(
        self,
        tokens: OAuthTokens,
        place: TokenPlace,
        *,
        transport: Transport,
        oauth_url: str,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._tokens = tokens
        self._place = place
        self._transport = transport
        self._oauth_url = oauth_url
        self._clock = clock
        self._sleep = sleep
        self._finishing: set[asyncio.Task[None]] = set()
        self._attempts = 0
        self._failure: TransportError | CredentialError | None = None

    async def headers(self) -> Headers:
        """The headers of a token that lasts; renews first when it does not."""
        tokens = self._tokens
        if oauth.is_stale(tokens, self._clock()):
            await self._renew(tokens.access, refused=False)
        return oauth.codex_headers(self._tokens)

    async def renew(self, refused: Headers) -> bool:
        """After a 401: adopt what another program stored, or renew."""
        header = refused.get("Authorization")
        bearer = header.reveal() if isinstance(header, Secret) else str(header)
        await self._renew(Secret(bearer.removeprefix("Bearer ")), refused=True)
        return oauth.codex_headers(self._tokens).get("Authorization") != header

    async def _renew(self, spent: Secret, *, refused: bool) -> None:
        """Replace the access token `spent`, unless somebody has done so meanwhile."""
        attempts = self._attempts
        locks = await self._lock(spent)
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

    async def _lock(self, spent: Secret) -> list[FileLock]:
        """Step 2. No locks: the token was replaced while we waited for them."""
        taken: list[FileLock] = []
        try:
            for path in self._place.locks:
                if self._replaced(spent):
                    break
                lock = FileLock(path)
                if await lock.acquire(
                    patience=LOCK_PATIENCE, unless=lambda: self._replaced(spent), sleep=self._sleep
                ):
                    taken.append(lock)
                elif not self._replaced(spent):
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
        return self._tokens.access != spent and not oauth.is_stale(self._tokens, self._clock())

    def _adopted(self, spent: Secret) -> bool:
        """Step 3: whether the store has a token that somebody renewed; then it is ours now."""
        try:
            stored = self._place.load()
        except BadRecord:
            return False
        if stored is None or stored.access == spent or oauth.is_stale(stored, self._clock()):
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
                if refused or (oauth.ends_at(stored) or 0.0) <= self._clock():
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
        if isinstance(reply, oauth.Refused):
            return await self._after_reuse(stored)
        tokens = oauth.renewed(stored, reply, self._clock())
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
        raise MissingOpenAISession(f"The sign-in is no longer in {place.store.where}.", hint=self._hint())

    async def _exchange(self, stored: OAuthTokens) -> oauth.Refreshed | oauth.Refused:
        """Steps 4 and 5: spend the refresh token. Gives Refused only for one that somebody else spent."""
        place = self._place
        if not isinstance(place.store, FileStore):
            raise SignInExpired(
                f"The access token in {place.store.where} has ended, and a renewed one cannot be written "
                "back there.",
                hint=f"Unset it, or sign in again with: {place.sign_in_again}",
            )
        if stored.refresh is None:
            raise SignInExpired(
                f"The sign-in in {place.store.where} has ended and holds no refresh token.", hint=self._hint()
            )
        place.store.prove_writable()
        try:
            response = await self._transport.send(
                oauth.refresh_request(self._oauth_url, stored.refresh, stored.client_id)
            )
            async with response:
                reply = oauth.judge_refresh(response.status, await response.read(_MAX_REPLY_BYTES))
        except TransportError as error:
            raise _not_now(error.message) from error
        if isinstance(reply, oauth.Refused) and not reply.reused:
            if reply.permanent:
                raise self._ended(reply.reason)
            raise _not_now(f"OpenAI's sign-in server: {reply.reason}.")
        return reply

    async def _after_reuse(self, spent: OAuthTokens) -> OAuthTokens:
        """Step 6: whoever spent the token has written the new one, or nobody has it."""
        stored = await self._stored()
        if stored.access == spent.access:
            raise self._ended("its refresh token was already used by another program")
        return stored

    def _ended(self, reason: str) -> SignInExpired:
        where = self._place.store.where
        return SignInExpired(f"The ChatGPT sign-in in {where} has ended: {reason}.", hint=self._hint())

    def _hint(self) -> str:
        return f"Sign in again with: {self._place.sign_in_again}"


def _not_now(reason: str) -> TransportError:
    return TransportError(
        f"The ChatGPT sign-in could not be renewed now. {reason}",
        hint="The sign-in itself is kept: try again in a moment.",
    )


def _release(locks: Sequence[FileLock]) -> None:
    for lock in locks:
        lock.release()
