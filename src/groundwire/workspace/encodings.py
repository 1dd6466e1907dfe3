"""How the bytes of a file are read as text, always with an exact way back.

A byte order mark decides. Without one the file is UTF-8 when it decodes as UTF-8; a UTF-8 file with a
few broken bytes keeps them as they are (Python's surrogateescape); an East Asian encoding is taken when it is
certain; anything else is Windows-1252, or Latin-1 when it uses bytes that Windows-1252 does not have.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from groundwire.errors import ToolError
from groundwire.workspace.east_asian import east_asian_codec

# UTF-32 before UTF-16: the mark of the one begins like the mark of the other.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Encoding:
    """A codec, its byte order mark, and what it does with bytes that are no text."""

    codec: str = "utf-8"
    mark: bytes = b""
    errors: str = "strict"

    def encode(self, text: str) -> bytes:
        """`text` as bytes, mark included. A ToolError when a character has no bytes in this encoding."""
        try:
            return self.mark + text.encode(self.codec, self.errors)
        except UnicodeEncodeError as error:
            character = text[error.start]
            line = text.count("\n", 0, error.start) + 1
            raise ToolError(
                f"Cannot write the character U+{ord(character):04X} (line {line} of the new text): "
                f"it does not exist in this file's encoding, {self.codec}. Nothing was written.",
                kind="file_write_failure",
            ) from None


UTF_8 = Encoding()
"""The encoding of new files."""


def decode(data: bytes) -> tuple[Encoding, str]:
    """The encoding of `data` and its text without the mark."""
    for mark, codec in MARKS:
        if data.startswith(mark):
            found = _exactly(Encoding(codec, mark), data)
            if found is not None:
                return found
    return _exactly(UTF_8, data) or _eight_bit(data)


def _eight_bit(data: bytes) -> tuple[Encoding, str]:
    """A text that is not UTF-8."""
    escaped = data.decode("utf-8", "surrogateescape")
    broken = sum("\udc80" <= character <= "\udcff" for character in escaped)
    if len(data) - len(escaped) > broken:  # more characters of several bytes than stray bytes
        return Encoding("utf-8", errors="surrogateescape"), escaped
    east_asian = east_asian_codec(data)
    for codec in (east_asian, "cp1252"):
        found = _exactly(Encoding(codec), data) if codec else None
        if found is not None:
            return found
    return Encoding("latin-1"), data.decode("latin-1")


def _exactly(encoding: Encoding, data: bytes) -> tuple[Encoding, str] | None:
    """The text of `data` in `encoding`, when it leads back to the very same bytes."""
    try:
        text = data[len(encoding.mark) :].decode(encoding.codec, encoding.errors)
        if encoding.codec == "utf-8":
            return encoding, text  # Python's UTF-8 always leads back
        back = encoding.mark + text.encode(encoding.codec, encoding.errors)
    except UnicodeError:
        return None
    return (encoding, text) if back == data else None
