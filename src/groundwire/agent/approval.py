"""Who may change the workspace, run commands and open pages: the modes, and what a person is asked.

        changes of files   commands      pages that neither the person nor a search named
ask     asked              asked         asked
edits   allowed            asked         asked
plan    not offered        not offered   asked
yolo    allowed            allowed       allowed

Where there is nobody to ask, what would be asked is denied. Commands are offered only when they were allowed
besides (`--shell`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from inspect import isawaitable
from typing import Any

from groundwire.address import host_of
from groundwire.errors import UsageError


class Mode(StrEnum):
    """How changes are approved."""

    ASK = "ask"
    EDITS = "edits"
    PLAN = "plan"
    YOLO = "yolo"


class Verdict(StrEnum):
    """What a person says to a proposal; `always` also allows later ones: every change of a file, the same
    command in the same directory, every page of the same host."""

    YES = "yes"
    NO = "no"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a model wants to do: change a file, run a command, or open a page nobody named."""

    name: str
    arguments: Any
    diff: str = ""
    """What would change, as a unified diff."""
    command: str = ""
    directory: str = ""
    """Where the command would run, below the root of the workspace."""
    pages: tuple[str, ...] = ()
    """The addresses that nobody named."""


Ask = Callable[[Proposal], "Verdict | bool | Awaitable[Verdict | bool]"]

DENIED = "The user did not approve this; nothing was changed. Do not try it again in another way."
NOBODY = "Nobody is there to approve this, so nothing was changed. Do not try it again in another way."
READ_ONLY = "This run is read-only, so nothing was changed. Describe the change instead of making it."


class Approval:
    """The approvals of one agent: a mode, and the person who is asked where it says so."""

    def __init__(self, approve: Mode | str | Ask, ask: Ask | None = None) -> None:
        """`approve` may be the person itself; the mode is then `ask`."""
        self._ask = approve if callable(approve) else ask
        self.mode = Mode.ASK if callable(approve) else mode_named(approve)
        self._always: set[object] = set()

    @property
    def needs_a_diff(self) -> bool:
        """Whether anybody looks at what would change."""
        return self.mode is Mode.ASK and self._ask is not None

    async def objection(self, proposal: Proposal) -> str:
        """Why it must not be done, in words for the model; empty when it may."""
        if self._allowed(proposal):
            return ""
        if self.mode is Mode.PLAN and not proposal.pages:
            return READ_ONLY
        if self._ask is None:
            return NOBODY
        answer = self._ask(proposal)
        verdict = await answer if isawaitable(answer) else answer
        if verdict is Verdict.ALWAYS:
            self._allow_always(proposal)
        return "" if verdict is True or verdict in (Verdict.YES, Verdict.ALWAYS) else DENIED

    def _allowed(self, proposal: Proposal) -> bool:
        if self.mode is Mode.YOLO:
            return True
        if proposal.command:
            return (proposal.command, proposal.directory) in self._always
        if proposal.pages:
            return all(host_of(page) in self._always for page in proposal.pages)
        return self.mode is Mode.EDITS

    def _allow_always(self, proposal: Proposal) -> None:
        if proposal.command:
            self._always.add((proposal.command, proposal.directory))
        elif proposal.pages:
            self._always.update(map(host_of, proposal.pages))
        else:
            self.mode = Mode.EDITS


def mode_named(word: str) -> Mode:
    """The mode of that name."""
    try:
        return Mode(word)
    except ValueError:
        raise UsageError(
            f"There is no approval mode '{word}'.", hint=f"The modes are: {', '.join(Mode)}."
        ) from None
