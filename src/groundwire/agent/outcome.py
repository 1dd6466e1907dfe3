"""How a run ended: an outcome for every way, and no exceptions.

done            the model said that it is finished
refused         the model stopped after a change it wanted was not approved
turn_limit      the model was asked as often as allowed
token_budget    the tokens allowed are used
money_budget    the money allowed is spent
loop_detected   the same call had the same result again and again
blocked         a safety filter stopped the model
model_error     the model could not be reached, or kept replying what cannot be used
cancelled       somebody stopped it
session_error   the session's transcript could not be written, so nothing more was done
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from groundwire.agent.reply import NO_TOKENS, Content, Usage
from groundwire.citations import Source
from groundwire.errors import exit_code_for


class Ending(StrEnum):
    """The ways a run can end."""

    DONE = "done"
    REFUSED = "refused"
    TURN_LIMIT = "turn_limit"
    TOKEN_BUDGET = "token_budget"  # noqa: S105  (tokens of text, no secret)
    MONEY_BUDGET = "money_budget"
    LOOP_DETECTED = "loop_detected"
    BLOCKED = "blocked"
    MODEL_ERROR = "model_error"
    CANCELLED = "cancelled"
    SESSION_ERROR = "session_error"


_EXIT_CODES = {
    Ending.DONE: 0,
    Ending.REFUSED: 7,
    Ending.TURN_LIMIT: 8,
    Ending.TOKEN_BUDGET: 8,
    Ending.MONEY_BUDGET: 8,
    Ending.LOOP_DETECTED: 8,
    Ending.BLOCKED: 4,
    Ending.MODEL_ERROR: 4,
    Ending.CANCELLED: 130,
    Ending.SESSION_ERROR: 9,
}


@dataclass(frozen=True, slots=True)
class Searched:
    """A search of the run and the sources of its answer; `sources[n - 1]` is behind its `[n]`."""

    query: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended, and what came of it."""

    ending: Ending
    reason: str
    """A sentence that says why it ended."""
    text: str = ""
    """The model's last words."""
    turns: int = 0
    """How often the model was asked."""
    usage: Usage = NO_TOKENS
    cost: float | None = None
    """US dollars, an upper estimate; None when the model's price is not known."""
    cost_basis: str = ""
    """By whose prices, and of which day; or why there is no cost."""
    searches: tuple[Searched, ...] = ()
    history: tuple[Content, ...] = ()
    error: str | None = None
    """The code of the error that ended the run, when it was one of ours."""
    session: str | None = None
    """The id of the session that holds the run, when there is one."""

    @property
    def ok(self) -> bool:
        """Whether the task is done."""
        return self.ending is Ending.DONE

    @property
    def exit_code(self) -> int:
        """What the command line returns."""
        return exit_code_for(self.error) if self.error else _EXIT_CODES[self.ending]

    def to_json(self) -> dict[str, Any]:
        """The outcome as the last event of `groundwire run --json`; the history is not part of it."""
        wire: dict[str, Any] = {
            "type": "outcome",
            "ending": self.ending.value,
            "reason": self.reason,
            "text": self.text,
            "turns": self.turns,
            "tokens": {"given": self.usage.given, "made": self.usage.made},
            "cost": self.cost,
            "cost_basis": self.cost_basis,
            "searches": [
                {"query": searched.query, "sources": [source.to_json() for source in searched.sources]}
                for searched in self.searches
            ],
        }
        named = {"error": self.error, "session": self.session}
        return wire | {key: value for key, value in named.items() if value}


class Ended(Exception):
    """Raised inside the loop to end it; `run` turns it into the outcome."""

    def __init__(self, ending: Ending, reason: str, *, text: str = "", error: str | None = None) -> None:
        super().__init__(reason)
        self.ending = ending
        self.reason = reason
        self.text = text
        self.error = error
