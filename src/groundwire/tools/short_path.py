"""Paths shortened for display, the way Gemini CLI does it: the first and the last segments, dots between."""

from __future__ import annotations

MOST_CHARACTERS = 35
_DOTS = "..."


def short_path(path: str, most: int = MOST_CHARACTERS) -> str:
    """A relative path in at most `most` characters where possible; the last segment is cut last."""
    if len(path) <= most:
        return path
    segments = [segment for segment in path.split("/") if segment]
    if len(segments) <= 1:
        return _cut_in_the_middle(path, most)
    first, last = segments[0], segments[-1]
    tail = [last]
    for segment in segments[-2:0:-1]:
        if len("/".join([first, _DOTS, segment, *tail])) > most:
            break
        tail.insert(0, segment)
    shortened = _fitted([first, *tail], most - len(tail) - 1 - len(_DOTS))
    if shortened is not None:
        whole = "/".join([shortened[0], _DOTS, *shortened[1:]])
        if len(whole) <= most:
            return whole
    return _only_last(path, last, most)


def _fitted(segments: list[str], room: int) -> list[str] | None:
    """The segments cut one character at a time, the longest first, the last one last; None without room."""
    least = [min(1, len(segment)) for segment in segments[:-1]] + [len(segments[-1])]
    if room <= 0 or room < sum(least):
        return None
    budgets = [len(segment) for segment in segments]
    while sum(budgets) > room:
        longest = max(
            (index for index in range(len(budgets)) if budgets[index] > least[index]),
            key=lambda index: (index != len(budgets) - 1, budgets[index], -index),
            default=None,
        )
        if longest is None:
            return None
        budgets[longest] -= 1
    return [
        _cut(segment, budget, at_start=index == 0, at_end=index == len(segments) - 1)
        for index, (segment, budget) in enumerate(zip(segments, budgets, strict=True))
    ]


def _cut(segment: str, budget: int, *, at_start: bool, at_end: bool) -> str:
    if len(segment) <= budget:
        return segment
    if budget <= len(_DOTS):
        return segment[len(segment) - budget :] if at_end else segment[:budget]
    kept = budget - len(_DOTS)
    if at_start:
        return segment[:kept] + _DOTS
    if at_end:
        return _DOTS + segment[len(segment) - kept :]
    front = -(-kept // 2)
    return segment[:front] + _DOTS + segment[len(segment) - (kept - front) :]


def _only_last(path: str, last: str, most: int) -> str:
    for shown in (f"{_DOTS}/{last}", last):
        if len(shown) <= most:
            return shown
    return _cut_in_the_middle(path, most)


def _cut_in_the_middle(path: str, most: int) -> str:
    kept = (most - len(_DOTS)) // 2
    return path[:kept] + _DOTS + path[len(path) - kept :] if kept > 0 else path[: most - len(_DOTS)] + _DOTS
