"""What happens during a run, as it happens: each event is a struct that is also one line of JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec


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


Event = TextArrived | CallStarted | CallEnded | Retried
Tell = Callable[[Event], None]
"""Is told each event."""


def tell_nobody(event: Event) -> None:
    """For runs that nobody watches."""
