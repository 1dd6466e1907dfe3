"""The picture of a cited answer in a terminal: a real search on the emulator, drawn by the real renderer."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from groundwire.citations import WebSearchResult
from groundwire.cli.rendering import show
from groundwire.config import load_config
from groundwire.emulator import Emulator
from groundwire.runtime import Runtime
from groundwire.testing import AsgiTransport

QUERY = "What is the weather in Beijing, and what should a visitor see?"
WIDTH = 90

PAPER = TerminalTheme(
    background=(250, 250, 248),
    foreground=(36, 41, 46),
    normal=[
        (36, 41, 46),
        (176, 42, 55),
        (34, 112, 60),
        (140, 98, 0),
        (9, 88, 168),
        (120, 60, 150),
        (0, 112, 128),
        (110, 118, 129),
    ],
)

TITLE = "groundwire search: an answer with numbered, clickable sources"

# rich's own template loads a font from a web server; a picture in a repository should load nothing.
TEMPLATE = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<title>@title@</title>
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px;
}}
.{unique_id}-title {{ font-size: 16px; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def drawn(console: Console, title: str, name: str) -> str:
    """The picture of what was printed on a recording console."""
    template = TEMPLATE.replace("@title@", title)
    return console.export_svg(title="", theme=PAPER, code_format=template, unique_id=name)


def svg() -> str:
    """The picture, the same bytes every time."""
    console = Console(
        file=io.StringIO(),
        record=True,
        width=WIDTH,
        highlight=False,
        force_terminal=True,
        color_system="truecolor",
    )
    console.print(Text(f'$ groundwire search "{QUERY}"\n', style="bold"))
    show(asyncio.run(searched()), console)
    console.print()
    return drawn(console, TITLE, "answer")


async def searched() -> WebSearchResult:
    """What Gemini, as the emulator plays it, answers to QUERY."""
    emulator = Emulator()
    env = emulator.env()
    config = load_config(env=env, cwd=Path(), home=Path("nowhere"))
    try:
        async with Runtime(config, env=env, http=AsgiTransport(emulator.app)) as runtime:
            return await runtime.search(QUERY, "gemini")
    finally:
        emulator.close()
