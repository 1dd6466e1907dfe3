"""What a model replied: its parts, the function calls and the text in them, and why it stopped.

A `ReplyReader` takes in the responses of generateContent or streamGenerateContent, one or many, and
judges them at the end. It touches nothing: what to do about a reply is the loop's business.

    finishReason                                      the reply
    ------------------------------------------------  ---------------------------------------------
    STOP, with text or calls                          is good
    STOP, with neither                                has a problem: it is empty
    none, or a passing error of the server            has a problem: it broke off
    MAX_TOKENS                                        has a problem: it was cut; its text is kept
    MALFORMED_FUNCTION_CALL and anything unknown      has a problem: nothing in it can be trusted
    SAFETY and its kin, or a blocked prompt           is blocked
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from groundwire.errors import ModelFailed
from groundwire.providers.foreign_json import record, records, text, told

Part = dict[str, Any]
Content = dict[str, Any]
"""One entry of a history, as the API has it: `{"role": …, "parts": […]}`."""

_BLOCKED = frozenset(
    {"SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY", "LANGUAGE"}
)
_PASSING = (500, 502, 503, 504)
"""Errors of the server in the middle of a reply; another try may do."""
_PIECES_OF_TEXT = ({"text"}, {"text", "thought"})


@dataclass(frozen=True, slots=True)
class Call:
    """A function call in a reply. `arguments` is what the model sent, whatever its type."""

    name: str
    arguments: Any = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens used: what the model was given, and everything it made (thoughts included)."""

    given: int = 0
    made: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.given + self.made

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.given + other.given, self.made + other.made)


NO_TOKENS = Usage()


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a reply cannot be used: a sentence for the person, and what to tell the model."""

    reason: str
    told: str


EMPTY = Problem(
    "The model's reply was empty.",
    "Your last reply was empty. Go on with the task, or say in a sentence that it is done.",
)
BROKE_OFF = Problem(
    "The model's reply broke off before its end.",
    "Your last reply broke off before its end and was discarded; nothing in it was carried out. "
    "Give it again.",
)
CUT_SHORT = Problem(
    "The model's reply was cut at its length limit.",
    "Your last reply reached the length limit. Go on in smaller steps; calls in it were not carried out.",
)
NAMELESS_CALL = Problem(
    "The model called a function without a name.",
    "Your last reply called a function without a name and was discarded. Name one of the declared functions.",
)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply, judged. With a `problem` or when `blocked`, nothing in it is to be carried out."""

    parts: tuple[Part, ...] = ()
    """The parts as they came, thoughts and signatures included; empty when they must not be sent back."""
    text: str = ""
    """What it says, without thoughts."""
    calls: tuple[Call, ...] = ()
    usage: Usage = NO_TOKENS
    problem: Problem | None = None
    blocked: str = ""
    """Why a filter stopped the model; empty when none did."""

    @property
    def content(self) -> Content:
        """The entry for the history."""
        return {"role": "model", "parts": list(self.parts)}


class ReplyReader:
    """Takes in the responses that make one reply."""

    def __init__(self) -> None:
        self._parts: list[Part] = []
        self._pieces: list[str] = []
        """The text of the last part, as it came: joined once, since a stream can have very many pieces."""
        self._finish = ""
        self._detail = ""
        self._blocked = ""
        self._broken: Problem | None = None
        self._usage = Usage()

    def add(self, response: object) -> str:
        """Take in one response; the new text in it, thoughts left out. ModelFailed when it is an error."""
        answered = record(response)
        if "error" in answered:
            return self._take_error(answered)
        self._blocked = text(record(answered.get("promptFeedback")).get("blockReason")) or self._blocked
        self._usage = _usage(record(answered.get("usageMetadata"))) or self._usage
        candidates = records(answered.get("candidates"))
        if not candidates:
            return ""
        self._finish = text(candidates[0].get("finishReason")) or self._finish
        self._detail = text(candidates[0].get("finishMessage")) or self._detail
        content = record(candidates[0].get("content"))
        parts = [part for part in records(content.get("parts")) if _says_something(part)]
        for part in parts:
            self._append(part)
        return "".join(_text(part) for part in parts)

    def _take_error(self, answered: dict[str, Any]) -> str:
        """An error that may pass leaves a reply that broke off; any other ends the run."""
        words = told(msgspec.json.encode(answered))
        if record(answered["error"]).get("code") not in _PASSING:
            raise ModelFailed(f"Gemini reported an error: {words}")
        self._broken = Problem(f"The model's reply broke off: {words}", BROKE_OFF.told)
        return ""

    def finish(self) -> Reply:
        """The reply, now that all of it is here."""
        self._join_pieces()
        parts = tuple(self._parts)
        said = text_in(parts)
        calls = calls_in(parts)
        blocked = self._blocked or (self._finish if self._finish in _BLOCKED else "")
        if blocked:
            return Reply(text=said, usage=self._usage, blocked=blocked)
        problem = self._problem(said, calls)
        if problem is None:
            return Reply(parts, said, calls, self._usage)
        kept = parts if problem is CUT_SHORT and said and not calls else ()
        return Reply(kept, said, usage=self._usage, problem=problem)

    def _append(self, part: Part) -> None:
        """Keep the part as it came. A stream cuts a text anywhere: bare pieces of one are joined again."""
        last = self._parts[-1] if self._parts else {}
        alike = last.keys() == part.keys() and last.get("thought") == part.get("thought")
        if not (alike and part.keys() in _PIECES_OF_TEXT):
            self._join_pieces()
            self._parts.append(part)
        self._pieces.append(text(part.get("text")))

    def _join_pieces(self) -> None:
        if len(self._pieces) > 1:
            self._parts[-1] = {**self._parts[-1], "text": "".join(self._pieces)}
        self._pieces = []

    def _problem(self, said: str, calls: tuple[Call, ...]) -> Problem | None:
        if self._broken is not None or not self._finish:
            return self._broken or BROKE_OFF
        if self._finish == "MAX_TOKENS":
            return CUT_SHORT
        if self._finish != "STOP":
            why = f"{self._finish}: {self._detail}" if self._detail else self._finish
            return Problem(
                f"The model's reply cannot be used ({why}).",
                f"Your last reply could not be used ({why}) and was discarded. Call the declared functions "
                "with arguments that fit their schemas, or answer in plain text.",
            )
        if not all(call.name for call in calls):
            return NAMELESS_CALL
        return None if calls or said.strip() else EMPTY


def calls_in(parts: Iterable[Part]) -> tuple[Call, ...]:
    """The function calls among the parts, in order."""
    return tuple(_call(part) for part in parts if "functionCall" in part)


def text_in(parts: Iterable[Part]) -> str:
    """What the parts say, without thoughts."""
    return "".join(_text(part) for part in parts)


def _says_something(part: Part) -> bool:
    """Whether a part holds anything; empty ones would be refused when they are sent back."""
    return bool(part.keys() - {"text", "thought"}) or bool(text(part.get("text")))


def _text(part: Part) -> str:
    return "" if part.get("thought") else text(part.get("text"))


def _call(part: Part) -> Call:
    called = record(part["functionCall"])
    arguments = called.get("args")
    name, identity = text(called.get("name")), text(called.get("id"))
    return Call(name, {} if arguments is None else arguments, identity or None)


def _usage(metadata: dict[str, Any]) -> Usage | None:
    """The counts of a response; a stream repeats them, growing, so the last ones count."""
    given, total = metadata.get("promptTokenCount"), metadata.get("totalTokenCount")
    if type(total) is not int or total < 0:
        return None
    before = given if type(given) is int and 0 <= given <= total else 0
    return Usage(before, total - before)
