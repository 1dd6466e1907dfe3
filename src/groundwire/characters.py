"""What a text may hold that others cannot take: NUL, and half characters (surrogates that stand alone).

JSON can carry both as escapes, and Python's names of files hold halves for bytes that are no UTF-8.
"""

from __future__ import annotations

import os


def sendable(words: str) -> str:
    """The words without half characters, which are in no UTF-8 and which strict readers of JSON refuse."""
    return words if words.isascii() else words.encode("utf-8", "replace").decode("utf-8")


def is_sayable(words: str) -> bool:
    """Whether the system can be told these words, as a path or as a word of a command."""
    try:
        return b"\0" not in os.fsencode(words)
    except UnicodeEncodeError:
        return False
