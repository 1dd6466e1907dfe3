"""What a JSON Web Token says about itself, read without checking its signature.

We only look at our own tokens, to know when they end and whose they are; the server is the one who verifies.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

import msgspec

from groundwire.secret import Secret


def payload(token: Secret | None) -> Mapping[str, object]:
    """The claims of a token; empty for anything that is not a readable one."""
    parts = token.reveal().split(".") if token is not None else []
    if len(parts) != 3:
        return {}
    try:
        # JWTs leave out base64's padding.
        decoded = base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4))
        claims = msgspec.json.decode(decoded)
    except (binascii.Error, ValueError, RecursionError):
        return {}
    return claims if isinstance(claims, dict) else {}
