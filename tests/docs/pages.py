"""The pages of the documentation and the fenced blocks in them.

A block's first word says what it is; `tests/docs/test_examples.py` says what becomes of each kind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

_BLOCK = re.compile(r"^```([^\n`]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: ```` ```kind word word ````, its text, and the line of the page it begins on."""

    kind: str
    words: tuple[str, ...]
    text: str
    line: int

    @property
    def file_name(self) -> str:
        """The name behind `save=`, or nothing."""
        return next((word.removeprefix("save=") for word in self.words if word.startswith("save=")), "")


def pages() -> list[Path]:
    """Every page a reader may try something from."""
    return [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, from top to bottom."""
    content = page.read_text(encoding="utf-8")
    found = []
    for match in _BLOCK.finditer(content):
        kind, *words = match.group(1).split()
        found.append(Block(kind, tuple(words), match.group(2), content.count("\n", 0, match.start()) + 1))
    return found
