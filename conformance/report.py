"""What a person reads in the end: a line per check, a table of peers, and one plain closing line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from conformance.trial import Check, Outcome

Result = Literal["passed", "failed", "not run"]
MARKS: dict[Outcome, str] = {"passed": "ok   ", "failed": "FAIL ", "skipped": "skip "}
HEADINGS = ("peer", "version", "what was shown", "checks", "time", "result")


@dataclass(frozen=True, slots=True)
class PeerReport:
    """How one peer fared. `reason` says why it was not run; empty when it was."""

    peer: str
    version: str
    shows: str
    checks: tuple[Check, ...] = ()
    reason: str = ""
    seconds: float = 0.0

    @property
    def result(self) -> Result:
        """Passed only when it was run, something was checked, and nothing failed."""
        if self.reason:
            return "not run"
        good = self.checks and all(check.outcome != "failed" for check in self.checks)
        return "passed" if good else "failed"


def check_line(check: Check) -> str:
    """One check in one line."""
    return f"  {MARKS[check.outcome]} {check.sentence}" + (
        f"\n          saw: {check.seen}" if check.seen else ""
    )


def table(reports: Sequence[PeerReport]) -> str:
    """The reports as a table that is readable in a terminal and is Markdown too."""
    rows = [HEADINGS, *(_row(report) for report in reports)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = [_line(row, widths) for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def closing_line(reports: Iterable[PeerReport]) -> str:
    """`N passed, N failed, N skipped`, counted in checks; a peer that was not run is one skipped check."""
    outcomes = [check.outcome for report in reports for check in _counted(report)]
    return ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in ("passed", "failed", "skipped"))


def exit_code(reports: Iterable[PeerReport]) -> int:
    """1 when a peer failed; a peer that was not run is no failure."""
    return int(any(report.result == "failed" for report in reports))


def _counted(report: PeerReport) -> tuple[Check, ...]:
    if report.reason:
        return (Check(report.shows, "skipped"),)
    return report.checks or (Check(report.shows, "failed"),)


def _row(report: PeerReport) -> tuple[str, ...]:
    result: str = report.result
    if report.reason:
        result = f"not run: {report.reason}"
    failed = [check.sentence for check in report.checks if check.outcome == "failed"]
    if failed:
        result = f"failed: {failed[0]}" + (f" (and {len(failed) - 1} more)" if len(failed) > 1 else "")
    good = sum(check.outcome == "passed" for check in report.checks)
    checks = f"{good}/{len(report.checks)}" if report.checks else "-"
    time = f"{report.seconds:.0f} s" if report.checks else "-"
    cells = (report.peer, report.version, report.shows, checks, time, result)
    return tuple(" ".join(cell.split()).replace("|", "/") for cell in cells)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
