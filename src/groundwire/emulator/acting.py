"""The emulated model: decides what to do with a conversation, whichever API it came through.

A script decides first, then a search request is answered from the documents, then the default model
answers plainly: it repeats what it was told, and calls no function unless a scenario says so.
"""

from __future__ import annotations

from groundwire.emulator.composing import search_and_compose
from groundwire.emulator.conversation import Conversation, Turn
from groundwire.emulator.scenarios import catalogue, style_for
from groundwire.emulator.wire import Call
from groundwire.emulator.world import World

MAX_ECHO = 2000


def act(conversation: Conversation, call: Call, world: World) -> Turn:
    """The turn this conversation gets, changed by the scenarios the request plays."""
    turn = _decide(conversation, call, world)
    for name in call.scenarios:
        change = catalogue()[name].turn
        if change is not None:
            turn = change(turn, conversation)
    return turn


def _decide(conversation: Conversation, call: Call, world: World) -> Turn:
    if world.script is not None and world.script.takes(conversation):
        return world.script.play(conversation)
    if conversation.search:
        answer = search_and_compose(conversation.prompt, world.documents, style_for(call.scenarios))
        return Turn(text=answer.text, searched=answer)
    return Turn(text=plain_text(conversation))


def plain_text(conversation: Conversation) -> str:
    """What the default model says."""
    names = ", ".join(result.name for result in conversation.last.results)
    if names:
        return f"Thank you for the result of {names}."
    prompt = conversation.prompt.strip()
    if not prompt:
        return "You said nothing."
    return f"You said: {prompt[:MAX_ECHO]}"
