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


def decode(content: bytes, *, declared: str | None = None) -> Decoded:
    """Bytes to text: byte order mark, UTF-8, the declared encoding, else Western European. Never fails.

    A last character cut in half (a file longer than we read) is dropped.
    """
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if content.startswith(mark):
            return Decoded(_unbroken(content.decode(encoding, errors="replace")))
    text = _decode_strictly(content, "utf-8")
    if text is None and declared is not None:
        text = _decode_strictly(content, declared)
    if text is not None:
        return Decoded(_unbroken(text))
    guessed = _decode_strictly(content, "cp1252")
    return Decoded(_unbroken(content.decode("latin-1") if guessed is None else guessed), is_guess=True)


def _decode_strictly(content: bytes, encoding: str) -> str | None:
    try:
        return codecs.getincrementaldecoder(encoding)("strict").decode(content, final=False)
    except (UnicodeError, LookupError, AttributeError, TypeError):
        # LookupError and the two after it: a document may declare an encoding that does not exist,
        # or one of Python's codecs that are not about text.
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
