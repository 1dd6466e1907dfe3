"""One thing done by several candidates in turns, the first of them ours, and the goals it is held against."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bench.results import Row, Spread

OURS = "groundwire"
SLOW_SECONDS = 1.0
"""A candidate that takes longer than this runs in every third round."""

Timed = Callable[[], float]
"""Does the thing once and gives the seconds it took."""


@dataclass
class Race:
    """What is done, who does it, and the seconds it took each."""

    name: str
    candidates: dict[str, Timed]
    most_of: dict[str, float] = field(default_factory=dict)
    """At most so many times the time of a peer."""
    most_seconds: float | None = None
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def run_round(self, number: int) -> None:
        """Let every candidate do it once; round 0 only warms up."""
        for name, timed in self.candidates.items():
            before = self.seconds.setdefault(name, [])
            if before and before[-1] > SLOW_SECONDS and number % 3 != 1:
                continue
            took = timed()
            if number:
                before.append(took)

    def row(self) -> Row:
        """What is kept of the race, in milliseconds."""
        medians = {name: statistics.median(times) for name, times in self.seconds.items()}
        limits = {
            f"at most {_part(most)} {peer}": most * medians[peer]
            for peer, most in self.most_of.items()
            if peer in medians
        }
        if self.most_seconds is not None:
            limits[f"less than {self.most_seconds * 1e3:.0f} ms"] = self.most_seconds
        reached = all(medians[OURS] <= limit for limit in limits.values()) if limits else None
        spreads = {name: Spread.of([t * 1e3 for t in times]) for name, times in self.seconds.items()}
        return Row(self.name, "ms", spreads.pop(OURS), spreads, ", ".join(limits), reached)


def run_races(races: list[Race], rounds: int) -> list[Row]:
    """Every race, the rounds taken in turns; a row of each."""
    for number in range(rounds + 1):
        for race in races:
            race.run_round(number)
    return [race.row() for race in races]


def timed(action: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """The seconds it takes."""
    start = clock()
    action()
    return clock() - start


def _part(most: float) -> str:
    """`1.3 ×`, or a part: `1/3 of`."""
    return f"{most:g} ×" if most >= 1 else f"1/{1 / most:.0f} of"
