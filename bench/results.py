"""What a benchmark found, kept as data: rows with medians and spread, curves, where and when it was measured.

A benchmark ends with `save("name", rows, curves)`. The files are `.bench/results/NAME.json`; `bench/page.py`
makes the page and the plots of docs/benchmarks from them.
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


def save(
    bench: str,
    rows: Sequence[Row],
    curves: Sequence[Curve] = (),
    *,
    versions: Mapping[str, str] | None = None,
    note: str = "",
) -> Path:
    """Write the result down, with this machine and this day."""
    known = {"python": platform.python_version(), **(versions or {})}
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    result = Result(bench, today, machine(), known, list(rows), list(curves), note)
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{bench}.json"
    path.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1))
    return path


def load() -> list[Result]:
    """Every result there is, by name."""
    decoder = msgspec.json.Decoder(Result)
    return [decoder.decode(path.read_bytes()) for path in sorted(RESULTS.glob("*.json"))]


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
