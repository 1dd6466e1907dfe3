"""Races: the rounds, the medians, and the goals."""

from __future__ import annotations

from collections.abc import Callable

from bench.race import OURS, Race, run_races


def taking(*seconds: float) -> tuple[Callable[[], float], list[float]]:
    """A candidate that takes these seconds, the last ones for ever, and the list of what it took."""
    taken: list[float] = []

    def timed() -> float:
        taken.append(seconds[min(len(taken), len(seconds) - 1)])
        return taken[-1]

    return timed, taken


def test_the_first_round_only_warms_up() -> None:
    ours, taken = taking(9.0, 0.001, 0.002, 0.003)
    (row,) = run_races([Race("reading", {OURS: ours})], rounds=3)
    assert taken == [9.0, 0.001, 0.002, 0.003]
    assert (row.ours.median, row.reached) == (2.0, None)


def test_a_slow_candidate_runs_in_every_third_round() -> None:
    ours, _ = taking(0.001)
    slow, taken = taking(2.0)
    run_races([Race("searching", {OURS: ours, "slow": slow})], rounds=9)
    assert len(taken) == 1 + 3


def test_every_goal_must_be_reached() -> None:
    ours, other, third = taking(0.004)[0], taking(0.002)[0], taking(0.1)[0]
    race = Race("reading", {OURS: ours, "rg": other, "them": third}, {"rg": 2.0, "them": 1 / 3})
    (row,) = run_races([race], rounds=1)
    assert (row.goal, row.reached) == ("at most 2 × rg, at most 1/3 of them", True)
    (row,) = run_races([Race("reading", race.candidates, {"rg": 1.9, "them": 1 / 3})], rounds=1)
    assert row.reached is False


def test_a_goal_against_an_absent_peer_is_left_out() -> None:
    (row,) = run_races([Race("reading", {OURS: taking(0.001)[0]}, {"them": 0.1})], rounds=1)
    assert (row.goal, row.reached) == ("", None)


def test_a_limit_in_seconds_is_a_goal_too() -> None:
    (row,) = run_races([Race("reading", {OURS: taking(0.004)[0]}, most_seconds=0.003)], rounds=1)
    assert (row.goal, row.reached) == ("less than 3 ms", False)
