"""Raw citation markers that models leave in their text: private-use characters and 【…】 brackets."""

from __future__ import annotations

import re
from dataclasses import dataclass

from groundwire.providers.spans import Spans

# ChatGPT's own form: U+E200 `cite` U+E202 id U+E202 id … U+E201; U+E203/U+E204 enclose a highlight.
# Some middlemen write the escapes out, some lose the private characters and leave `citeturn0search0`.
_PRIVATE = re.compile(
    r"(?:\ue200|\\ue200)(?P<kind>[a-z_]*)(?P<body>(?:(?!\ue201|\\ue201|\n\n).){0,400}?)(?:\ue201|\\ue201)",
    re.DOTALL,
)
_ID = re.compile(r"(?:\ue202|\\ue202)([\w.:-]+)")
_PRIVATE_CUT_OFF = re.compile(r"(?:\ue200|\\ue200)(?:[a-z_]*(?:\ue202|\\ue202)[\w.:-]*)*")
_BARE_ID = re.compile(
    r"(?<![\w/])(?:cite|filecite|navlist)?(?:turn\d{1,3}(?:search|news|view|fetch|image|file|reddit)\d{1,3})+"
)
_STRAY = re.compile(r"[\ue200-\ue20f]|\\ue20[0-9a-f]")
_LENTICULAR = re.compile(r"【([^【】\n]{1,200})】")
_SITE = re.compile(r"(?:www\.)?((?:[\w-]+\.)+[a-z]{2,})(?:/\S*)?", re.IGNORECASE)
_FOOTNOTE = re.compile(r"\d+(?::\d+)?\s*†.*|\d*\s*†\s*source.*|source(?:\s*\d+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Marker:
    """One raw marker. `site` is the host it names, `ids` what it calls its sources; noise is removed even
    when nothing is behind it."""

    start: int
    end: int
    site: str = ""
    ids: tuple[str, ...] = ()
    is_noise: bool = True


def find_markers(text: str, code: Spans) -> list[Marker]:
    """Every raw marker outside code, in order and without overlaps."""
    found: list[Marker] = []
    found += [
        Marker(match.start(), match.end(), ids=tuple(_ID.findall(match.group())))
        for match in _PRIVATE.finditer(text)
    ]
    found += [Marker(match.start(), match.end()) for match in _PRIVATE_CUT_OFF.finditer(text)]
    found += [Marker(match.start(), match.end()) for match in _BARE_ID.finditer(text)]
    found += [Marker(match.start(), match.end()) for match in _STRAY.finditer(text)]
    found += [_lenticular(match) for match in _LENTICULAR.finditer(text)]
    apart: list[Marker] = []
    for marker in sorted(found, key=lambda marker: (marker.start, -marker.end)):
        if code.contain(marker.start):
            continue
        if not apart or marker.start >= apart[-1].end:
            apart.append(marker)
    return apart


def _lenticular(match: re.Match[str]) -> Marker:
    """【site】 and 【12†source】 are markers; other 【】 is ordinary Chinese or Japanese punctuation."""
    inside = match.group(1).strip()
    site = _SITE.fullmatch(inside)
    return Marker(
        match.start(),
        match.end(),
        site=site.group(1).lower() if site else "",
        is_noise=bool(site or _FOOTNOTE.fullmatch(inside)),
    )
