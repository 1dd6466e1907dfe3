"""The real `codex`: what it does with the emulator, and how it shares its sign-in with us.

The checks are in `codex_cli.py` and `codex_store.py`, programs that judge for themselves.
"""

from __future__ import annotations

from conformance.pasting import check_pasted
from conformance.peers import codex_installed
from conformance.told import told_by
from conformance.trial import PROGRAMS, Trial


async def run(trial: Trial) -> None:
    """Make sure which program it is, then run both programs and take over their checks."""
    named = await trial.command(["codex", "--version"])
    trial.check("The program is the pinned version.", named.out.split()[-1:] == [trial.version], named.brief)
    for program in ("codex_cli.py", "codex_store.py"):
        trial.checks += await told_by(trial, PROGRAMS / program, "--codex", "codex")
    # Codex always offers web search, so the emulator searches, here for a word that is in no document.
    await check_pasted(trial, "Codex", "I searched the web and found nothing")
    await codex_installed.check_installed(trial)
