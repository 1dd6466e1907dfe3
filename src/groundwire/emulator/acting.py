"""The emulated model: decides what to do with a conversation, whichever API it came through.

A script decides first, then a search request is answered from the documents, then the default model
answers: it calls a function when the request insists, gives JSON when JSON is asked for, and
otherwise repeats what it was told.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import msgspec

from groundwire.emulator.composing import search_and_compose
from groundwire.emulator.conversation import Conversation, Turn
from groundwire.emulator.sampling import sample, sample_call
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
        return _searched(conversation, call, world)
    if conversation.must_call and not conversation.last.results:
        return Turn(calls=(sample_call(conversation.must_call[0], conversation),))
    if conversation.output_schema is not None:
        fitting = sample(conversation.output_schema or {"type": "object"})
        return Turn(text=msgspec.json.encode(fitting).decode())
    thoughts = ("I should say it back.",) if conversation.thoughts else ()
    return Turn(text=plain_text(conversation), thoughts=thoughts)


def _searched(conversation: Conversation, call: Call, world: World) -> Turn:
    """An answer from the documents; its layout (parts, thoughts) follows from the query, so all occur."""
    query = conversation.prompt.strip()
    answer = search_and_compose(query, world.documents, style_for(call.scenarios))
    digest = sha256(query.encode("utf-8", "surrogatepass")).digest()
    turn = Turn(text=answer.text, searched=answer, text_parts=1 + digest[1] % 3)
    return replace(turn, thoughts=("Let me look that up.",)) if digest[2] % 3 == 0 else turn


def plain_text(conversation: Conversation) -> str:
    """What the default model says."""
    names = ", ".join(result.name for result in conversation.last.results)
    if names:
        return f"Thank you for the result of {names}."
    typed = conversation.typed.strip()
    if not typed:
        return "You said nothing."
    return f"You said: {typed[:MAX_ECHO]}"
