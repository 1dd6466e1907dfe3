"""Our own store: where it is, and how keys and sign-ins get into it and out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping

from groundwire.config import Config
from groundwire.credentials.lock import FileLock, lock_path
from groundwire.credentials.store import FileStore
from groundwire.errors import CredentialError
from groundwire.secret import Secret

_PATIENCE, _PAUSE = 10.0, 0.02


def own_store(config: Config) -> FileStore:
    """The store in our data folder; the same records as OpenCode's, under our provider names."""
    return FileStore(config.paths.own_store, "groundwire's own store")


def save_key(config: Config, provider: str, key: Secret) -> FileStore:
    """Put a provider's API key into the store, in place of an older one, and give the store."""
    return save_record(config, provider, {"type": "api", "key": key.reveal()})


def save_record(config: Config, name: str, record: Mapping[str, object]) -> FileStore:
    """Put a record into the store, in place of an older one of that name, and give the store."""
    store = own_store(config)
    _locked(config, lambda: store.put({(name,): record}))
    return store


def remove_record(config: Config, name: str) -> None:
    """Take a record out of the store."""
    store = own_store(config)
    _locked(config, lambda: store.remove(name))


def _locked(config: Config, change: Callable[[], None]) -> None:
    store = own_store(config)
    lock = FileLock(lock_path(config.paths.state_dir, os.path.realpath(store.path)))
    waited = 0.0
    while not lock.try_acquire():
        if waited >= _PATIENCE:
            raise CredentialError(
                f"{store.where} is locked by another program.", hint="Try again in a moment."
            )
        time.sleep(_PAUSE)
        waited += _PAUSE
    try:
        change()
    finally:
        lock.release()
