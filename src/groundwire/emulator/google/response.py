"""A Turn written in Gemini's form: candidates, parts, finish reason, usage; whole or in events."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from groundwire.emulator.conversation import Conversation, Turn

FINISH = {"stop": "STOP", "length": "MAX_TOKENS", "filtered": "SAFETY"}
TEXT_PIECES = 3

_SIGNATURE = b"signature of "
_UNCHECKED = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")
# google-genai re-encodes signatures in the URL-safe alphabet; both are the same bytes.
_TO_URLSAFE = str.maketrans("+/", "-_", "=")


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything needed to write a response: the turn, who asked, and what it is called."""

    turn: Turn
    conversation: Conversation
    response_id: str
    grounding: dict[str, Any] | None = None


def whole(answer: Answer) -> dict[str, Any]:
    """The unary response."""
    turn = answer.turn
    thoughts = [_thought(thought) for thought in turn.thoughts]
    texts = [{"text": piece} for piece in pieces(turn.text, turn.text_parts)]
    return _response(answer, [*thoughts, *texts, *_call_parts(answer)], last=True)


def events(answer: Answer) -> list[dict[str, Any]]:
    """The streamed responses: thoughts, text in pieces, calls; the last one has the finish reason."""
    turn = answer.turn
    groups: list[list[dict[str, Any]]] = [[_thought(thought)] for thought in turn.thoughts]
    groups += [[{"text": piece}] for piece in pieces(turn.text)]
    if turn.calls:
        groups.append(_call_parts(answer))
    if not groups:
        groups = [[]]
    last = len(groups) - 1
    return [_response(answer, group, last=number == last) for number, group in enumerate(groups)]


def pieces(text: str, count: int = TEXT_PIECES) -> Iterator[str]:
    """The text in up to `count` pieces of about the same length."""
    size = max(1, -(-len(text) // count))
    return (text[start : start + size] for start in range(0, len(text), size))


def signature(response_id: str) -> str:
    """A thought signature: opaque to clients, who must send it back unchanged."""
    return b64encode(_SIGNATURE + response_id.encode()).decode()


def is_our_signature(text: str) -> bool:
    """Whether a signature was made here, or is the word that asks the server not to check.

    The word is documented at https://ai.google.dev/gemini-api/docs/thought-signatures.
    """
    if text in _UNCHECKED:
        return True
    try:
        return urlsafe_b64decode(text.translate(_TO_URLSAFE) + "==").startswith(_SIGNATURE)
    except ValueError:
        return False


def tokens(text: str) -> int:
    """A plain count: four characters make a token."""
    return -(-len(text) // 4)


def prompt_tokens(conversation: Conversation) -> int:
    """The tokens of everything the model was given, at least one."""
    return max(1, sum(tokens(message.text) + 8 * len(message.calls) for message in conversation.messages))


def _thought(text: str) -> dict[str, Any]:
    return {"text": text, "thought": True}


def _call_parts(answer: Answer) -> list[dict[str, Any]]:
    """Function calls; only the first of parallel calls carries the thought signature, as Gemini 3 does it."""
    parts: list[dict[str, Any]] = []
    for call in answer.turn.calls:
        function: dict[str, Any] = {"name": call.name, "args": dict(call.arguments)}
        if call.id:
            function["id"] = call.id
        part: dict[str, Any] = {"functionCall": function}
        if not parts:
            part["thoughtSignature"] = signature(answer.response_id)
        parts.append(part)
    return parts


def _response(answer: Answer, parts: list[dict[str, Any]], *, last: bool) -> dict[str, Any]:
    turn = answer.turn
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if last and turn.finish in FINISH:
        candidate["finishReason"] = FINISH[turn.finish]
    if last and answer.grounding:
        candidate["groundingMetadata"] = answer.grounding
    return {
        "candidates": [candidate],
        "usageMetadata": _usage(answer),
        "modelVersion": answer.conversation.model,
        "responseId": answer.response_id,
    }


def _usage(answer: Answer) -> dict[str, int]:
    prompt = prompt_tokens(answer.conversation)
    said = tokens(answer.turn.text)
    thought = sum(tokens(text) for text in answer.turn.thoughts)
    usage = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": said,
        "totalTokenCount": prompt + said + thought,
    }
    if thought:
        usage["thoughtsTokenCount"] = thought
    return usage
