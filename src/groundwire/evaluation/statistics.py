"""The few statistics a comparison needs, as plain functions of numbers.

wilson     an interval for a share, honest for few tries and for shares near 0 and 1
mcnemar    how likely a difference this large is by chance, for the same tasks tried twice
bootstrap  an interval for a mean difference of pairs, by drawing the pairs again and again
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import NamedTuple

Z_95 = 1.959963984540054
DRAWS = 5000
SEED = 20260101
"""Draws are the same in every run, so that a report can be made again."""


class Interval(NamedTuple):
    """An estimate and the range it lies in with a confidence of 95%."""

    estimate: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """Whether a difference of nothing lies outside."""
        return self.low > 0 or self.high < 0


def mean(numbers: Sequence[float]) -> float:
    """The mean; 0 for none."""
    return sum(numbers) / len(numbers) if numbers else 0.0


def wilson(successes: int, tries: int) -> Interval:
    """The share of successes with Wilson's score interval."""
    if not tries:
        return Interval(0.0, 0.0, 1.0)
    share, z2 = successes / tries, Z_95 * Z_95
    middle = (share + z2 / (2 * tries)) / (1 + z2 / tries)
    half = Z_95 * math.sqrt(share * (1 - share) / tries + z2 / (4 * tries * tries)) / (1 + z2 / tries)
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half))


def mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided exact p-value for pairs of which so many were solved by one side only."""
    discordant = only_first + only_second
    if not discordant:
        return 1.0
    tail = sum(math.comb(discordant, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, 2.0 * tail / float(2**discordant))


def bootstrap(
    differences: Sequence[float], groups: Sequence[str] | None = None, *, draws: int = DRAWS, seed: int = SEED
) -> Interval:
    """The mean of paired differences with its percentile interval.

    Pairs of the same group (the same task played in several variants) are not independent: with `groups`,
    whole groups are drawn.
    """
    if not differences:
        return Interval(0.0, 0.0, 0.0)
    labels = list(groups) if groups is not None else [str(at) for at in range(len(differences))]
    sums: dict[str, list[float]] = {}
    for label, difference in zip(labels, differences, strict=True):
        total = sums.setdefault(label, [0.0, 0.0])
        total[0] += difference
        total[1] += 1
    clusters = list(sums.values())
    rng = random.Random(seed)  # noqa: S311  (draws for statistics, no secret)
    means = sorted(_mean_of(rng.choices(clusters, k=len(clusters))) for _ in range(draws))
    return Interval(mean(differences), _percentile(means, 0.025), _percentile(means, 0.975))


def _mean_of(clusters: Sequence[Sequence[float]]) -> float:
    return sum(cluster[0] for cluster in clusters) / sum(cluster[1] for cluster in clusters)


def _percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which that share of the ordered values lies, interpolated between neighbours."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
