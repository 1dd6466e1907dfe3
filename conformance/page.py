"""Puts the table of a whole run where people look: the section "Last measured" of docs/conformance.md."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "conformance.md"
SECTION = "## Last measured\n"


def measured(page: str, closing: str, circumstances: str) -> str:
    """The page with another table in its section; what stands before and after it is kept."""
    before, found, after = page.partition(SECTION)
    if not found:
        raise ValueError(f"the page has no section {SECTION!r}")
    _, next_section, rest = after.partition("\n## ")
    text = f"{before}{SECTION}\n{circumstances}\n\n{closing.strip()}\n"
    return f"{text}{next_section}{rest}" if next_section else text
