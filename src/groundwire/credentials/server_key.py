"""The key of a server on this machine: given, or made at its first start and kept in an owner's file."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from groundwire.errors import InvalidConfig
from groundwire.secret import Secret

SHORTEST = 8


def server_key(path: Path, *, prefix: str) -> tuple[Secret, bool]:
    """The key in a file, made now (beginning with `prefix`) if the file is not there; and whether it was."""
    try:
        return checked_key(path.read_text(encoding="utf-8"), str(path)), False
    except FileNotFoundError:
        pass
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidConfig(f"The key in {path} cannot be read: {error}.") from error
    key = f"{prefix}{secrets.token_urlsafe(24)}"
    try:
        _put(path, f"{key}\n")
    except FileExistsError:  # another server, started at the same time, made one
        return server_key(path, prefix=prefix)
    except OSError as error:
        raise InvalidConfig(
            f"The key cannot be kept in {path}: {error.strerror}.", hint="Name another place with --key-file."
        ) from error
    return Secret(key), True


def checked_key(text: str, where: str) -> Secret:
    """The key in a text, or InvalidConfig when it cannot travel in a header or is too short to be one."""
    key = text.strip()
    if len(key) < SHORTEST or not key.isascii() or not key.isprintable() or " " in key:
        raise InvalidConfig(
            f"The key in {where} cannot be used.",
            hint=f"A key has {SHORTEST} or more ASCII characters and no spaces.",
        )
    return Secret(key)


def _put(path: Path, text: str) -> None:
    """Write a new file that is complete from its first moment on. FileExistsError when there is one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    unfinished = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.link(unfinished, path)
    finally:
        unfinished.unlink()
