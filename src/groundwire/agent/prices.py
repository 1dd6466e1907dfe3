"""What Gemini's tokens cost: the list prices of the paid tier, as data with their date, and what a reply
costs.

The prices change; `agent.prices` in groundwire.toml replaces or adds to them. A cost reckoned here is an
upper estimate: tokens from a cache are counted in full, and free quotas are not known. Of a search, its fee
is counted and not its tokens, which the provider does not tell us.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from groundwire.agent.reply import Usage

AS_OF = "2026-10-07"
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

    def of(self, usage: Usage) -> float:
        """What one reply costs."""
        given, made = self.input, self.output
        if usage.given > LONG_PROMPT:
            given, made = self.input_long or given, self.output_long or made
        return (usage.given * given + usage.made * made) / _MILLION


_SEARCH_2, _SEARCH_3 = 0.035, 0.014
PRICES: Mapping[str, Price] = {
    "gemini-3.8-flash": Price(0.75, 3.75, _SEARCH_3),  # doubles on 2027-01-01
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


def price_of(model: str, own: Mapping[str, Mapping[str, float]] | None = None) -> Price | None:
    """The price of a model, the person's own prices first; None when nobody knows it."""
    theirs = {name: Price(**price) for name, price in (own or {}).items()}
    return _longest_beginning(model, theirs) or _longest_beginning(model, PRICES)


def _longest_beginning(model: str, prices: Mapping[str, Price]) -> Price | None:
    name = model.removeprefix("models/")
    known = [one for one in prices if name == one or name.startswith(f"{one}-")]
    return prices[max(known, key=len)] if known else None


def in_dollars(cost: float) -> str:
    """A cost for people: cents where they say enough, more digits below."""
    return f"${cost:.2f}" if cost >= 0.995 or cost == 0 else f"${cost:.4f}"
