"""The scenarios that change how an OpenAI-style answer is phrased or streamed, listed by name.

They act by being named: `answers` and `shape` look for them in a request.
"""

from __future__ import annotations

from groundwire.emulator.openai.shape import SHAPES
from groundwire.emulator.openai.styles import STYLES
from groundwire.emulator.scenarios import Scenario

_APIS = ("codex", "openrouter")


def _first_line(words: str | None) -> str:
    return (words or "").strip().splitlines()[0] if words else ""


PHRASING_SCENARIOS = tuple(
    Scenario(f"style-{name}", _first_line(style.__doc__), _APIS, ("generate",))
    for name, style in STYLES.items()
)

SHAPE_SCENARIOS = tuple(Scenario(name, change.about, _APIS, ("generate",)) for name, change in SHAPES.items())
