"""Where in a store a sign-in is kept: how it is read, written and forgotten there, and who else locks it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from groundwire.credentials import google_records as google
from groundwire.credentials import openai_oauth as oauth
from groundwire.credentials.lock import lock_path
from groundwire.credentials.memory import Memory
from groundwire.credentials.records import OAuthTokens, codex_tokens, oauth_record
from groundwire.credentials.store import Changes, FileStore, Store


@dataclass(frozen=True, slots=True)
class TokenPlace:
    """One place. `forget` is called when the server refused the sign-in for good: in our own store it is
    removed, elsewhere we only remember not to use it."""

    store: Store
    load: Callable[[], OAuthTokens | None]
    save: Callable[[OAuthTokens], None]
    forget: Callable[[OAuthTokens], None]
    locks: Sequence[Path]
    sign_in_again: str


def record_place(store: Store, name: str, memory: Memory, sign_in_again: str) -> TokenPlace:
    """A ChatGPT sign-in in an `oauth` record of OpenCode's store."""
    return _place(
        store,
        memory,
        sign_in_again,
        load=lambda document: oauth_record(document, name),
        changes=lambda tokens: oauth.record_changes(name, tokens),
    )


def own_place(store: FileStore, name: str, memory: Memory, sign_in_again: str) -> TokenPlace:
    """A ChatGPT sign-in in our own store."""
    place = record_place(store, name, memory, sign_in_again)
    return replace(place, forget=lambda tokens: store.remove(name))


def codex_place(store: FileStore, memory: Memory, sign_in_again: str) -> TokenPlace:
    """The sign-in in Codex's auth.json. Codex holds `auth.lock` beside it while writing."""
    place = _place(store, memory, sign_in_again, load=codex_tokens, changes=oauth.codex_changes)
    return replace(place, locks=[*place.locks, store.path.parent / "auth.lock"])


def own_google_place(store: FileStore, memory: Memory, sign_in_again: str) -> TokenPlace:
    """A Google sign-in in our own store."""
    place = _place(store, memory, sign_in_again, load=google.own_tokens, changes=google.own_changes)
    return replace(place, forget=lambda tokens: store.remove(google.OWN_RECORD))


def opencode_google_place(store: Store, name: str, memory: Memory, sign_in_again: str) -> TokenPlace:
    """A Google sign-in in an `oauth` record of OpenCode's store, with its projects inside `refresh`."""
    return _place(
        store,
        memory,
        sign_in_again,
        load=lambda document: google.opencode_tokens(document, name),
        changes=lambda tokens: google.opencode_changes(name, tokens),
    )


def gemini_cli_place(store: FileStore, memory: Memory, sign_in_again: str) -> TokenPlace:
    """The sign-in in Gemini CLI's oauth_creds.json, which has no room for a project: we remember that."""
    place = _place(
        store, memory, sign_in_again, load=google.gemini_cli_tokens, changes=google.gemini_cli_changes
    )
    return with_remembered_project(place, memory)


def with_remembered_project(place: TokenPlace, memory: Memory) -> TokenPlace:
    """A place whose store cannot keep the project, so that our own notes do."""

    def load() -> OAuthTokens | None:
        tokens = place.load()
        if tokens is None:
            return None
        asked, found = memory.projects(tokens.refresh)
        return replace(tokens, asked_project=asked, project=found)

    def save(tokens: OAuthTokens) -> None:
        place.save(tokens)
        if tokens.refresh is not None and tokens.project is not None:
            memory.note_projects(tokens.refresh, tokens.asked_project, tokens.project)

    return replace(place, load=load, save=save)


def _place(
    store: Store,
    memory: Memory,
    sign_in_again: str,
    *,
    load: Callable[[Mapping[str, object]], OAuthTokens | None],
    changes: Callable[[OAuthTokens], Changes],
) -> TokenPlace:
    def save(tokens: OAuthTokens) -> None:
        if isinstance(store, FileStore):
            store.put(changes(tokens))

    return TokenPlace(
        store=store,
        load=lambda: load(store.read().document),
        save=save,
        forget=remember_ended(memory),
        locks=[own_lock(store, memory.state_dir)],
        sign_in_again=sign_in_again,
    )


def remember_ended(memory: Memory) -> Callable[[OAuthTokens], None]:
    """Forgetting a sign-in in a store of somebody else: it stays there, and we do not use it again."""

    def forget(tokens: OAuthTokens) -> None:
        if tokens.refresh is not None:
            memory.note_ended(tokens.refresh, "refused for good")

    return forget


def own_lock(store: Store, state_dir: Path) -> Path:
    """Our lock for a store."""
    return lock_path(state_dir, store.label if store.path is None else os.path.realpath(store.path))
