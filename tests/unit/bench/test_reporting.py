"""What `make bench` says in the end: goals reached, goals missed, and what was not run."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import results
from bench.__main__ import BENCHMARKS, outcome, summary
from bench.page import TITLES, page
from bench.results import Result, Row, Spread, finish, load, told

FAST = Row("reading", "ms", Spread(2, 1.5, 3), {"rg": Spread(4, 4, 4)}, "at most 1 × rg", True)
SLOW = Row("writing", "ms", Spread(9, 8, 10), {"rg": Spread(3, 3, 3)}, "at most 2 × rg", False)
PLAIN = Row("memory", "MB", Spread(5, 5, 5))


def result(*rows: Row, **not_run: str) -> Result:
    return Result("tools", "2026-01-01", "a machine", {"python": "3.11"}, list(rows), [], not_run=not_run)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results")
    return tmp_path / "results"


def test_every_benchmark_has_a_title_on_the_page_and_the_other_way_round() -> None:
    assert set(TITLES) == set(BENCHMARKS)


def test_the_exit_code_says_whether_every_goal_was_reached(kept: Path) -> None:
    assert finish("tools", [FAST, PLAIN]) == 0
    assert finish("tools", [FAST, SLOW]) == 1
    assert load()["tools"].missed == [SLOW]


def test_a_look_is_not_kept(kept: Path) -> None:
    assert finish("tools", [SLOW], keep=False) == 1
    assert load() == {}


def test_a_new_run_forgets_the_last_one(kept: Path) -> None:
    finish("tools", [FAST])
    results.forget()
    assert load() == {}


def test_a_row_tells_the_median_the_quartiles_the_ratio_and_the_verdict() -> None:
    lines = told(FAST).splitlines()
    assert lines[0] == "reading (ms)   goal: at most 1 × rg: reached"
    assert lines[1].split() == ["groundwire", "2", "[1.5–3]"]
    assert lines[2].split() == ["rg", "4", "2.0×", "faster"]
    assert "MISSED" in told(SLOW)
    assert "3.00× its time" in told(SLOW)


def test_a_goal_whose_peer_is_absent_is_not_judged() -> None:
    row = Row("reading", "ms", Spread(2, 2, 2), goal="at most 1 × rg")
    assert told(row).splitlines()[0].endswith("not judged")
    assert result(row).goals == []


def test_the_summary_names_what_was_missed_what_was_not_run_and_what_broke_off() -> None:
    found = {"tools": result(FAST, SLOW, openhands="there is no Python 3.12 or later here")}
    lines = summary(found, {"tools": 61.0, "mcp": 2.0}).splitlines()
    assert "1/2" in lines[1]
    assert "MISSED: writing (at most 2 × rg)" in lines[1]
    assert "not run: openhands (there is no Python 3.12 or later here)" in lines[1]
    assert "broke off" in lines[2]
    assert lines[-1] == "1 goals reached, 1 missed, 1 benchmarks broke off"


def test_nothing_counts_as_reached_that_was_not_run() -> None:
    assert outcome(result(gemini="node and npm are not installed")).startswith("not run: gemini")
    assert outcome(result(PLAIN)) == "measured, no goal"
    assert outcome(result(FAST)) == "reached"


def test_the_page_begins_with_what_was_not_reached_and_not_run() -> None:
    text = page([result(FAST, SLOW, OpenHands="no Python 3.12")])
    assert "1 of 2 goals were reached." in text
    assert "- Not reached: writing, 9 [8–10] ms; goal: at most 2 × rg." in text
    assert "- Not measured: Gateway." in text
    assert "- Not run in File tools: OpenHands (no Python 3.12)." in text
    assert "| reading | 2 [1.5–3] ms | rg 4 (2.0× faster) | at most 1 × rg: reached |" in text
