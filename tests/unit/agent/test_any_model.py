"""Whatever a model does, a run ends in an outcome: nothing crashes, and no call is carried out twice.

Conversations are generated: replies that are right, replies that are wrong in every way the API knows, and
replies that are no replies at all.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundwire.agent.events import CallEnded, CallStarted, Compacted, Event
from groundwire.agent.loop import Agent
from groundwire.agent.outcome import Ending, Outcome
from groundwire.agent.reply import Content
from groundwire.agent.session import Session
from groundwire.agent.session_store import SessionStore
from groundwire.agent.tally import Limits
from groundwire.citations import WebSearchResult
from groundwire.errors import ConnectFailed, ModelFailed
from groundwire.testing import ScriptedModel, says
from groundwire.tools.run_shell_command import Shell
from groundwire.transport.public_web import Page
from tests.unit.agent.conftest import Died, Mortal, contents, search

PATHS = st.sampled_from(["a.txt", "b.txt", "d/c.txt", "../out", "/etc/passwd", "", "d", "a\u0000b"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
TEXT = st.sampled_from(["a", "b", "a\nb\n", "", "北京"])
ADDRESSES = st.sampled_from(["https://named.example", "https://a.example/x", "http://10.0.0.1/", "none"])
COMMANDS = st.sampled_from([":", "echo a >a.txt", "exit 3", " "])
GOOD_CALLS = st.one_of(
    st.tuples(st.just("write_file"), st.fixed_dictionaries({"file_path": PATHS, "content": TEXT})),
    st.tuples(
        st.just("replace"),
        st.fixed_dictionaries({"file_path": PATHS, "old_string": TEXT, "new_string": TEXT}),
    ),
    st.tuples(st.just("read_file"), st.fixed_dictionaries({"file_path": PATHS})),
    st.tuples(st.just("list_directory"), st.fixed_dictionaries({"path": PATHS})),
    st.tuples(st.just("google_web_search"), st.fixed_dictionaries({"query": TEXT})),
    st.tuples(st.just("web_fetch"), st.fixed_dictionaries({"prompt": ADDRESSES})),
    st.tuples(st.just("run_shell_command"), st.fixed_dictionaries({"command": COMMANDS})),
)
NAMES = st.sampled_from(
    ["write_file", "read_file", "replace", "glob", "nothing", "", "google_web_search", "web_fetch"]
)
BAD_CALLS = st.tuples(NAMES | JSON, JSON)


@st.composite
def call_parts(draw: st.DrawFn) -> dict[str, Any]:
    name, args = draw(st.one_of(GOOD_CALLS, GOOD_CALLS, BAD_CALLS))
    call = {"name": name, "args": args}
    if draw(st.booleans()):
        call["id"] = draw(st.sampled_from(["1", "2", ""]) | JSON)
    part: dict[str, Any] = {"functionCall": call}
    return {**part, "thoughtSignature": "c2ln"} if draw(st.booleans()) else part


PARTS = st.one_of(
    call_parts(),
    call_parts(),
    st.fixed_dictionaries({"text": TEXT}),
    st.fixed_dictionaries({"text": TEXT, "thought": st.just(True)}),
    st.dictionaries(st.sampled_from(["text", "functionCall", "thought", "inlineData"]), JSON, max_size=2),
)
FINISH = st.sampled_from(
    ["STOP"] * 6 + ["MAX_TOKENS", "SAFETY", "MALFORMED_FUNCTION_CALL", "OTHER", "NEW_REASON", "", None, 3]
)


@st.composite
def responses(draw: st.DrawFn) -> dict[str, Any]:
    content = {"role": "model", "parts": draw(st.lists(PARTS, max_size=4))}
    candidate: dict[str, Any] = {"content": content, "finishReason": draw(FINISH)}
    usage = {"promptTokenCount": draw(JSON), "totalTokenCount": draw(JSON)}
    return {"candidates": [candidate], "usageMetadata": usage}


ANSWERS = st.one_of(
    responses(),
    responses(),
    st.lists(responses(), min_size=1, max_size=3),
    JSON.map(lambda value: [value]),
    st.just({"promptFeedback": {"blockReason": "SAFETY"}}),
    st.sampled_from([ModelFailed("no"), ConnectFailed("down")]),
)


class Watch:
    """Counts what is really carried out."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.searched = 0
        self.opened: list[str] = []

    async def search(self, query: str) -> WebSearchResult:
        self.searched += 1
        return await search(query)

    async def get_page(self, address: str) -> Page:
        self.opened.append(address)
        return Page(address, "text/plain", "", b"page")


