"""What Gemini's tokens cost: the list prices of the paid tier, as data with their date, and what a reply
costs.

The prices change, and some were taken from what others wrote about them; `agent.prices` in groundwire.toml
replaces or adds to them. So a cost always comes with its basis: whose prices, of which day, and whether that
is long ago. It is an upper estimate: tokens from a cache are counted in full, and free quotas are not known.
Of a search, its fee is counted and not its tokens, which the provider does not tell us.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from groundwire.agent.reply import Usage

AS_OF = date(2026, 10, 7)
GOOD_FOR = timedelta(days=90)
"""How long the list is believed without a word about its age."""
SOURCE = "https://ai.google.dev/gemini-api/docs/pricing"
LONG_PROMPT = 200_000
"""From more tokens than this in a prompt, some models cost more."""
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars: for a million tokens given to the model and made by it (thoughts included), and for a
    search."""

    input: float
    output: float
    search: float = 0.0
    input_long: float | None = None
    """For prompts beyond LONG_PROMPT; None when it makes no difference."""
    output_long: float | None = None
    basis: str = field(default="by the prices that were given", compare=False)
    """Whose prices these are, for people."""

    def of(self, usage: Usage) -> float:
        """What one reply costs."""
        given, made = self.input, self.output
        if usage.given > LONG_PROMPT:
            given, made = self.input_long or given, self.output_long or made
        return (usage.given * given + usage.made * made) / _MILLION


_SEARCH_2, _SEARCH_3 = 0.035, 0.014
PRICES: Mapping[str, Price] = {
    "gemini-3.8-flash": Price(0.75, 3.75, _SEARCH_3),
    "gemini-3.5-flash": Price(1.50, 9.00, _SEARCH_3),
    "gemini-3.5-flash-lite": Price(0.30, 2.50, _SEARCH_3),
    "gemini-3.1-pro": Price(2.00, 12.00, _SEARCH_3, 4.00, 18.00),
    "gemini-3.1-flash-lite": Price(0.25, 1.50, _SEARCH_3),
    "gemini-3-pro": Price(2.00, 12.00, _SEARCH_3, 4.00, 18.00),
    "gemini-3-flash": Price(0.50, 3.00, _SEARCH_3),
    "gemini-2.5-pro": Price(1.25, 10.00, _SEARCH_2, 2.50, 15.00),
    "gemini-2.5-flash": Price(0.30, 2.50, _SEARCH_2),
    "gemini-2.5-flash-lite": Price(0.10, 0.40, _SEARCH_2),
}
"""By the beginning of a model's name: `gemini-3-flash` is also the price of `gemini-3-flash-preview`."""


ANNOUNCED: Mapping[str, tuple[date, Price]] = {
    "gemini-3.8-flash": (date(2027, 1, 1), Price(1.50, 7.50, _SEARCH_3)),
}
"""Prices that count from a day on."""


def price_of(
    model: str, own: Mapping[str, Mapping[str, float]] | None = None, *, today: date = AS_OF
) -> Price | None:
    """The price of a model, the person's own prices first; None when nobody knows it."""
    theirs = {name: Price(**price, basis="by your own prices") for name, price in (own or {}).items()}
    if name := _longest_beginning(model, theirs):
        return theirs[name]
    if name := _longest_beginning(model, PRICES):
        since, announced = ANNOUNCED.get(name, (date.max, PRICES[name]))
        return replace(announced if today >= since else PRICES[name], basis=_basis(today))
    return None


def no_basis(model: str) -> str:
    """Why there is no cost."""
    return f"no price is known for {model}; see agent.prices"


def _basis(today: date) -> str:
    listed = f"by the list prices of {AS_OF.isoformat()}"
    return f"{listed}, which are old: check them" if today > AS_OF + GOOD_FOR else listed


def _longest_beginning(model: str, prices: Mapping[str, Price]) -> str:
    name = model.removeprefix("models/")
    known = [one for one in prices if name == one or name.startswith(f"{one}-")]
    return max(known, key=len, default="")


def in_dollars(cost: float) -> str:
    """A cost for people: cents where they say enough, more digits below."""
    return f"${cost:.2f}" if cost >= 0.995 or cost == 0 else f"${cost:.4f}"
