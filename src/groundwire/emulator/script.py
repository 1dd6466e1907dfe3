"""Scripts: what the model does, step by step, and what it expects to hear before each step.

A script is a TOML or JSON file:

    title = "Save the weather"
    loop = true                         # a new conversation starts the script over

    [[step]]
    when = { user = "weather" }         # a regular expression found in the newest user text
    thought = "I should search first."
    call = [{ name = "google_web_search", args = { query = "weather in Beijing" } }]

    [[step]]
    when = { result = "google_web_search" }   # the newest entry answers this function
    text = "It says: {{result}}"        # {{result}} and {{user}} are filled in, in args too

A step may also have `result_matches` and `model` under `when`, `error = { status, message, reason }`,
`wait` (seconds), `finish` (stop, length, filtered, none) and `times` (how often it may be played).
Steps are played in order. A request that does not fit the next step gets an error that says what was
expected, and steps nobody asked for are reported at the end. Requests that are not part of the story
do not count: searches, and, when the script calls functions, requests that declare none (clients
send such requests to make titles or to choose a model).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from groundwire.emulator.conversation import Conversation, Failure, FunctionCall, Turn
from groundwire.errors import InvalidConfig

SHIPPED = Path(__file__).parent / "scripts"
_BLANK = re.compile(r"\{\{(result|user)\}\}")
_RESULT_KEYS = ("output", "llmContent", "result", "content", "error")


class When(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What must be true of a request for a step to answer it; what is not given is not asked."""

    user: str | None = None
    result: str | None = None
    result_matches: str | None = None
    model: str | None = None


class ScriptedCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A function call the model makes."""

    name: str
    args: dict[str, Any] = {}
    id: str | None = None


class ScriptedError(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An error instead of a turn."""

    status: int
    message: str
    reason: str = ""


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing the model does."""

    when: When = When()
    thought: str | list[str] = []
    text: str = ""
    call: list[ScriptedCall] = []
    error: ScriptedError | None = None
    wait: float = 0.0
    finish: Literal["stop", "length", "filtered", "none"] = "stop"
    times: int = 1


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole script."""

    step: list[Step]
    title: str = "untitled"
    loop: bool = False

    @property
    def calls_functions(self) -> bool:
        """Whether any step calls a function."""
        return any(step.call for step in self.step)


def load_script(name_or_path: str | Path) -> Script:
    """Read a script: a path to a .toml or .json file, or the name of a shipped one (`weather`)."""
    shipped = SHIPPED / f"{name_or_path}.toml"
    path = shipped if shipped.is_file() else Path(name_or_path)
    try:
        content = path.read_bytes()
    except OSError as error:
        names = ", ".join(sorted(found.stem for found in SHIPPED.glob("*.toml"))) or "none"
        raise InvalidConfig(
            f"The script {name_or_path} cannot be read: {error.strerror}.",
            hint=f"Give a .toml or .json file, or the name of a shipped script ({names}).",
        ) from error
    decode = msgspec.json.decode if path.suffix == ".json" else msgspec.toml.decode
    try:
        script = decode(content, type=Script)
    except (msgspec.MsgspecError, ValueError) as error:
        raise InvalidConfig(f"The script {path} is not valid: {error}.") from error
    for step in script.step:
        for pattern in filter(None, (step.when.user, step.when.result_matches, step.when.model)):
            _compile(pattern, path)
    return script


def _compile(pattern: str, path: Path) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise InvalidConfig(f"The script {path} has a bad pattern {pattern!r}: {error}.") from error


