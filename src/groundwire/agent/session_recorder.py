"""Who is told what happens in a run: `Session` writes it down, `NotRecorded` lets it pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from groundwire.agent.functions import Given
from groundwire.agent.outcome import Outcome
from groundwire.agent.reply import Call, Content, Reply, Usage
from groundwire.agent.session_past import Past
from groundwire.agent.transcript import WriteBegan
from groundwire.agent.turn import Made
from groundwire.tools.base import PlannedWrite
from groundwire.workspace.boundary import Workspace


class Recorder(Protocol):
    """Is told what happens in a run before the next thing happens."""

    @property
    def id(self) -> str | None:
        """The session's name."""
        ...

    def past(self) -> Past:
        """What was before."""
        ...

    def run_began(self, task: str | None, approve: str, model: str, *, shell: bool) -> None:
        """A task was given, or (None) an earlier one is gone on with."""
        ...

    def replied(self, reply: Reply) -> None:
        """The model replied."""
        ...

    def told(self) -> None:
        """The model was told about the problem with its reply."""
        ...

    def call_began(self, number: int, call: Call, *, durable: bool) -> None:
        """A call is about to run; `durable` when that must be known even if the power fails."""
        ...

    def write_began(self, number: int, planned: PlannedWrite, temporary: str) -> Callable[[], None] | None:
        """A file is about to be written; what is given back is called before it changes."""
        ...

    def call_gave(self, number: int, made: Made) -> None:
        """A call has a result."""
        ...

    def settled(self, announced: WriteBegan | None, workspace: Workspace, *, journaled: bool) -> Given | None:
        """What an interrupted call has come to; None when it has still to be carried out."""
        ...

    def history_replaced(self, history: Sequence[Content], usage: Usage) -> None:
        """The history is this now; making it so has cost some tokens."""
        ...

    def run_ended(self, outcome: Outcome) -> None:
        """There is an outcome."""
        ...


class NotRecorded:
    """For runs of which nothing is kept."""

    id: str | None = None

    def past(self) -> Past:
        """Nothing was before."""
        return Past()

    def run_began(self, task: str | None, approve: str, model: str, *, shell: bool) -> None:
        """Not kept."""

    def replied(self, reply: Reply) -> None:
        """Not kept."""

    def told(self) -> None:
        """Not kept."""

    def call_began(self, number: int, call: Call, *, durable: bool) -> None:
        """Not kept."""

    def write_began(self, number: int, planned: PlannedWrite, temporary: str) -> Callable[[], None] | None:
        """Not kept."""
        return None

    def call_gave(self, number: int, made: Made) -> None:
        """Not kept."""

    def settled(self, announced: WriteBegan | None, workspace: Workspace, *, journaled: bool) -> Given | None:
        """Nothing was interrupted."""
        return None

    def history_replaced(self, history: Sequence[Content], usage: Usage) -> None:
        """Not kept."""

    def run_ended(self, outcome: Outcome) -> None:
        """Not kept."""
