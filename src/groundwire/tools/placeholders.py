"""Omission placeholders: lines like `// rest of code ...` that stand for text a model left out."""

from __future__ import annotations

_OMITTED = frozenset(
    (
        "rest of",
        "rest of method",
        "rest of methods",
        "rest of code",
        "unchanged code",
        "unchanged method",
        "unchanged methods",
    )
)


def omission_placeholders(text: str) -> list[str]:
    """The placeholders in `text`, each in its plain form: `rest of code ...`."""
    if "..." not in text:
        return []
    found = (_placeholder(line) for line in text.split("\n"))
    return [placeholder for placeholder in found if placeholder]


def _placeholder(line: str) -> str | None:
    text = line.strip().removeprefix("//").strip()
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    before, dots, after = text.partition("...")
    said = " ".join(before.lower().split())
    if dots and said in _OMITTED and not after.strip().strip("."):
        return f"{said} ..."
    return None
