"""Bytes to text: encodings with and without a byte order mark, and what is no text at all."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text and whether its encoding was a guess."""

    text: str
    is_guess: bool = False


def is_binary(content: bytes) -> bool:
    """Whether these bytes are no text: they hold a NUL and no byte order mark explains it."""
    return not content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and b"\0" in content[:65536]


def decode(content: bytes, *, declared: str | None = None, is_cut: bool = False) -> Decoded:
    """Bytes to text: byte order mark, UTF-8, the declared encoding, else Western European. Never fails.

    With `is_cut`, a last character of which only some bytes are there is dropped.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Decoded(_unbroken(content.decode("utf-16", errors="replace")))
    for encoding in ("utf-8-sig", declared):
        text = None if encoding is None else _decode_strictly(content, encoding, is_cut=is_cut)
        if text is not None:
            return Decoded(_unbroken(text))
    guessed = _decode_strictly(content, "cp1252", is_cut=is_cut)
    return Decoded(_unbroken(content.decode("latin-1") if guessed is None else guessed), is_guess=True)


def _decode_strictly(content: bytes, encoding: str, *, is_cut: bool) -> str | None:
    try:
        return codecs.getincrementaldecoder(encoding)("strict").decode(content, final=not is_cut)
    except (UnicodeError, LookupError, AttributeError, TypeError, ValueError):
        # A document may declare an encoding that does not exist (LookupError), or one of Python's codecs
        # that are not about text and fail in ways of their own.
        return None


def _unbroken(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    # NUL would end a string inside SQLite; surrogates cannot be stored as UTF-8.
    return re.sub("[\0\ud800-\udfff]", "\ufffd", text) if "\0" in text or not _is_storable(text) else text


def _is_storable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