def every_call_is_answered(history: tuple[Content, ...]) -> bool:
    """Whether each entry with calls is followed by as many responses, under the same names and ids."""
    for number, content in enumerate(history):
        asked = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        if content["role"] != "model" or not asked:
            continue
        answered = [
            part["functionResponse"] for part in history[number + 1]["parts"] if "functionResponse" in part
        ]
        if [one["name"] for one in asked] != [one["name"] for one in answered]:
            return False
        if any(
            isinstance(one.get("id"), str) and one["id"] != got.get("id", "")
            for one, got in zip(asked, answered, strict=True)
        ):
            return False
    return True


@contextmanager
def places() -> Iterator[tuple[Path, SessionStore]]:
    """A workspace, and a place for sessions outside of it."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        root.mkdir()
        yield root, SessionStore(Path(folder) / "sessions")


async def live(answers: list[object], approve: str, window: int) -> tuple[Outcome, Watch]:
    watch = Watch()
    with places() as (root, store), store.create(root=root, model="m") as session:
        agent = Agent(
            model=ScriptedModel(chain(answers, repeat(says("done")))),
            workspace=root,
            approve=approve,
            search=watch.search,
            get_page=watch.get_page,
            shell=Shell({"PATH": os.environ["PATH"]}) if os.name == "posix" else None,
            limits=Limits(turns=12, tokens=1000, retries=1, repetitions=3, context=window),
            tell=watch.events.append,
            session=session,
        )
        outcome = await agent.run("task https://named.example")
        assert session.past().history == list(outcome.history)
        return outcome, watch


@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(ANSWERS, max_size=6),
    st.sampled_from(["yolo", "edits", "ask", "plan"]),
    st.sampled_from([1_000_000, 200]),
)
def test_any_conversation_ends_in_an_outcome_and_runs_no_call_twice(
    answers: list[object], approve: str, window: int
) -> None:
    outcome, watch = asyncio.run(live(answers, approve, window))
    assert outcome.ending in Ending
    assert outcome.reason
    msgspec.json.encode([outcome.to_json(), outcome.history])
    assert every_call_is_answered(outcome.history)
    started = Counter(event.number for event in watch.events if isinstance(event, CallStarted))
    ended = Counter(event.number for event in watch.events if isinstance(event, CallEnded))
    assert started == ended
    assert set(started.values()) <= {1}
    asked = sum("functionCall" in part for content in outcome.history for part in content["parts"])
    assert started.total() <= asked or any(isinstance(event, Compacted) for event in watch.events)
    searches = [
        event
        for event in watch.events
        if isinstance(event, CallStarted) and event.name == "google_web_search"
    ]
    assert watch.searched <= len(searches)
    assert approve == "yolo" or set(watch.opened) <= {"https://named.example"}


async def resumed(root: Path, store: SessionStore, answers: list[object], death: int) -> Outcome:
    """The outcome of a run that dies at an event, if it has so many, and is resumed."""

    def agent(session: Session) -> Agent:
        asked = sum(len(run.turns) for run in session.past().runs)
        model = ScriptedModel(chain(answers[asked:], repeat(says("done"))))
        limits = Limits(turns=12, retries=1, repetitions=1000)
        return Agent(
            model=model, workspace=root, approve="yolo", search=search, limits=limits, session=session
        )

    with Mortal.create(store.folder / "mortal.jsonl", root=str(root), model="m", version="0") as session:
        session.die_at(death)
        try:
            return await agent(session).run("task")
        except Died:
            pass
    with store.open("mortal") as opened:
        again = agent(opened)
        return await (again.resume() if opened.past().runs else again.run("task"))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(responses(), st.lists(responses(), min_size=1, max_size=2)), max_size=5), st.data())
def test_a_run_that_dies_anywhere_ends_as_if_it_had_not(answers: list[object], data: st.DataObject) -> None:
    with places() as (root, store):
        whole = asyncio.run(resumed(root, store, answers, death=1000))
        expected = contents(root)
        events = len((store.folder / "mortal.jsonl").read_bytes().splitlines())
    death = data.draw(st.integers(1, events - 1))
    with places() as (root, store):
        outcome = asyncio.run(resumed(root, store, answers, death))
        assert contents(root) == expected
    assert (outcome.ending, outcome.text, outcome.turns) == (whole.ending, whole.text, whole.turns)
    assert (outcome.usage, outcome.searches) == (whole.usage, whole.searches)
