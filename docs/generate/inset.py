"""A generated piece inside a page that is otherwise written by hand: what stands between two comments."""

from __future__ import annotations

from pathlib import Path


def renewed(page: Path, begin: str, piece: str, end: str) -> str:
    """The page with the piece between its two comments; ValueError when they are not there, once each."""
    text = page.read_text(encoding="utf-8")
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"{page.name} wants one line {begin.strip()} and one {end.strip()}")
    before, _, rest = text.partition(begin)
    return f"{before}{begin}{piece}{end}{rest.partition(end)[2]}"
