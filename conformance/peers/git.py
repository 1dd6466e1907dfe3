"""git itself as the oracle for our ignore rules: random repositories, listed by both.

The comparison is `tests/unit/workspace/test_ignore_like_git.py`, here on many more repositories.
"""

from __future__ import annotations

import re
import sys

from conformance.trial import PEER_SECONDS, ROOT, Trial

REPOSITORIES = 1000
COMPARISON = "tests/unit/workspace/test_ignore_like_git.py"


async def run(trial: Trial) -> None:
    """Every repository is one comparison."""
    words = [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", "-o", "addopts=", COMPARISON]
    variables = {"GROUNDWIRE_REPOSITORIES": str(REPOSITORIES)}
    done = await trial.command(words, variables, folder=ROOT, seconds=PEER_SECONDS)
    compared = re.search(r"(\d+) passed", done.out)
    trial.check(
        f"In {REPOSITORIES} random repositories our walk lists exactly what `git ls-files` lists.",
        done.code == 0 and compared and int(compared[1]) == REPOSITORIES,
        done.out[-600:] or done.brief,
    )
