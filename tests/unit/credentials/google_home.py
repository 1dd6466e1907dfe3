"""A home with a Google sign-in in one of the stores, an emulator, and the credential they lead to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from groundwire.config import Config, load_config
from groundwire.credentials.base import Credential
from groundwire.credentials.gemini_cli_encrypted import EncryptedStore, this_machine
from groundwire.credentials.resolve import resolve
from groundwire.emulator import Emulator
from groundwire.secret import Secret
from groundwire.testing import AsgiTransport, ManualClock

NOW = 1_800_000_000.0
SECRET = "emulator-client-secret"
STORES = ("own", "opencode", "gemini-cli", "encrypted")


def write(path: Path, document: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")
    return path


def encrypted_store(path: Path) -> EncryptedStore:
    """Gemini CLI's encrypted store of this machine and user."""
    return EncryptedStore(path, *this_machine())


class GoogleHome:
    """One home. `left` is how many seconds the stored access token lasts."""

    def __init__(
        self, home: Path, store: str = "own", *, left: float = 1000, scenario: str | None = None
    ) -> None:
        self.home, self.store = home, store
        self.clock = ManualClock(NOW)
        self.emulator = Emulator(clock=self.clock, scenario=scenario)
        self.env: dict[str, str] = {
            **{k: v for k, v in self.emulator.env().items() if "URL" in k or "ENDPOINT" in k},
            "GROUNDWIRE_GOOGLE_CLIENT_SECRET": SECRET,
        }
        self.path = self.write_sign_in("ya29.first", "1//first", NOW + left)

    def write_sign_in(self, access: str, refresh: str, ends: float) -> Path:
        expires = int(ends * 1000)
        record = {"type": "oauth", "access": access, "refresh": refresh, "expires": expires}
        if self.store == "own":
            path = self.home / ".local/share/groundwire/credentials.json"
            return write(path, {"gemini": {"type": "other"}, "google": record})
        if self.store == "opencode":
            path = self.home / ".local/share/opencode/auth.json"
            return write(path, {"keep": [1], "gemini-cli": record})
        if self.store == "gemini-cli":
            tokens = {"access_token": access, "refresh_token": refresh, "expiry_date": expires}
            return write(self.home / ".gemini/oauth_creds.json", {"scope": "s", "keep": [1], **tokens})
        path = self.home / ".gemini/gemini-credentials.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        token = {"accessToken": access, "refreshToken": refresh, "tokenType": "Bearer", "expiresAt": expires}
        inner = {"serverName": "main-account", "token": token, "updatedAt": 1}
        content = {"keep": [1], "gemini-cli-oauth": {"main-account": json.dumps(inner), "x": "y"}}
        path.write_text(encrypted_store(path)._closed(content), encoding="utf-8")
        return path

    @property
    def config(self) -> Config:
        return load_config(env=self.env, cwd=self.home, home=self.home)

    def credential(self) -> Credential:
        return resolve("code_assist", self.config, self.env, AsgiTransport(self.emulator.app), self.clock)

    @property
    def stored(self) -> Mapping[str, str]:
        """The record of the sign-in as it is in the store now."""
        if self.store == "encrypted":
            token = encrypted_store(self.path).read().document["token"]
            assert isinstance(token, dict)
            return token
        document = json.loads(self.path.read_text(encoding="utf-8"))
        name = {"own": "google", "opencode": "gemini-cli"}.get(self.store)
        found: Mapping[str, str] = document if name is None else document[name]
        return found

    def count(self, path: str) -> int:
        """How many requests the emulator got for a path."""
        return sum(call.path == path for call in self.emulator.requests)


async def bearer(credential: Credential) -> str:
    value = (await credential.authorizer.headers())["Authorization"]
    assert isinstance(value, Secret)
    return value.reveal().removeprefix("Bearer ")
