"""What a server said, made fit for a message: one line, printable, not endless; links only to https. Pure."""

from __future__ import annotations

_LONGEST = 500


def plain(value: object) -> str:
    """A server's words on one line without control characters; empty for anything that is not text."""
    if not isinstance(value, str):
        return ""
    words = " ".join(value.split())
    return "".join(character for character in words if character.isprintable())[:_LONGEST]


def https_link(value: object) -> str | None:
    """An address a person can be sent to, or None."""
    text = plain(value)
    return text if text.startswith("https://") and " " not in text else None
