"""Which files are generated, and by what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from docs.generate import commands, errors, hosts, picture, rooms, scenarios, variants
from groundwire.mcp import declaring

ROOT = Path(__file__).parents[2]

GENERATED: Mapping[str, Callable[[], str]] = {
    "docs/cli.md": commands.page,
    "docs/emulator.md": scenarios.page,
    "docs/errors.md": errors.page,
    "docs/evaluation.md": variants.page,
    "docs/images/answer.svg": picture.svg,
    **hosts.GENERATED,
    "src/groundwire/mcp/declarations.json": declaring.text,
    "docs/images/rooms.svg": rooms.svg,
}
"""Path in the repository: the function that makes its text."""
