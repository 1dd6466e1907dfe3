"""A conversation and a model's turn, in no API's own form.

Each API reads its request into a Conversation and writes a Turn in its own words. Scripts and the
default model know only these two, so one script serves every API.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from groundwire.emulator.composing import SearchAnswer


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """The model asks the client to run a function."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True, slots=True)
class FunctionResult:
    """What the client says the function gave."""

    name: str
    content: Any
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the history: `text` is all plain text of it, thoughts left out."""

    role: Literal["user", "model", "system"]
    text: str = ""
    calls: tuple[FunctionCall, ...] = ()
    results: tuple[FunctionResult, ...] = ()
    last_part: str = ""
    """The last piece of the text: clients put what a person typed after what they add themselves."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything a model is given: its name, the history, the functions it may call, may it search."""

    model: str
    messages: tuple[Message, ...]
    functions: tuple[str, ...] = ()
    search: bool = False
    schemas: Mapping[str, Any] = field(default_factory=dict)
    """The parameter schema of each function, where one was given."""
    must_call: tuple[str, ...] = ()
    """The functions of which one must be called, when the request insists."""
    thoughts: bool = False
    """Whether the client wants to see thoughts."""
    output_schema: Mapping[str, Any] | None = None
    """The schema of the JSON the text must be; an empty one means any JSON object."""

    @property
    def last(self) -> Message:
        """The newest entry; an empty one when there is none."""
        return self.messages[-1] if self.messages else Message("user")

    @property
    def prompt(self) -> str:
        """The text of the newest user entry that has text."""
        return self._newest_said.text

    @property
    def typed(self) -> str:
        """What a person typed, as far as one can tell: the last piece of the prompt."""
        return self._newest_said.last_part or self.prompt

    @property
    def _newest_said(self) -> Message:
        said = (m for m in reversed(self.messages) if m.role == "user" and m.text.strip())
        return next(said, Message("user"))


@dataclass(frozen=True, slots=True)
class Failure:
    """The turn is an error: the API wraps status and message in its own error form."""

    status: int
    message: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """What the model does: thoughts, then text (plain, or found by searching), then function calls.

    `text` is always the whole text; when `searched` is given the text is that of its claims.
    """

    text: str = ""
    thoughts: tuple[str, ...] = ()
    calls: tuple[FunctionCall, ...] = ()
    searched: SearchAnswer | None = None
    finish: Literal["stop", "length", "filtered", "none"] = "stop"
    wait: float = 0.0
    text_parts: int = 1
    """In how many parts a whole (not streamed) answer holds its text, where the API has parts."""
    failure: Failure | None = None
