"""Ray: the same evaluation in a process pool and on a cluster. The checks are in `ray_engine.py`."""

from __future__ import annotations

from conformance.told import told_by
from conformance.trial import PROGRAMS, Trial


async def run(trial: Trial) -> None:
    """The program's checks."""
    trial.checks += await told_by(trial, PROGRAMS / "ray_engine.py")
