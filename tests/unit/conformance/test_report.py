"""The table and the closing line of the conformance run."""

from __future__ import annotations

from conformance.report import PeerReport, check_line, closing_line, exit_code, table
from conformance.trial import Check

GOOD = PeerReport("opencode", "1.0", "answers", (Check("It answers.", "passed"),))
BAD = PeerReport(
    "codex", "2.0", "signs in", (Check("It signs in.", "failed", "no"), Check("It answers.", "passed"))
)
ABSENT = PeerReport("gemini-cli", "3.0", "answers", reason="node and npm are not installed")


def test_a_peer_that_was_not_run_is_never_passed() -> None:
    assert ABSENT.result == "not run"
    assert "not run: node and npm are not installed" in table([ABSENT])


def test_a_peer_that_was_run_and_showed_nothing_is_failed() -> None:
    silent = PeerReport("opencode", "1.0", "answers")
    assert silent.result == "failed"
    assert exit_code([silent]) == 1
    assert closing_line([silent]) == "0 passed, 1 failed, 0 skipped"


def test_one_failed_check_fails_the_peer_and_the_run() -> None:
    assert BAD.result == "failed"
    assert exit_code([GOOD, BAD]) == 1


def test_a_peer_that_was_not_run_alone_is_no_failure_but_is_counted() -> None:
    assert exit_code([GOOD, ABSENT]) == 0
    assert closing_line([GOOD, ABSENT]) == "1 passed, 0 failed, 1 skipped"


def test_the_table_names_the_first_failed_check_and_how_many_held() -> None:
    last = table([GOOD, BAD]).splitlines()[-1]
    assert "failed: It signs in." in last
    assert "| 1/2 " in last


def test_every_line_of_the_table_has_the_same_width_and_cells() -> None:
    lines = table([GOOD, BAD, ABSENT]).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert {line.count("|") for line in lines} == {7}


def test_a_reason_with_a_bar_or_a_line_break_does_not_break_the_table() -> None:
    broken = PeerReport("codex", "1.0", "answers", reason="npm | said:\nno")
    assert table([broken]).splitlines()[-1].count("|") == 7


def test_a_failed_check_shows_what_was_seen() -> None:
    assert "saw: no" in check_line(BAD.checks[0])
    assert "saw" not in check_line(GOOD.checks[0])
