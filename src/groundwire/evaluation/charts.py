"""Charts as inline SVG: shares with intervals, stacked bars, histograms. The page's style colours them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from groundwire.evaluation.statistics import Interval

WIDTH = 640
LABEL = 150
ROW = 30
RIGHT = 60
_SPAN = WIDTH - LABEL - RIGHT


def shares(rows: Mapping[str, Interval], notes: Mapping[str, str]) -> str:
    """A share for each row, as a bar with its interval as a whisker."""
    body = [_scale(len(rows), [(share, f"{share:.0%}") for share in (0, 0.25, 0.5, 0.75, 1)])]
    for at, (name, interval) in enumerate(rows.items()):
        y = at * ROW + 6
        middle = y + 9
        low, high = (LABEL + bound * _SPAN for bound in (interval.low, interval.high))
        body.append(_row_label(name, middle))
        body.append(_bar(LABEL, y, interval.estimate * _SPAN, f"series-{at % 4}", notes.get(name, "")))
        body.append(
            f'<path class="whisker" d="M{low:.1f} {middle}H{high:.1f}'
            f'M{low:.1f} {middle - 5}v10M{high:.1f} {middle - 5}v10"/>'
        )
        body.append(f'<text x="{WIDTH - RIGHT + 8}" y="{middle + 4}">{interval.estimate:.0%}</text>')
    return _picture(len(rows) * ROW + 24, body)


def stacked(rows: Mapping[str, Mapping[str, int]], classes: Mapping[str, str]) -> str:
    """Counts for each row, side by side in one bar that is as long as the whole; a gap sets groups apart.

    Rows are grouped by what stands before the `|` in their name.
    """
    body: list[str] = []
    y, group = 4, ""
    for name, counts in rows.items():
        first, _, second = name.partition("|")
        if first != group:
            y += 8 if group else 0
            group = first
            body.append(_row_label(first, y + 7))
        total = sum(counts.values())
        body.append(
            f'<text class="small" x="{LABEL - 6}" y="{y + 10}" text-anchor="end">{escape(second)}</text>'
        )
        x = float(LABEL)
        for word, count in counts.items():
            if count:
                width = count / total * _SPAN
                body.append(_bar(x, y, width, classes[word], f"{name}: {word} {count} of {total}", height=12))
                x += width
        body.append(f'<text class="small" x="{WIDTH - RIGHT + 8}" y="{y + 10}">{total}</text>')
        y += 16
    return _picture(y + 6, body)


def counts(rows: Mapping[str, Sequence[int]], names: Sequence[str]) -> str:
    """For each row one bar for each name, lengths relative to the largest count."""
    largest = max((count for row in rows.values() for count in row), default=0) or 1
    body, y, label = [], 4, LABEL + 90
    for name, row in rows.items():
        body.append(
            f'<text x="{label - 8}" y="{y + len(row) * 7 + 3}" text-anchor="end">{escape(name)}</text>'
        )
        for at, count in enumerate(row):
            width = count / largest * (WIDTH - label - RIGHT)
            body.append(
                _bar(label, y, width, f"series-{at % 4}", f"{names[at]}: {count} × {name}", height=12)
            )
            body.append(f'<text class="small" x="{label + width + 5:.1f}" y="{y + 10}">{count}</text>')
            y += 14
        y += 8
    return _picture(max(y, 20), body)


def histogram(rows: Mapping[str, Sequence[int]]) -> str:
    """How often each whole number occurs in each row, bars of the rows next to each other."""
    numbers = [number for row in rows.values() for number in row]
    if not numbers:
        return ""
    first, last = min(numbers), max(numbers)
    step = max(1, -(-(last - first + 1) // 24))
    bins = list(range(first, last + 1, step))
    tallies = [
        [sum(start <= number < start + step for number in row) for start in bins] for row in rows.values()
    ]
    tallest = max(max(tally) for tally in tallies) or 1
    height, left = 150, 40
    slot = (WIDTH - left - 10) / len(bins)
    bar = min(26.0, slot * 0.8 / len(rows))
    body = [f'<path class="axis" d="M{left} {height}H{WIDTH - 10}"/>']
    for at, start in enumerate(bins):
        middle = left + (at + 0.5) * slot
        label = f"{start}" if step == 1 else f"{start}–{start + step - 1}"
        body.append(
            f'<text class="small" x="{middle:.1f}" y="{height + 14}" text-anchor="middle">{label}</text>'
        )
        for which, tally in enumerate(tallies):
            tall = tally[at] / tallest * (height - 16)
            x = middle + (which - len(rows) / 2) * bar
            name = list(rows)[which]
            body.append(
                f'<rect class="series-{which % 4}" x="{x:.1f}" y="{height - tall:.1f}" width="{bar - 1:.1f}" '
                f'height="{tall:.1f}">'
                f"<title>{escape(name)}: {tally[at]} attempts with {label} turns</title></rect>"
            )
            if tally[at]:
                body.append(
                    f'<text class="small" x="{x + bar / 2:.1f}" y="{height - tall - 3:.1f}" '
                    f'text-anchor="middle">{tally[at]}</text>'
                )
    return _picture(height + 22, body)


def _scale(rows: int, marks: Sequence[tuple[float, str]]) -> str:
    bottom = rows * ROW + 6
    lines = "".join(
        f'<path class="grid" d="M{LABEL + share * _SPAN:.1f} 2V{bottom}"/>'
        f'<text class="small" x="{LABEL + share * _SPAN:.1f}" y="{bottom + 14}" '
        f'text-anchor="middle">{words}</text>'
        for share, words in marks
    )
    return f"<g>{lines}</g>"


def _row_label(words: str, y: float) -> str:
    return f'<text x="0" y="{y + 4}">{escape(words)}</text>'


def _bar(x: float, y: float, width: float, style: str, title: str, height: float = 18) -> str:
    return (
        f'<rect class="{style}" x="{x:.1f}" y="{y}" width="{max(width, 0.5):.1f}" height="{height}">'
        f"<title>{escape(title)}</title></rect>"
    )


def _picture(height: float, body: Sequence[str]) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" xmlns="http://www.w3.org/2000/svg">{"".join(body)}</svg>'
