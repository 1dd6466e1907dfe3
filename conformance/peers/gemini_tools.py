"""Gemini CLI's own tools (@google/gemini-cli-core) as the oracle for ours, call by call.

The comparison is `tools_differential.py`; the differences that are meant, each with its reason, are data in
`tools_allowed.py`. Commands are compared in `shell_differential.py`. Its encrypted store of sign-ins is
checked here, too (`gemini_keychain.py`), and so are the citations of its web search (`gemini_citations.py`).
"""

from __future__ import annotations

import re
import sys

from conformance.gemini_citations import check_citations
from conformance.gemini_keychain import check_keychain
from conformance.trial import PEER_SECONDS, ROOT, Trial

CALLS = 2000


async def run(trial: Trial) -> None:
    """Generated calls on generated workspaces, on both sides."""
    package = trial.place / "node_modules" / "@google" / "gemini-cli-core"
    words = [sys.executable, "-m", "conformance.tools_differential", "--calls", str(CALLS)]
    done = await trial.command(words, {"GEMINI_CORE": str(package)}, folder=ROOT, seconds=PEER_SECONDS)
    summary = re.search(
        r"^(\d+) calls, (\d+) explained differences, (\d+) unexplained$", done.out, re.MULTILINE
    )
    made, differing = (int(summary[1]), int(summary[2])) if summary else (0, 0)
    trial.check(f"{made:,} calls are made on both sides.", made >= CALLS, done.brief)
    trial.check(
        f"All but {differing} answers are the real tool's; these differ for a reason that is written down.",
        done.code == 0 and summary and summary[3] == "0",
        done.out[-600:] or done.brief,
    )
    words = [sys.executable, "-m", "conformance.shell_differential"]
    done = await trial.command(words, {"GEMINI_CORE": str(package)}, folder=ROOT, seconds=PEER_SECONDS)
    trial.check(
        "Of a command the model is told what the real tool tells, or the difference is written down.",
        done.code == 0 and ", 0 unexplained" in done.out,
        done.out[-600:] or done.brief,
    )
    await check_citations(trial)
    await check_keychain(trial)
