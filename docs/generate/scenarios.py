"""The table of scenarios in docs/emulator.md, from the emulator's catalogue; the rest is written by hand."""

from __future__ import annotations

from pathlib import Path

from docs.generate.inset import renewed
from groundwire.emulator.scenarios import catalogue

PAGE = Path(__file__).parents[1] / "emulator.md"
BEGIN = "<!-- scenarios: made by `make pages` from the emulator's catalogue -->\n"
END = "<!-- end of scenarios -->\n"


def page() -> str:
    """The page with its table renewed."""
    return renewed(PAGE, BEGIN, table(), END)


def table() -> str:
    """One line per scenario: name, what happens, which APIs play it."""
    rows = [
        f"| `{name}` | {plain(scenario.about)} | {', '.join(scenario.apis) or 'all'} |"
        for name, scenario in catalogue().items()
    ]
    return "\n".join(["| scenario | what happens | API |", "|---|---|---|", *rows, ""])


def plain(text: str) -> str:
    """The text with nothing in it that markdown would take for a link or the end of a cell."""
    return text.replace("](", "]\\(").replace("|", "\\|")
