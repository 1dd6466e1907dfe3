"""Telling East Asian encodings apart, only where it is certain.

Each encoding is asked whether the bytes decode and whether the text looks like its language: kana in
Japanese, Hangul in Korean, everyday characters in Chinese. One clear yes is an answer; none or several are
not, and the file is then treated as eight-bit text, which changes no byte either.
"""

from __future__ import annotations

from collections.abc import Callable

FEWEST = 8
"""Fewer characters than this prove nothing."""


def east_asian_codec(data: bytes) -> str | None:
    """The codec of `data`, when exactly one encoding fits."""
    fitting = [codec for codec, fits in _JUDGES.items() if _fits(data, codec, fits)]
    return fitting[0] if len(fitting) == 1 else None


def _fits(data: bytes, codec: str, fits: Callable[[str, str], bool]) -> bool:
    try:
        text = data.decode(codec)
        if text.encode(codec) != data:
            return False
    except UnicodeError:
        return False
    wide = "".join(character for character in text if character > "\x7f")
    return len(wide) >= FEWEST and fits(wide, codec)


def _share(text: str, first: str, last: str) -> float:
    return sum(first <= character <= last for character in text) / len(text)


def _kana(text: str) -> float:
    return _share(text, "\u3041", "\u30ff")


def _ideographs(text: str) -> float:
    return _share(text, "\u4e00", "\u9fff")


def _everyday(text: str, codec: str, first: int, last: int) -> float:
    """How many ideographs are in the rows of common characters (by lead byte)."""
    leads = [character.encode(codec)[0] for character in text if "\u4e00" <= character <= "\u9fff"]
    return sum(first <= lead <= last for lead in leads) / len(leads) if leads else 0.0


def _japanese(text: str, codec: str) -> bool:
    punctuation = _share(text, "\u3000", "\u303f") + _share(text, "\uff01", "\uff5e")
    return _kana(text) >= 0.2 and _kana(text) + _ideographs(text) + punctuation >= 0.95


def _korean(text: str, codec: str) -> bool:
    return _share(text, "\uac00", "\ud7a3") >= 0.9


def _simplified(text: str, codec: str) -> bool:
    # The same bytes are common Hangul below row 0xC9, so Chinese must use the rows above as well.
    beyond_hangul = _everyday(text, codec, 0xC9, 0xF7)
    common = _everyday(text, codec, 0xB0, 0xD7)
    return _kana(text) < 0.05 and _ideographs(text) >= 0.7 and common >= 0.9 and beyond_hangul >= 0.15


def _traditional(text: str, codec: str) -> bool:
    return _kana(text) < 0.05 and _ideographs(text) >= 0.7 and _everyday(text, codec, 0xA4, 0xC6) >= 0.95


_JUDGES: dict[str, Callable[[str, str], bool]] = {
    "cp932": _japanese,
    "euc_jp": _japanese,
    "gb18030": _simplified,
    "big5": _traditional,
    "cp949": _korean,
}
