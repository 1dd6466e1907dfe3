"""The table of mistakes in docs/evaluation.md, from the replay model's own words."""

from __future__ import annotations

from pathlib import Path

from docs.generate.inset import renewed
from groundwire.evaluation.mistakes import VARIANTS, described

PAGE = Path(__file__).parents[1] / "evaluation.md"
BEGIN = "<!-- mistakes: made by `make pages` from the replay model's own words -->\n"
END = "<!-- end of mistakes -->\n"


def page() -> str:
    """The page with its table renewed."""
    return renewed(PAGE, BEGIN, table(), END)


def table() -> str:
    """One line per variant: its name, and what is wrong with the first call of each edit."""
    rows = [f"| `replay:{name}` | {' '.join(described(name).split())} |" for name in VARIANTS]
    return "\n".join(["| model | the first call of each edit |", "|---|---|", *rows, ""])
