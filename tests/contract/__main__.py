"""`python -m tests.contract` (or `make accept`): accept the contracts as the code states them now."""

from __future__ import annotations

import sys

from tests.committed import difference
from tests.contract.contracts import CONTRACTS, SNAPSHOTS


def main() -> None:
    """Write each contract that changed, and show how."""
    SNAPSHOTS.mkdir(exist_ok=True)
    for name, write_down in CONTRACTS.items():
        text = write_down()
        changed = difference(SNAPSHOTS / name, text)
        if changed:
            (SNAPSHOTS / name).write_text(text, encoding="utf-8")
            sys.stdout.write(f"{changed}\n\naccepted: {name}\n")


if __name__ == "__main__":
    main()
