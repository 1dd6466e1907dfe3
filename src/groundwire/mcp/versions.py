"""The versions of the protocol that official clients speak, oldest first, and what each of them knows."""

from __future__ import annotations

HANDSHAKE = ("2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions that begin with `initialize`."""

NEWEST_HANDSHAKE = HANDSHAKE[-1]
"""Offered to a client that asks for a version nobody knows."""

STATELESS = ("2026-07-28",)
"""Versions without a handshake: every request says its version in `_meta`."""


def agreed(asked: str) -> str:
    """The version of a session whose client asked for this one."""
    return asked if asked in HANDSHAKE else NEWEST_HANDSHAKE


def has_batches(version: str) -> bool:
    """Whether several messages may come in one array: one version had that."""
    return version == "2025-03-26"


def has_annotations(version: str) -> bool:
    """Whether a tool can say that it only reads; audio content came with it."""
    return version >= "2025-03-26"


def has_structured_content(version: str) -> bool:
    """Whether a result can be an object with a schema; titles came with it."""
    return version >= "2025-06-18"
