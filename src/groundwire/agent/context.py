"""Keeps a history within what the model can take in: measures it, and makes room by `compaction`'s decisions,
asking the model for a summary where one is needed. What the model can take in is learned anew when it refuses
a history as too long."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from groundwire.agent import compaction
from groundwire.agent.compaction import Cut, Gauge, estimate
from groundwire.agent.model import Model, Prompt
from groundwire.agent.reply import NO_TOKENS, Content, Usage
from groundwire.errors import GroundwireError, ModelFailed

_TOO_LONG = re.compile(r"token count \(?(\d+)\)? exceeds the maximum number of tokens allowed \(?(\d+)")
"""As the Gemini API words it."""


@dataclass(frozen=True, slots=True)
class Shorter:
    """A history with room in it again."""

    history: list[Content]
    how: str
    """shortened or summarised."""
    before: int
    after: int
    usage: Usage = NO_TOKENS
    """What the summary used."""


class Context:
    """The window of one model, and how much of it a history fills."""

    def __init__(self, model: Model, window: int) -> None:
        self._model = model
        self._window = window
        self._gauge = Gauge()

    def note(self, usage: Usage, history: Sequence[Content]) -> None:
        """The model was given the history, except its own reply at the end, and counted."""
        self._gauge.note(usage, len(history))

    def learn(self, refusal: ModelFailed, history: Sequence[Content]) -> bool:
        """Whether the model refused the history as too long; its window is then what it says."""
        said = _TOO_LONG.search(refusal.message)
        if said is None:
            return False
        self._window = int(said[2])
        self._gauge.note(Usage(int(said[1])), len(history))
        return True

    async def with_room(self, history: Sequence[Content], task: Content | None) -> Shorter | None:
        """A shorter history, when this one is too long and can be made shorter."""
        size = self._gauge.size(history)
        if size < self._window * compaction.NEAR:
            return None
        per_estimate = size / max(1, estimate(history))
        pieces = compaction.cut(history, task, int(self._window * compaction.KEPT / per_estimate))
        if pieces is None:
            return None
        shorter = compaction.shortened(history, len(pieces.kept))
        after = int(estimate(shorter) * per_estimate)
        self._gauge.forget()
        if after <= self._window * compaction.ENOUGH:
            return Shorter(shorter, "shortened", size, after)
        summary, usage = await self._summary(pieces)
        summarised = pieces.with_summary(summary)
        return Shorter(summarised, "summarised", size, int(estimate(summarised) * per_estimate), usage)

    async def _summary(self, pieces: Cut) -> tuple[str, Usage]:
        """The past in the model's words; where it has none, the list of its calls."""
        past = ([pieces.task] if pieces.task else []) + list(pieces.past)
        record: Content = {"role": "user", "parts": [{"text": compaction.as_text(past)}]}
        try:
            reply = await self._model.reply(Prompt(compaction.SUMMARISE, [record]), lambda text: None)
        except GroundwireError:  # the run goes on; if the model is really gone, its next turn says so
            return compaction.list_of_calls(pieces.past), NO_TOKENS
        good = reply.problem is None and not reply.blocked and not reply.calls
        return (reply.text if good else compaction.list_of_calls(pieces.past)), reply.usage