class ScriptRun:
    """A script being played: where it stands, and everything that did not go as written."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.mismatches: list[str] = []
        self._next = 0
        self._played = 0

    def takes(self, conversation: Conversation) -> bool:
        """Whether this request is part of the story at all."""
        if conversation.search:
            return False
        return bool(conversation.functions) or not self.script.calls_functions

    def play(self, conversation: Conversation) -> Turn:
        """The next step's turn, or a failure that says what was expected instead."""
        steps = self.script.step
        if self.script.loop and (self._next >= len(steps) or self._begins_again(conversation)):
            self._next = self._played = 0
        if self._next >= len(steps):
            return self._mismatch("the script is at its end", conversation)
        step = steps[self._next]
        reason = why_not(step.when, conversation)
        if reason:
            return self._mismatch(f"step {self._next + 1} of {len(steps)} expected {reason}", conversation)
        self._played += 1
        if step.times and self._played >= step.times:
            self._next, self._played = self._next + 1, 0
        return turn_of(step, conversation)

    def report(self) -> str:
        """What went wrong, in lines to read; empty when the script was followed to its end."""
        lines = list(self.mismatches)
        steps = self.script.step
        unfinished = 0 < self._next < len(steps) if self.script.loop else self._next < len(steps)
        if unfinished:
            lines += [
                f"step {number} of {len(steps)} was never asked for: {describe(step)}"
                for number, step in enumerate(steps[self._next :], start=self._next + 1)
                if step.times
            ]
        return "\n".join(f"script '{self.script.title}': {line}" for line in lines)

    def _begins_again(self, conversation: Conversation) -> bool:
        fresh = not any(message.role == "model" for message in conversation.messages)
        return fresh and not why_not(self.script.step[0].when, conversation)

    def _mismatch(self, expected: str, conversation: Conversation) -> Turn:
        line = f"{expected}, but {said(conversation)}"
        self.mismatches.append(line)
        return Turn(failure=Failure(400, f"Emulator script '{self.script.title}': {line}"))


def why_not(when: When, conversation: Conversation) -> str:
    """What the step expected and did not get; empty when it fits."""
    last = conversation.last
    if when.model is not None and not re.search(when.model, conversation.model):
        return f"a model matching /{when.model}/"
    if when.user is not None and (last.results or not re.search(when.user, conversation.prompt)):
        return f"user text matching /{when.user}/"
    if when.result is not None and when.result not in [result.name for result in last.results]:
        return f"the result of {when.result}"
    if when.result_matches is not None and not re.search(when.result_matches, result_text(conversation)):
        return f"a result matching /{when.result_matches}/"
    return ""


def turn_of(step: Step, conversation: Conversation) -> Turn:
    """The step as a turn, blanks filled in from the conversation."""
    blanks = {"user": conversation.prompt, "result": result_text(conversation)}
    thoughts = [step.thought] if isinstance(step.thought, str) else step.thought
    return Turn(
        text=fill(step.text, blanks),
        thoughts=tuple(fill(thought, blanks) for thought in thoughts),
        calls=tuple(FunctionCall(call.name, fill(call.args, blanks), call.id) for call in step.call),
        finish=step.finish,
        wait=step.wait,
        failure=Failure(step.error.status, step.error.message, step.error.reason) if step.error else None,
    )


def fill(value: Any, blanks: Mapping[str, str]) -> Any:
    """The value with {{user}} and {{result}} replaced in every string inside it."""
    if isinstance(value, str):
        return _BLANK.sub(lambda found: blanks[found.group(1)], value)
    if isinstance(value, dict):
        return {key: fill(inner, blanks) for key, inner in value.items()}
    if isinstance(value, list):
        return [fill(inner, blanks) for inner in value]
    return value


def result_text(conversation: Conversation) -> str:
    """The text of the newest function results, one after the other."""
    return "\n".join(text_of(result.content) for result in conversation.last.results)


def text_of(content: Any) -> str:
    """The readable part of a function result: clients wrap it as output, llmContent, result or content."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        for key in _RESULT_KEYS:
            if key in content:
                return text_of(content[key])
    return msgspec.json.encode(content).decode()


def describe(step: Step) -> str:
    """What a step does, in a few words."""
    if step.error:
        return f"error {step.error.status}"
    if step.call:
        return "call " + ", ".join(call.name for call in step.call)
    return f"say {step.text[:60]!r}"


def said(conversation: Conversation) -> str:
    """What the newest entry of a conversation is, in a few words."""
    last = conversation.last
    if last.results:
        return "the newest entry is the result of " + ", ".join(result.name for result in last.results)
    return f"the newest entry says {last.text[:80]!r}"
