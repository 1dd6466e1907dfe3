"""Line windows: stretches of the file whose lines all have the keys of the old string's lines."""

from __future__ import annotations

from collections.abc import Sequence

MOST_HITS = 1000
"""Nobody needs to know of more places than this; an edit that fits so often, and not exactly, is refused."""


def windows(keys: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Where `wanted` starts in `keys`, top down; places that overlap are all listed."""
    if not wanted or len(wanted) > len(keys):
        return []
    rarest, places = _rarest(keys, wanted)
    found: list[int] = []
    size = len(wanted)
    for place in places:
        start = place - rarest
        if 0 <= start <= len(keys) - size and all(
            keys[start + index] == key for index, key in enumerate(wanted)
        ):
            found.append(start)
            if len(found) == MOST_HITS:
                break
    return found


def apart(starts: Sequence[int], size: int) -> list[int]:
    """The starts that are left when each hit takes its lines for itself, top down."""
    kept: list[int] = []
    for start in starts:
        if not kept or start >= kept[-1] + size:
            kept.append(start)
    return kept


def places_of(keys: Sequence[str], wanted: Sequence[str]) -> dict[str, list[int]]:
    """For each wanted key, where it stands."""
    places: dict[str, list[int]] = {key: [] for key in wanted}
    for index, key in enumerate(keys):
        if key in places:
            places[key].append(index)
    return places


def _rarest(keys: Sequence[str], wanted: Sequence[str]) -> tuple[int, list[int]]:
    places = places_of(keys, wanted)
    rarest = min(range(len(wanted)), key=lambda index: len(places[wanted[index]]))
    return rarest, places[wanted[rarest]]
