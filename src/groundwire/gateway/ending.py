"""The end of an answer, made safe: every answer that ends has a finish reason that every client knows.

A missing or unknown one is not a detail. OpenCode sends the same conversation again, without pause or end,
when it meets one; Gemini CLI prints the answer four times. So, without I/O:

    STOP, MAX_TOKENS, MALFORMED_FUNCTION_CALL, SAFETY…    as they are
    a call that should not have been made                 MALFORMED_FUNCTION_CALL
    a block under another name                            SAFETY
    OTHER, or a word not known yet                        STOP after some content, SAFETY without any
    none, in an answer that ended well                    STOP, in an event of its own
    a blocked prompt without a candidate                  a candidate with SAFETY, or what blocked it

The reason that was replaced stays readable in `finishMessage`.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from groundwire.errors import UnreadableAnswer

BLOCKING = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"})
KNOWN = BLOCKING | {"STOP", "MAX_TOKENS", "MALFORMED_FUNCTION_CALL"}
UNSAID = frozenset({"", "FINISH_REASON_UNSPECIFIED"})
REPLACED = {
    "UNEXPECTED_TOOL_CALL": "MALFORMED_FUNCTION_CALL",
    "TOO_MANY_TOOL_CALLS": "MALFORMED_FUNCTION_CALL",
    "MISSING_THOUGHT_SIGNATURE": "MALFORMED_FUNCTION_CALL",
    "MALFORMED_RESPONSE": "MALFORMED_FUNCTION_CALL",
    "LANGUAGE": "SAFETY",
    "MODEL_ARMOR": "SAFETY",
    "IMAGE_PROHIBITED_CONTENT": "SAFETY",
    "IMAGE_RECITATION": "RECITATION",
}


class _Candidate(msgspec.Struct):
    reason: str | None = msgspec.field(name="finishReason", default=None)
    index: int | None = 0
    content: Raw | UnsetType = UNSET


class _Feedback(msgspec.Struct):
    reason: str | None = msgspec.field(name="blockReason", default=None)


class _Document(msgspec.Struct):
    candidates: list[_Candidate] | None = None
    feedback: _Feedback | None = msgspec.field(name="promptFeedback", default=None)


_read = msgspec.json.Decoder(_Document).decode
_encode = msgspec.json.Encoder().encode


class Ending:
    """Follows the documents of one answer: one when it came whole, several when it was streamed."""

    def __init__(self) -> None:
        self._finished: dict[int, bool] = {}
        self._has_content = False

    @property
    def began(self) -> bool:
        """Whether there has been any answer at all: a candidate, or the reason why there is none."""
        return bool(self._finished)

    def passed(self, document: bytes) -> bytes:
        """The document as it may be passed on. UnreadableAnswer when it is not a document of an answer."""
        try:
            seen = _read(document)
        except (msgspec.DecodeError, RecursionError) as error:
            raise UnreadableAnswer(
                "The upstream sent something that is not an answer of Gemini's."
            ) from error
        changed = False
        for candidate in seen.candidates or ():
            if candidate.content is not UNSET:
                self._has_content = True
            reason, index = candidate.reason, candidate.index or 0
            self._finished[index] = self._finished.get(index, False) or bool(reason and reason not in UNSAID)
            changed = changed or (reason is not None and reason not in KNOWN)
        blocked = not seen.candidates and seen.feedback is not None and bool(seen.feedback.reason)
        if changed or (blocked and not self._finished):
            return self._rewritten(document)
        return document

    def missing(self) -> bytes | None:
        """The document to add to an answer that never said that it is finished; None when it did."""
        open_ones = [index for index, finished in self._finished.items() if not finished]
        if not open_ones:
            return None
        content = {"role": "model", "parts": [{"text": ""}]}
        said = "The upstream ended the answer without a finish reason."
        return _encode(
            {
                "candidates": [
                    {"content": content, "finishReason": "STOP", "finishMessage": said, "index": index}
                    for index in open_ones
                ]
            }
        )

    def _rewritten(self, document: bytes) -> bytes:
        answer: dict[str, Any] = msgspec.json.decode(document)
        for candidate in answer.get("candidates") or ():
            self._settle(candidate)
        if not answer.get("candidates"):
            blocked_by = answer["promptFeedback"]["blockReason"]
            reason = blocked_by if blocked_by in BLOCKING else "SAFETY"
            answer["candidates"] = [{"finishReason": reason, "index": 0}]
            self._finished[0] = True
        return _encode(answer)

    def _settle(self, candidate: dict[str, Any]) -> None:
        reason = candidate.get("finishReason")
        if reason is None or reason in KNOWN:
            return
        if reason in UNSAID:
            del candidate["finishReason"]
            return
        candidate["finishReason"] = REPLACED.get(reason, "STOP" if self._has_content else "SAFETY")
        candidate.setdefault("finishMessage", f"The upstream gave the finish reason {reason}.")
