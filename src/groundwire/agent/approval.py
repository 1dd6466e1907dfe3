"""Who may change the workspace: the modes, and what a person is asked.

ask     every change is put to the person; without anyone to ask, it is denied
edits   changes of files in the workspace are allowed
plan    nothing is changed: the tools that write are not offered
yolo    everything is allowed
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from inspect import isawaitable
from typing import Any

from groundwire.errors import UsageError


class Mode(StrEnum):
    """How changes are approved."""

    ASK = "ask"
    EDITS = "edits"
    PLAN = "plan"
    YOLO = "yolo"


class Verdict(StrEnum):
    """What a person says to a proposal; `always` also allows every later one."""

    YES = "yes"
    NO = "no"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change a model wants to make."""

    name: str
    arguments: Any
    diff: str
    """What would change, as a unified diff."""


Ask = Callable[[Proposal], "Verdict | bool | Awaitable[Verdict | bool]"]

DENIED = "The user did not approve this change; nothing was changed. Do not try it again in another way."
NOBODY = "Nobody is there to approve changes, so nothing was changed. Do not try it again in another way."
READ_ONLY = "This run is read-only, so nothing was changed. Describe the change instead of making it."


class Approval:
    """The approvals of one agent: a mode, or a person who is asked."""

    def __init__(self, approve: Mode | str | Ask) -> None:
        self._ask = approve if callable(approve) else None
        self.mode = Mode.ASK if callable(approve) else mode_named(approve)

    @property
    def needs_a_diff(self) -> bool:
        """Whether anybody looks at what would change."""
        return self.mode is Mode.ASK and self._ask is not None

    async def objection(self, proposal: Proposal) -> str:
        """Why the change must not be made, in words for the model; empty when it may."""
        if self.mode in (Mode.EDITS, Mode.YOLO):
            return ""
        if self.mode is Mode.PLAN:
            return READ_ONLY
        if self._ask is None:
            return NOBODY
        answer = self._ask(proposal)
        verdict = await answer if isawaitable(answer) else answer
        if verdict is Verdict.ALWAYS:
            self.mode = Mode.EDITS
        return "" if verdict is True or verdict in (Verdict.YES, Verdict.ALWAYS) else DENIED


def mode_named(word: str) -> Mode:
    """The mode of that name."""
    try:
        return Mode(word)
    except ValueError:
        raise UsageError(
            f"There is no approval mode '{word}'.", hint=f"The modes are: {', '.join(Mode)}."
        ) from None
