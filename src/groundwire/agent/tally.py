"""What a run has used and done so far, and whether that is a reason to end it. Decides, does nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from groundwire.agent.outcome import Ended, Ending, Searched
from groundwire.agent.prices import Price, in_dollars
from groundwire.agent.repetition import Repetitions
from groundwire.agent.reply import Problem, Reply, Usage
from groundwire.agent.turn import Made

MISTAKEN = "The model kept calling functions that do not exist, or with arguments that do not fit."


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a run may go."""

    turns: int = 50
    """How often the model is asked, at most."""
    tokens: int | None = None
    """How many tokens may be used before the model is not asked again; None is no limit."""
    cost: float | None = None
    """How many US dollars may be spent before the model is not asked again; None is no limit."""
    context: int = 1_048_576
    """How many tokens the model can take in."""
    retries: int = 3
    """How many replies in a row that cannot be used are told to the model and asked for again."""
    repetitions: int = 5
    """How often the same call may have the same result."""


class Tally:
    """The counts of one run. Its methods raise `Ended` when a limit is reached."""

    def __init__(self, limits: Limits, price: Price | None = None) -> None:
        self._limits = limits
        self._price = price
        self._repetitions = Repetitions(limits.repetitions)
        self._useless = 0
        self.turns = 0
        self.calls = 0
        self.usage = Usage()
        self.cost = None if price is None else 0.0
        """US dollars; None when the price is not known."""
        self.searches: list[Searched] = []
        self.refused = False
        """Whether the last change the model wanted to make was not approved."""

    def begin_turn(self) -> None:
        """Count one more turn, if there may be one."""
        limits, circle = self._limits, self._repetitions.circle
        if circle is not None:
            reason = f"{circle.name} was called {limits.repetitions} times with the same result."
            raise Ended(Ending.LOOP_DETECTED, reason)
        if self.turns >= limits.turns:
            raise Ended(Ending.TURN_LIMIT, f"The limit of {limits.turns} turns is reached.")
        if limits.tokens is not None and self.usage.total >= limits.tokens:
            raise Ended(Ending.TOKEN_BUDGET, f"The budget of {limits.tokens:,} tokens is used.")
        if limits.cost is not None and self.cost is not None and self.cost >= limits.cost:
            basis = "" if self._price is None else f" {self._price.basis}"
            spent = f"The budget of {in_dollars(limits.cost)} is spent ({in_dollars(self.cost)}{basis})."
            raise Ended(Ending.MONEY_BUDGET, spent)
        self.turns += 1

    def use(self, usage: Usage) -> None:
        """Count tokens, and what they cost."""
        self.usage += usage
        if self._price is not None and self.cost is not None:
            self.cost += self._price.of(usage)

    def judge(self, reply: Reply) -> Problem | None:
        """Count a reply: its problem, if it has one that the model can still be told about."""
        self.use(reply.usage)
        if reply.blocked:
            reason = f"A safety filter stopped the model ({reply.blocked})."
            raise Ended(Ending.BLOCKED, reason, text=reply.text)
        if reply.problem is not None:
            self._count_useless(reply.problem.reason)
        elif not reply.calls:
            raise self._finished(reply.text)
        return reply.problem

    def take_note(self, made: Sequence[Made]) -> None:
        """Count the calls of a turn."""
        self.calls += len(made)
        for one in made:
            self._repetitions.note(one.call, one.given, writes=one.writes)
            if one.given.searched is not None:
                self.searches.append(one.given.searched)
                if self._price is not None and self.cost is not None:
                    self.cost += self._price.search
            if one.writes:
                self.refused = one.refused or (self.refused and not one.given.ok)
        if all(one.given.mistaken for one in made):
            self._count_useless(MISTAKEN)
        else:
            self._useless = 0

    def _finished(self, text: str) -> Ended:
        if self.refused:
            return Ended(Ending.REFUSED, "A change the model wanted to make was not approved.", text=text)
        return Ended(Ending.DONE, "The model says that it is done.", text=text)

    def _count_useless(self, reason: str) -> None:
        self._useless += 1
        if self._useless > self._limits.retries:
            raise Ended(Ending.MODEL_ERROR, reason)
