"""An agent with a scripted model, and a session that dies, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from groundwire.agent.events import Event
from groundwire.agent.loop import Agent
from groundwire.agent.outcome import Outcome
from groundwire.agent.session import Session
from groundwire.agent.transcript import Event as Recorded
from groundwire.citations import GroundedAnswer, Source, WebSearchResult, result
from groundwire.testing import ScriptedModel

WEATHER = Source(title="Weather", uri="https://weather.example.org")


async def search(query: str) -> WebSearchResult:
    """A search that always finds the same page."""
    return result(query, GroundedAnswer(text="Sunny.", sources=(WEATHER,)), provider="gemini")


async def run(
    root: Path, answers: Iterable[object], *, task: str = "task", **options: Any
) -> tuple[Outcome, ScriptedModel, list[Event]]:
    """Run an agent to its outcome, every scripted reply used."""
    events: list[Event] = []
    async with ScriptedModel(answers) as model:
        settings = {"approve": "yolo", "search": search, **options}
        agent = Agent(model=model, workspace=root, tell=events.append, **settings)
        return await agent.run(task), model, events


def told(model: ScriptedModel, turn: int) -> list[dict[str, Any]]:
    """What the model was told last before it replied in this turn: the parts of the newest entry."""
    parts: list[dict[str, Any]] = model.histories[turn][-1]["parts"]
    return parts


class Died(BaseException):
    """The process is gone."""


class Mortal(Session):
    """A session whose process dies at one event: before it is written, or right after."""

    _dies_at = -1
    _written = False
    _seen = 0

    def die_at(self, number: int, *, written: bool = False) -> None:
        """Die at an event counted from the next, which is 1."""
        self._dies_at, self._written = self._seen + number, written

    def _append(self, event: Recorded, *, durable: bool = False) -> None:
        self._seen += 1
        if self._seen != self._dies_at:
            super()._append(event, durable=durable)
            return
        if self._written:
            super()._append(event, durable=durable)
        raise Died


def contents(root: Path) -> dict[str, str]:
    """The files of a workspace and what they hold."""
    return {
        str(path.relative_to(root)): path.read_text(encoding="utf-8")
        for path in root.rglob("*")
        if path.is_file()
    }
