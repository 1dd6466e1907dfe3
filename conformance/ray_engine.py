"""An evaluation with both engines, compared: run where Ray and groundwire are installed.

Prints a line for each check (see `told.py`).
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from groundwire.evaluation.attempt import Attempt
from groundwire.evaluation.engines import PoolEngine, RayEngine
from groundwire.evaluation.results import Result, read_results
from groundwire.evaluation.run import Wanted, evaluate

TASKS = ("names-latin1", "settings-crlf", "slug-new-module", "units-siblings")
MODELS = ("replay:exact", "replay:stale", "replay:too-short", "replay:elided")
STOP_AFTER = 5


class Silent:
    """Hears how a run goes; may interrupt it."""

    def __init__(self, stop_after: int | None = None) -> None:
        self._left = stop_after

    def planned(self, attempts: int, done: Sequence[Result]) -> None:
        """The run begins."""

    def started(self, attempt: Attempt) -> None:
        """An attempt begins."""

    def finished(self, result: Result) -> None:
        """An attempt is over."""
        if self._left is not None:
            self._left -= 1
            if self._left == 0:
                raise KeyboardInterrupt


def told(results: list[Result]) -> list[dict[str, object]]:
    """Everything but the times."""
    return [result.told_apart_from_time() for result in results]


def main() -> int:
    """Run and compare."""
    wanted = Wanted("builtin", ("gemini", "legacy"), MODELS, only=TASKS)
    failed = 0

    def check(sentence: str, holds: bool, seen: object = "") -> None:
        nonlocal failed
        failed += not holds
        print(f"{'ok   ' if holds else 'FAIL '} {sentence}" + ("" if holds else f" -- {seen}"), flush=True)

    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        here = evaluate(wanted, place / "pool", PoolEngine(2), Silent())
        there = evaluate(wanted, place / "ray", RayEngine(2), Silent())
        different = [(one, two) for one, two in zip(told(here), told(there), strict=True) if one != two]
        check(
            f"{len(here)} attempts give the same results in a process pool and on Ray.",
            not different,
            different[:1],
        )
        resolved = sum(result.resolved for result in there)
        check("Some of them are resolved and some are not.", 0 < resolved < len(there), resolved)
        with contextlib.suppress(KeyboardInterrupt):
            evaluate(wanted, place / "stopped", RayEngine(2), Silent(STOP_AFTER))
        kept = len(read_results(place / "stopped"))
        again = evaluate(wanted, place / "stopped", RayEngine(2), Silent())
        check(
            "A run on Ray that is interrupted goes on and loses nothing.",
            kept == STOP_AFTER and told(again) == told(here),
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
