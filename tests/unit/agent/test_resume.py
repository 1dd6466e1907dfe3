"""A run that dies at any moment is resumed: it ends in the same workspace, and nothing is done twice.

The process "dies" here at each single event of a run, before it is written and right after.
(`bench/agent_kills.py` kills real processes at random moments.)
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from groundwire.agent.loop import Agent
from groundwire.agent.model import Hear, Prompt
from groundwire.agent.outcome import Outcome
from groundwire.agent.reply import Reply, ReplyReader
from groundwire.agent.session import Session
from groundwire.agent.session_store import SessionStore
from groundwire.citations import WebSearchResult
from groundwire.testing import calls, says
from tests.unit.agent.conftest import Died, Mortal, contents, search

GROW = ("replace", {"file_path": "tally.txt", "old_string": "I\n", "new_string": "II\n"})
"""Done twice, it would show."""


def signed(response: dict[str, Any]) -> dict[str, Any]:
    parts = response["candidates"][0]["content"]["parts"]
    parts[0]["thoughtSignature"] = "c2lnbmF0dXJl"
    return response


STORY = [
    signed(calls(GROW, ("write_file", {"file_path": "new/folder/a.txt", "content": "a\n"}))),
    calls(("read_file", {"file_path": "tally.txt"}), ("google_web_search", {"query": "q"}), GROW),
    says("", finish="MALFORMED_FUNCTION_CALL"),
    calls(("no_such_tool", {}), GROW, ("list_directory", {"dir_path": "."})),
    says("All done."),
]


class Teller:
    """A model whose reply follows from the history alone, as a real one's does."""

    name = "gemini-2.5-flash"

    async def reply(self, prompt: Prompt, hear: Hear) -> Reply:
        """The reply that comes next in the story."""
        told = sum("could not be used" in str(content) for content in prompt.history)
        reader = ReplyReader()
        reader.add(STORY[told + sum(content["role"] == "model" for content in prompt.history)])
        return reader.finish()


class Searches:
    """Counts them."""

    def __init__(self) -> None:
        self.count = 0

    async def __call__(self, query: str) -> WebSearchResult:
        self.count += 1
        return await search(query)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "sessions")


def fresh(root: Path) -> None:
    (root / "tally.txt").write_text("I\n", encoding="utf-8")


def agent_in(root: Path, session: Session, searches: Searches) -> Agent:
    return Agent(model=Teller(), workspace=root, approve="yolo", search=searches, session=session)


async def told_to_its_end(root: Path, store: SessionStore) -> Outcome:
    with store.create(root=root, model="m") as session:
        return await agent_in(root, session, Searches()).run("task")


def without_words(history: tuple[Any, ...] | list[Any]) -> list[Any]:
    """The history, leaving out how the model is told of a write that the interruption fell upon."""
    return [
        [
            {**part, "functionResponse": {**part["functionResponse"], "response": "…"}}
            if part.get("functionResponse", {}).get("name") in ("replace", "write_file")
            else part
            for part in content["parts"]
        ]
        for content in history
    ]


EVENTS = 28
"""How many events the story has, from the run to its outcome."""


DEATHS = [
    *(pytest.param(number, False, id=f"before event {number}") for number in range(EVENTS)),
    *(pytest.param(number, True, id=f"after event {number}") for number in range(EVENTS - 1)),
]


@pytest.mark.parametrize(("number", "last_words"), DEATHS)
def test_a_run_that_died_is_resumed_to_the_same_end(
    root: Path, store: SessionStore, number: int, last_words: bool
) -> None:
    fresh(root)
    whole = asyncio.run(told_to_its_end(root, store))
    expected = contents(root)
    for path in sorted(root.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()

    fresh(root)
    searches = Searches()
    with Mortal.create(store.folder / "mortal.jsonl", root=str(root), model="m", version="0") as session:
        session.die_at(number + 1, written=last_words)
        with pytest.raises(Died):
            asyncio.run(agent_in(root, session, searches).run("task"))

    with store.open("mortal") as resumed:
        agent = agent_in(root, resumed, searches)
        outcome = asyncio.run(agent.resume() if resumed.past().runs else agent.run("task"))
        after = resumed.past()
    assert contents(root) == expected
    assert (outcome.ending, outcome.text, outcome.turns) == ("done", "All done.", whole.turns)
    assert without_words(outcome.history) == without_words(whole.history)
    assert after.history == list(outcome.history)
    assert searches.count <= 2  # one, or one more when it fell upon the search itself


async def test_the_history_is_rebuilt_exactly(root: Path, store: SessionStore) -> None:
    fresh(root)
    outcome = await told_to_its_end(root, store)
    assert outcome.session is not None
    past = store.past(outcome.session)
    assert past.history == list(outcome.history)
    assert past.history[1]["parts"][0]["thoughtSignature"] == "c2lnbmF0dXJl"
    assert [run.began.task for run in past.runs] == ["task"]
    ended = past.runs[0].ended
    assert ended is not None
    assert (ended.ending, ended.turns) == ("done", 5)


async def test_a_cancelled_run_leaves_the_history_the_transcript_tells(
    root: Path, store: SessionStore
) -> None:
    fresh(root)

    async def cancelling(query: str) -> WebSearchResult:
        agent.cancel()
        await asyncio.sleep(0)
        raise AssertionError("the search went on")

    with store.create(root=root, model="m") as session:
        agent = Agent(model=Teller(), workspace=root, approve="yolo", search=cancelling, session=session)
        outcome = await agent.run("task")
        assert outcome.ending == "cancelled"
        assert session.past().history == list(outcome.history)
        assert session.past().can_go_on
