"""JSON Web Tokens as identity servers give them, except that nobody can verify the signature."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

from groundwire.emulator.wire import to_json


def unsigned_jwt(claims: Mapping[str, Any]) -> str:
    """A token with these claims; its three parts are base64url without padding."""
    header = {"alg": "RS256", "kid": "emulator", "typ": "JWT"}
    return ".".join((_part(to_json(header)), _part(to_json(claims)), _part(b"not a signature")))


def _part(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()
