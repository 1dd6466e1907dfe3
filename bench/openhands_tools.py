"""OpenHands' search tool as a process of its own, run by a Python that has `openhands-tools`.

    python bench/openhands_tools.py DIRECTORY

Reads one pattern per line and answers each with the seconds that the search took and the number of files
found. `bench/openhands_peer.py` starts it; it imports nothing of ours, because that Python need not have it.
"""

from __future__ import annotations

import json
import sys
import time

from openhands.tools.grep.definition import GrepAction
from openhands.tools.grep.impl import GrepExecutor


def main() -> None:
    """Answer patterns until there are no more."""
    executor = GrepExecutor(working_dir=sys.argv[1])
    for line in sys.stdin:
        pattern = json.loads(line)
        start = time.perf_counter()
        observation = executor(GrepAction(pattern=pattern))
        seconds = time.perf_counter() - start
        answer = {"seconds": seconds, "files": len(observation.matches), "error": observation.is_error}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
