"""Our own store: where it is, and how a key gets into it."""

from __future__ import annotations

import asyncio
import os

from groundwire.config import Config
from groundwire.credentials.lock import FileLock, lock_path
from groundwire.credentials.store import FileStore
from groundwire.errors import CredentialError
from groundwire.secret import Secret

_PATIENCE = 10.0


def own_store(config: Config) -> FileStore:
    """The store in our data folder; the same records as OpenCode's, under our provider names."""
    return FileStore(config.paths.own_store, "groundwire's own store")


def save_key(config: Config, provider: str, key: Secret) -> FileStore:
    """Put a provider's API key into the store, in place of an older one, and give the store."""
    store = own_store(config)
    lock = FileLock(lock_path(config.paths.state_dir, os.path.realpath(store.path)))
    if not asyncio.run(lock.acquire(patience=_PATIENCE)):
        raise CredentialError(f"{store.where} is locked by another program.", hint="Try again in a moment.")
    try:
        store.put({(provider,): {"type": "api", "key": key.reveal()}})
    finally:
        lock.release()
    return store
