"""Gemini CLI's encrypted store: `gemini-credentials.json`, read, and written back when a token was renewed.

Gemini CLI writes it with GEMINI_FORCE_ENCRYPTED_FILE_STORAGE=true on a machine without a keychain. The file
is `hex(iv):hex(tag):hex(text)`, AES-256-GCM; the key comes by scrypt from a fixed password and from the names
of the machine and the user, so it protects against copying the file elsewhere and nothing else. Inside stands
`{"gemini-cli-oauth": {"main-account": "<JSON of one record>"}}`; everything we do not know is kept.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groundwire.config.files import ConfigProblem, Unreadable, read_text
from groundwire.credentials.google_records import encrypted_tokens, with_encrypted_changes
from groundwire.credentials.memory import Memory
from groundwire.credentials.records import OAuthTokens
from groundwire.credentials.store import FileStore, Reading
from groundwire.credentials.token_places import (
    TokenPlace,
    own_lock,
    remember_ended,
    with_remembered_project,
)
from groundwire.errors import CredentialError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

SERVICE, ACCOUNT = "gemini-cli-oauth", "main-account"
INSTALL = "pip install 'groundwire[gemini-cli]'"
_IV_BYTES, _TAG_BYTES = 12, 16


@dataclass(frozen=True, slots=True)
class EncryptedStore:
    """The store of one machine and user, whose names are part of the key."""

    path: Path
    host: str
    user: str
    label: str = "Gemini CLI's encrypted store"

    @property
    def where(self) -> str:
        """The label and the path."""
        return f"{self.label} ({self.path})"

    def read(self) -> Reading:
        """The record of the sign-in, or nothing and a problem."""
        try:
            text = read_text(self.path)
            return Reading() if text is None else Reading(_record(self._open(text)), present=True)
        except Unreadable as trouble:
            return Reading(problem=ConfigProblem(str(self.path), trouble.line, trouble.reason), present=True)

    def prove_writable(self) -> None:
        """Fail now rather than after a single-use token was spent."""
        self._file().prove_writable()

    def put(self, tokens: OAuthTokens) -> None:
        """Put renewed tokens into the record. The caller holds the lock."""
        try:
            content = self._open(read_text(self.path) or "")
            record = with_encrypted_changes(_record(content), tokens)
        except Unreadable as trouble:
            raise CredentialError(f"{self.where} was not changed: {trouble.reason}.") from None
        service = content.get(SERVICE)
        accounts = {**service} if isinstance(service, dict) else {}
        accounts[ACCOUNT] = msgspec.json.encode(record).decode("utf-8")
        self._file().replace(self._closed({**content, SERVICE: accounts}))

    def _open(self, text: str) -> dict[str, object]:
        try:
            iv, tag, sealed = (bytes.fromhex(part) for part in text.strip().split(":"))
        except ValueError:
            raise Unreadable("not an encrypted store as Gemini CLI writes it", 1) from None
        if len(iv) != _IV_BYTES or len(tag) != _TAG_BYTES:
            raise Unreadable("not an encrypted store as Gemini CLI writes it", 1)
        cipher = self._cipher()
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415  (an extra, loaded when needed)

        try:
            return _object(cipher.decrypt(iv, sealed + tag, None))
        except InvalidTag:
            raise Unreadable(
                "it was encrypted on another machine or by another user, or it was changed"
            ) from None

    def _closed(self, content: Mapping[str, object]) -> str:
        iv = secrets.token_bytes(_IV_BYTES)
        sealed = self._cipher().encrypt(iv, msgspec.json.encode(content), None)
        return ":".join(part.hex() for part in (iv, sealed[-_TAG_BYTES:], sealed[:-_TAG_BYTES]))

    def _cipher(self) -> AESGCM:
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415  (an extra)
        except ImportError:
            raise Unreadable(f"it is encrypted, and reading it needs: {INSTALL}") from None
        return AESGCM(_key(f"{self.host}-{self.user}-gemini-cli"))

    def _file(self) -> FileStore:
        return FileStore(self.path, self.label)


def this_machine() -> tuple[str, str]:
    """The names of this machine and this user, as Node's os.hostname and os.userInfo give them."""
    host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    try:
        import pwd  # noqa: PLC0415  (not on Windows)

        return host, pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return host, os.environ.get("USERNAME") or os.environ.get("USER") or ""


def encrypted_place(store: EncryptedStore, memory: Memory, sign_in_again: str) -> TokenPlace:
    """The sign-in in the encrypted store."""
    place = TokenPlace(
        store=store,
        load=lambda: encrypted_tokens(store.read().document),
        save=store.put,
        forget=remember_ended(memory),
        locks=[own_lock(store, memory.state_dir)],
        sign_in_again=sign_in_again,
    )
    return with_remembered_project(place, memory)


@cache
def _key(salt: str) -> bytes:
    """Slow on purpose (about 50 ms), so it is made once for a machine and user."""
    return hashlib.scrypt(SERVICE.encode(), salt=salt.encode("utf-8"), n=16384, r=8, p=1, dklen=32)


def _record(content: Mapping[str, object]) -> dict[str, object]:
    """The sign-in's record, which is JSON in a text of its own; empty when there is none."""
    service = content.get(SERVICE)
    text = service.get(ACCOUNT) if isinstance(service, dict) else None
    return _object(text.encode("utf-8")) if isinstance(text, str) else {}


def _object(content: bytes) -> dict[str, object]:
    try:
        decoded = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Unreadable("what is inside is not valid JSON") from None
    if not isinstance(decoded, dict):
        raise Unreadable("what is inside is not an object")
    return decoded
