"""What a model may do that a client must survive, in any API: thoughts, calls, silence, being cut short."""

from __future__ import annotations

from dataclasses import replace

from groundwire.emulator.conversation import Conversation, Turn
from groundwire.emulator.sampling import sample_call
from groundwire.emulator.scenarios import Scenario

THOUGHTS = ("**Looking at the question**\n\nFirst I read what was asked.", "Now I know what to say.")


def _thoughts(turn: Turn, conversation: Conversation) -> Turn:
    return replace(turn, thoughts=(*THOUGHTS, *turn.thoughts))


def _tool_call(turn: Turn, conversation: Conversation) -> Turn:
    """Call the first declared function, unless its result has just come."""
    if conversation.last.results or not conversation.functions:
        return turn
    return Turn(calls=(sample_call(conversation.functions[0], conversation),))


def _parallel_calls(turn: Turn, conversation: Conversation) -> Turn:
    """Call every declared function at once (up to three), unless their results have just come."""
    if conversation.last.results or not conversation.functions:
        return turn
    return Turn(calls=tuple(sample_call(name, conversation) for name in conversation.functions[:3]))


def _silent(turn: Turn, conversation: Conversation) -> Turn:
    return Turn()


def _too_long(turn: Turn, conversation: Conversation) -> Turn:
    half = turn.text[: len(turn.text) // 2]
    return Turn(text=half, finish="length")


def _filtered(turn: Turn, conversation: Conversation) -> Turn:
    return Turn(finish="filtered")


def _no_finish(turn: Turn, conversation: Conversation) -> Turn:
    return replace(turn, finish="none")


TURN_FAULTS = (
    Scenario("thoughts", "thought parts come before the answer", turn=_thoughts),
    Scenario("tool-call", "the model calls the first declared function", turn=_tool_call),
    Scenario(
        "parallel-calls", "the model calls up to three declared functions at once", turn=_parallel_calls
    ),
    Scenario("empty", "the answer has no text", turn=_silent),
    Scenario("max-tokens", "half of the answer, ended for its length", turn=_too_long),
    Scenario("safety", "no answer, stopped by a filter", turn=_filtered),
    Scenario("no-finish-reason", "the answer never says that it is finished", turn=_no_finish),
)
