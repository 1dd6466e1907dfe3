"""Programs that judge for themselves: run where the peer is installed, their checks read line by line.

ok    A used-up plan is told with the time of reset.
FAIL  A stream without its end is noticed. -- AssertionError: it was not
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from conformance.commands import Finished
from conformance.trial import PEER_SECONDS, Check, Trial

_LINE = re.compile(r"^(?P<mark>ok|FAIL) {2,}(?P<sentence>.*?)(?: -- (?P<seen>.*))?$", re.MULTILINE)


async def told_by(trial: Trial, program: Path, *words: str) -> list[Check]:
    """Run a Python program with the peer's own Python, or with ours where the peer has none."""
    own = trial.place / "bin" / "python"
    python = [str(own), "-I"] if own.is_file() else [sys.executable]
    return checks_in(await trial.command([*python, str(program), *words], seconds=PEER_SECONDS))


def checks_in(done: Finished) -> list[Check]:
    """The checks a finished program told of, and a failed one more when it ended as none of them says."""
    checks = [
        Check(line["sentence"], "passed" if line["mark"] == "ok" else "failed", line["seen"] or "")
        for line in _LINE.finditer(done.out)
    ]
    failed = any(check.outcome == "failed" for check in checks)
    if done.timed_out or not checks or (done.code != 0 and not failed):
        checks.append(Check("The program comes to its end.", "failed", done.brief))
    return checks
