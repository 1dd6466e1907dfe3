"""Every scenario by name: what goes wrong (or differently), where, and in one sentence why it is here.

A request plays the scenarios it names, most specific first:

1. the header `x-emulator-scenario: NAME`
2. a path that starts with `/~NAME/` (put it in the base URL: http://127.0.0.1:PORT/~NAME)
3. a marker in the request body, `[[scenario:NAME]]` (write it in the prompt)
4. the emulator's own sticky scenarios (`--scenario NAME`)

Several names are joined with `+`: `thoughts+split-multibyte`. A scenario acts in up to three places:
`before` answers instead of the API, `turn` changes what the model does, `after` changes the reply.
Those with none of the three are read by the API they belong to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from groundwire.emulator.composing import STYLES, Style
from groundwire.emulator.conversation import Conversation, Turn
from groundwire.emulator.wire import Call, Reply
from groundwire.errors import InvalidConfig

if TYPE_CHECKING:
    from groundwire.emulator.world import World

HEADER = "x-emulator-scenario"
MARKER = re.compile(rb"\[\[scenario:([a-z0-9+-]+)\]\]")
_WRITTEN = re.compile(MARKER.pattern.decode("ascii"))


@dataclass(frozen=True, slots=True)
class Scenario:
    """One named deviation. `apis` and `kinds` say which calls it touches; empty means all."""

    name: str
    about: str
    apis: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    before: Callable[[Call, World], Reply | None] | None = None
    turn: Callable[[Turn, Conversation], Turn] | None = None
    after: Callable[[Call, World, Reply], Reply] | None = None

    def touches(self, call: Call) -> bool:
        """Whether this scenario has anything to do with the call."""
        return (not self.apis or call.api in self.apis) and (not self.kinds or call.kind in self.kinds)


@cache
def catalogue() -> Mapping[str, Scenario]:
    """All scenarios by name, in the order they are listed."""
    from groundwire.emulator.faults import FAULTS  # noqa: PLC0415  (faults describe themselves with Scenario)

    return {scenario.name: scenario for scenario in (*STYLE_SCENARIOS, REDIRECT_LINKS, *FAULTS)}


def unmarked(text: str) -> str:
    """The text of a prompt without the scenarios it names: a model does not see them."""
    return _WRITTEN.sub("", text).strip() if "[[scenario:" in text else text


def names_in(text: str) -> tuple[str, ...]:
    """The scenario names in `a+b`; InvalidConfig with the nearest name when one is unknown."""
    names = tuple(name for name in text.strip().split("+") if name)
    for name in names:
        if name not in catalogue():
            from difflib import get_close_matches  # noqa: PLC0415  (only when something is misspelt)

            near = get_close_matches(name, catalogue(), n=1)
            hint = f"Did you mean '{near[0]}'? " if near else ""
            raise InvalidConfig(
                f"There is no scenario '{name}'.",
                hint=f"{hint}groundwire emulator --list-scenarios shows all.",
            )
    return names


def style_for(names: Iterable[str]) -> Style | None:
    """The phrasing style the scenarios ask for, if any."""
    return next((style for style in STYLES if f"style-{style}" in names), None)


_GOOGLE = ("gemini", "vertex", "code-assist")

REDIRECT_LINKS = Scenario(
    "redirect-links",
    "search answers: links redirect to the source, as Google's own do",
    apis=_GOOGLE,
)

STYLE_SCENARIOS = tuple(
    Scenario(f"style-{style}", about, apis=_GOOGLE)
    for style, about in zip(
        STYLES,
        (
            "search answers: one sentence per source",
            "search answers: the first sentence rests on all sources at once",
            "search answers: two supports end at the same place",
            "search answers: an unsourced introduction, then a bullet list",
            "search answers: emoji and combining characters before each claim",
        ),
        strict=True,
    )
)
