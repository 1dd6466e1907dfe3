"""The gateway's own key: given, or made at the first start and kept in a file only its owner can read."""

from __future__ import annotations

from pathlib import Path

from groundwire.credentials.server_key import checked_key, server_key
from groundwire.secret import Secret

__all__ = ["FILE_NAME", "checked_key", "gateway_key"]

FILE_NAME = "gateway-key"


def gateway_key(path: Path) -> tuple[Secret, bool]:
    """The key in a file, made now if the file is not there; and whether it was."""
    return server_key(path, prefix="gw-")
