"""What a benchmark found, kept as data: rows with medians and spread, curves, where and when it was measured.

A benchmark ends with `return finish("name", rows, curves)`: the rows are printed, kept as
`.bench/results/NAME.json`, and the exit code says whether the goals were reached. `bench/page.py` makes the
page and the plots of docs/benchmarks from what is kept.
"""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

RESULTS = Path(__file__).resolve().parent.parent / ".bench" / "results"


class Spread(msgspec.Struct, frozen=True):
    """Repeated measurements of one thing: the median and the quartiles."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of some measurements."""
        if len(values) < 2:
            return cls(values[0], values[0], values[0])
        low, median, high = statistics.quantiles(values, n=4, method="inclusive")
        return cls(median, low, high)


class Row(msgspec.Struct, frozen=True):
    """One thing that was measured, ours and the peers'."""

    what: str
    unit: str
    """`ms`, `requests/s`, `MB`, `%`…"""
    ours: Spread
    peers: dict[str, Spread] = {}
    goal: str = ""
    """In words: `at most 2 × rg`."""
    reached: bool | None = None
    """None where there is no goal."""


class Curve(msgspec.Struct, frozen=True):
    """How something grows."""

    name: str
    """The name of the plot's file: `grep-over-files`."""
    title: str
    x: str
    y: str
    lines: dict[str, list[tuple[float, float]]]
    """Ours is the line called groundwire."""
    logarithmic: bool = True


class Result(msgspec.Struct, frozen=True):
    """All that one benchmark found."""

    bench: str
    date: str
    machine: str
    versions: dict[str, str]
    rows: list[Row]
    curves: list[Curve]
    note: str = ""
    not_run: dict[str, str] = {}
    """The peers that were left out, and why."""

    @property
    def goals(self) -> list[Row]:
        """The rows that have a goal that could be judged."""
        return [row for row in self.rows if row.reached is not None]

    @property
    def missed(self) -> list[Row]:
        """The rows whose goal was not reached."""
        return [row for row in self.rows if row.reached is False]


def finish(
    bench: str,
    rows: Sequence[Row],
    curves: Sequence[Curve] = (),
    *,
    versions: Mapping[str, str] | None = None,
    not_run: Mapping[str, str] | None = None,
    note: str = "",
    keep: bool = True,
) -> int:
    """Print what was found and keep it, with this machine and this day; 1 when a goal was missed.

    What is only a look, and no measurement, is not kept.
    """
    known = {"python": platform.python_version(), **(versions or {})}
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    result = Result(bench, today, machine(), known, list(rows), list(curves), note, dict(not_run or {}))
    print("\n".join(map(told, rows)), flush=True)
    if keep:
        RESULTS.mkdir(parents=True, exist_ok=True)
        kept = msgspec.json.format(msgspec.json.encode(result), indent=1)
        (RESULTS / f"{bench}.json").write_bytes(kept)
    return 1 if result.missed else 0


def load() -> dict[str, Result]:
    """Every result there is, by name."""
    decoder = msgspec.json.Decoder(Result)
    return {path.stem: decoder.decode(path.read_bytes()) for path in sorted(RESULTS.glob("*.json"))}


def forget() -> None:
    """Throw away what is kept, so that a page tells of one run alone."""
    for path in RESULTS.glob("*.json"):
        path.unlink()


def told(row: Row) -> str:
    """A row for a terminal: what, the goal, and a line for each candidate."""
    verdict = {True: "reached", False: "MISSED", None: "not judged"}[row.reached]
    lines = [f"{row.what} ({row.unit})" + (f"   goal: {row.goal}: {verdict}" if row.goal else "")]
    lines.append(f"    {'groundwire':<28} {number(row.ours)}")
    lines += [f"    {name:<28} {number(peer):<28} {compared(row, peer)}" for name, peer in row.peers.items()]
    return "\n".join(lines)


def compared(row: Row, peer: Spread) -> str:
    """How ours compares with a peer: `3.1× faster`, `1.20× its time`, `0.90×`; nothing beside a zero."""
    if not peer.median or not row.ours.median:
        return "–"
    times = row.ours.median / peer.median
    if row.unit in ("ms", "s", "µs"):
        return f"{1 / times:.1f}× faster" if times < 0.95 else f"{times:.2f}× its time"
    return f"{times:.2f}×"


def number(spread: Spread) -> str:
    """The median and, where there is one, the spread: `85.9 [81.5–91.4]`."""
    if spread.low == spread.high:
        return short(spread.median)
    return f"{short(spread.median)} [{short(spread.low)}–{short(spread.high)}]"


def short(value: float) -> str:
    """Three digits, or all of a large number."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def machine() -> str:
    """This machine in a few words: system, processor, memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = f"{platform.system()} {platform.release().partition('-')[0]}"
    return f"{system}, {os.cpu_count()} cores ({_processor()}), {memory:.0f} GB"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
