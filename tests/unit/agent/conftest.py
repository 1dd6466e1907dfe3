"""An agent with a scripted model, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from groundwire.agent.events import Event
from groundwire.agent.loop import Agent
from groundwire.agent.outcome import Outcome
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
