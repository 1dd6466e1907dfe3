"""One try to sign in: the state its answer must repeat, the secret that proves who asked (PKCE). Pure."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class Attempt:
    """A state, and a verifier that only we know until the code is exchanged."""

    state: str
    verifier: str = field(repr=False)

    @property
    def challenge(self) -> str:
        """What the authorization server is told about the verifier (S256)."""
        return _text(sha256(self.verifier.encode("ascii")).digest())


def new_attempt(random_bytes: Callable[[int], bytes]) -> Attempt:
    """A fresh one, from a source of random bytes such as `secrets.token_bytes`."""
    return Attempt(state=_text(random_bytes(32)), verifier=_text(random_bytes(64)))


def _text(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode("ascii")
