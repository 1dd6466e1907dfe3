"""The picture of the rooms and the arrows between them, drawn from the layers that import-linter checks."""

from __future__ import annotations

import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
ABOUT = {
    "cli": "one file per command",
    "gateway": "a local Gemini endpoint",
    "mcp": "tools for any MCP client",
    "integrations": "for other programs",
    "library": "the functions people import",
    "evaluation": "do the tools help?",
    "runtime": "the only wiring",
    "agent": "the loop, approval, sessions",
    "tools": "Gemini CLI's file tools",
    "search_tools": "search for models",
    "query": "one search",
    "workspace": "one door to the disk",
    "providers": "question to request, response to answer",
    "credentials": "keys and sign-ins",
    "citations": "marks and sources",
    "transport": "one verb: send",
    "config": "one frozen Config",
    "corpus": "documents in SQLite",
    "secret": "cannot print itself",
    "address": "what is safe to ask",
    "characters": "what others cannot take",
    "serving": "a socket and an application",
    "errors": "every deliberate failure",
}
"""What a box says below its name."""
WIDTH, ROW, BOX, GAP = 980, 74, 46, 14
SIDE = 210
STYLE = """
  text { font: 600 14px system-ui, sans-serif; fill: #202124; text-anchor: middle }
  .about { font-weight: 400; font-size: 11px; fill: #5f6368 }
  rect { fill: #e8f0fe; stroke: #1a73e8 }
  .apart { fill: #fef7e0; stroke: #e8710a }
  line { stroke: #5f6368; stroke-width: 1.5; marker-end: url(#tip) }
  #tip path { fill: #5f6368 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e8eaed } .about { fill: #bdc1c6 }
    rect { fill: #1f2f4d; stroke: #8ab4f8 } .apart { fill: #3c2e12; stroke: #fdd663 }
    line { stroke: #bdc1c6 } #tip path { fill: #bdc1c6 }
  }
"""


def layers() -> list[list[str]]:
    """The rooms, row by row from the top, as the contract has them."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rows = contract["tool"]["importlinter"]["contracts"][0]["layers"]
    return [[room.strip().strip("()") for room in row.split("|")] for row in rows]


def svg() -> str:
    """The drawing."""
    rows = layers()
    height = ROW * len(rows) + 10
    body = []
    for number, row in enumerate(rows):
        top = 8 + ROW * number
        width = (WIDTH - SIDE - GAP * (len(row) - 1)) / len(row)
        body += [_box(room, (width + GAP) * at, top, width) for at, room in enumerate(row)]
        if number:
            middle = (WIDTH - SIDE) / 2
            body.append(f'<line x1="{middle}" x2="{middle}" y1="{top - ROW + BOX + 2}" y2="{top - 9}"/>')
    body.append(_box("emulator", WIDTH - SIDE + 40, 8 + ROW * (len(rows) - 3), SIDE - 42, apart=True))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 0 {WIDTH} {height}" role="img">',
            "<title>The rooms of groundwire: each may import what stands below it</title>",
            f"<style>{STYLE}</style>",
            '<defs><marker id="tip" markerWidth="9" markerHeight="9" refX="2" refY="4" orient="auto">'
            '<path d="M0,0 L8,4 L0,8 z"/></marker></defs>',
            *body,
            "</svg>\n",
        ]
    )


def _box(room: str, left: float, top: float, width: float, *, apart: bool = False) -> str:
    about = "the servers' side of the wire" if apart else ABOUT.get(room, "")
    middle = left + width / 2
    kind = ' class="apart"' if apart else ""
    return (
        f'<rect{kind} x="{left:.1f}" y="{top}" width="{width:.1f}" height="{BOX}" rx="7"/>'
        f'<text x="{middle:.1f}" y="{top + 20}">{escape(room)}</text>'
        f'<text class="about" x="{middle:.1f}" y="{top + 36}">{escape(about)}</text>'
    )
