"""What happens during a run, as it happens: each event is a struct that is also one line of JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec


class TurnBegan(msgspec.Struct, frozen=True, tag="turn"):
    """The model is asked. `tokens` and `cost` (US dollars, None when the price is not known) are what the run
    has used so far."""

    number: int
    tokens: int
    cost: float | None = None


class TextArrived(msgspec.Struct, frozen=True, tag="text"):
    """The model says something; more may follow."""

    text: str


class CallStarted(msgspec.Struct, frozen=True, tag="call", omit_defaults=True):
    """A tool call begins. `number` counts the calls of the run from 1."""

    number: int
    name: str
    arguments: Any
    id: str | None = None


class CallEnded(msgspec.Struct, frozen=True, tag="result"):
    """The call with this number is over; `summary` is one line for a person."""

    number: int
    name: str
    ok: bool
    summary: str
    diff: str = ""


class Retried(msgspec.Struct, frozen=True, tag="retry"):
    """A reply could not be used; the model was told and is asked again."""

    reason: str


class Compacted(msgspec.Struct, frozen=True, tag="compacted"):
    """The history was too long: old outputs were `shortened`, or the past `summarised`. Sizes in tokens."""

    how: str
    before: int
    after: int


Event = TurnBegan | TextArrived | CallStarted | CallEnded | Retried | Compacted
Tell = Callable[[Event], None]
"""Is told each event."""


def tell_nobody(event: Event) -> None:
    """For runs that nobody watches."""
