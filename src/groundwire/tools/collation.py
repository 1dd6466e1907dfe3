"""The order of names in Gemini CLI's listings: JavaScript's localeCompare for English.

Compared first without accents and case, then by accents, then by case (small before capital). ASCII
follows CLDR's root order exactly; a Latin letter with accents is its base letter first; everything else
comes after the letters in code point order.
"""

from __future__ import annotations

import unicodedata

# CLDR root: white space, punctuation, symbols, currency, digits, letters.
_ASCII_ORDER = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789"
_PRIMARY = {ord(character): chr(rank) for rank, character in enumerate(_ASCII_ORDER, start=9)}
_PRIMARY |= {code: chr(code).upper() for code in range(ord("a"), ord("z") + 1)}
# Control characters are ignored, except the white space ones, which come first.
_PRIMARY |= dict.fromkeys((*range(9), *range(14, 32), 127), "")
_PRIMARY |= {code: chr(code - 8) for code in range(9, 14)}
_TERTIARY = dict.fromkeys(range(128), "a") | dict.fromkeys(range(ord("A"), ord("Z") + 1), "b")

Key = tuple[str, str, str]


def collation_key(text: str) -> Key:
    """A key that sorts names as localeCompare does."""
    if text.isascii():
        return text.translate(_PRIMARY), "", text.translate(_TERTIARY)
    decomposed = unicodedata.normalize("NFD", text)
    letters = "".join(c for c in decomposed if not unicodedata.combining(c))
    accents = "".join(c if unicodedata.combining(c) else "\0" for c in decomposed)
    cases = "".join("b" if c.isupper() else "a" for c in letters)
    primary = "".join(_PRIMARY.get(ord(c), c if c.isascii() else c.lower()) for c in letters)
    return primary, accents if accents.strip("\0") else "", cases
