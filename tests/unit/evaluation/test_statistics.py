"""The statistics against values that others published or that can be worked out by hand."""

from __future__ import annotations

import pytest

from groundwire.evaluation.statistics import bootstrap, mcnemar, wilson


@pytest.mark.parametrize(
    ("successes", "tries", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 0.8389, 1.0),
    ],
)
def test_wilson_intervals_are_the_published_ones(successes: int, tries: int, low: float, high: float) -> None:
    interval = wilson(successes, tries)
    assert interval.estimate == successes / tries
    assert interval.low == pytest.approx(low, abs=5e-5)
    assert interval.high == pytest.approx(high, abs=5e-5)


def test_no_tries_say_nothing() -> None:
    assert wilson(0, 0) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [
        (0, 0, 1.0),
        (3, 0, 0.25),  # 2 / 2**3
        (0, 6, 0.03125),  # 2 / 2**6
        (5, 1, 0.21875),  # 2 * (1 + 6) / 2**6
        (4, 4, 1.0),
        (10, 2, 0.03857421875),  # 2 * (1 + 12 + 66) / 2**12
    ],
)
def test_mcnemar_is_exact(only_first: int, only_second: int, p: float) -> None:
    assert mcnemar(only_first, only_second) == pytest.approx(p)
    assert mcnemar(only_second, only_first) == pytest.approx(p)


def test_a_bootstrap_of_equal_differences_has_no_width() -> None:
    assert bootstrap([2.0] * 10) == (2.0, 2.0, 2.0)


def test_a_bootstrap_interval_is_near_the_one_of_the_normal_distribution() -> None:
    differences = [
        float(number) for number in range(-50, 51)
    ]  # mean 0, standard error 29.15 / sqrt(101) = 2.90
    interval = bootstrap(differences)
    assert interval.estimate == 0
    assert interval.low == pytest.approx(-1.96 * 2.90, abs=0.4)
    assert interval.high == pytest.approx(1.96 * 2.90, abs=0.4)
    assert not interval.excludes_zero


def test_pairs_of_one_task_count_as_one_draw() -> None:
    """A hundred copies of two tasks are two observations, not two hundred."""
    differences, groups = [1.0] * 100 + [-1.0] * 100, ["one"] * 100 + ["two"] * 100
    interval = bootstrap(differences, groups)
    assert (interval.low, interval.high) == (-1.0, 1.0)
    assert bootstrap(differences).high < 0.2


def test_the_same_differences_give_the_same_interval() -> None:
    differences = [0.0, 1.0, 3.0, -2.0, 5.0]
    assert bootstrap(differences) == bootstrap(differences)


def test_nothing_to_compare_is_no_difference() -> None:
    assert bootstrap([]) == (0.0, 0.0, 0.0)
