"""However a transcript is damaged, it is read or told to be damaged, and what is read can be shown."""

from __future__ import annotations

import asyncio
import io
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from groundwire.agent.loop import Agent
from groundwire.agent.session_past import past_of
from groundwire.agent.session_store import SessionStore
from groundwire.agent.transcript import events_in
from groundwire.cli.show import as_json
from groundwire.cli.show_page import page
from groundwire.cli.show_terminal import show
from groundwire.errors import SessionUnreadable
from groundwire.testing import ScriptedModel, calls, says
from tests.unit.agent.conftest import search

MOMENT = "2026-01-01T00:00:00Z"
VALUES = st.sampled_from(
    [
        None,
        1,
        -1,
        "",
        [],
        {},
        "x",
        [None],
        {"a": 1},
        10**20,
        True,
        "2026-01-01T00:00:00",
        "2026-13-01T00:00:00Z",
    ]
)
STRANGERS: st.SearchStrategy[Any] = st.sampled_from(
    [
        {"type": "undone", "at": MOMENT, "run": 99},
        {"type": "undone", "at": MOMENT, "run": -1},
        {"type": "undone", "at": "x", "run": 0},
        {"type": "result", "at": MOMENT, "number": 7, "name": "f", "ok": True, "summary": "", "response": {}},
        {"type": "write", "at": MOMENT, "number": 1, "path": "../../etc/x"},
        {"type": "told", "at": MOMENT},
        {},
        None,
    ]
)


@cache
def transcript() -> tuple[Any, ...]:
    """The events of a run that searched, wrote and was asked again."""

    async def run(root: Path, store: SessionStore) -> Path:
        replies = [
            calls(
                ("google_web_search", {"query": "x"}), ("write_file", {"file_path": "a", "content": "b\n"})
            ),
            says(""),
            says("done"),
        ]
        with store.create(root=root, model="m") as session:
            model = ScriptedModel(replies)
            agent = Agent(model=model, workspace=root, approve="yolo", search=search, session=session)
            await agent.run("task")
            return session.path

    with tempfile.TemporaryDirectory() as folder:
        path = asyncio.run(run(Path(folder), SessionStore(Path(folder) / "sessions")))
        return tuple(json.loads(line) for line in path.read_bytes().splitlines())


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    events = [dict(event) for event in transcript()]
    place = draw(st.integers(0, len(events) - 1))
    match draw(st.sampled_from(["value", "lost", "twice", "missing", "order", "stranger", "bytes"])):
        case "value":
            events[place][draw(st.sampled_from(sorted(events[place])))] = draw(VALUES)
        case "lost":
            del events[place][draw(st.sampled_from(sorted(events[place])))]
        case "twice":
            events.insert(place, draw(st.sampled_from(events)))
        case "missing":
            del events[place]
        case "order":
            events = draw(st.permutations(events))
        case "stranger":
            events.insert(place + 1, draw(STRANGERS))
        case _:
            whole = b"".join(json.dumps(event).encode() + b"\n" for event in events)
            at = draw(st.integers(0, len(whole)))
            return whole[:at] + draw(st.binary(max_size=5)) + whole[at + draw(st.integers(0, 3)) :]
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


@settings(max_examples=400, deadline=None)
@given(damaged())
def test_a_damaged_transcript_is_read_or_told_to_be_damaged(data: bytes) -> None:
    try:
        past = past_of(events_in(data, Path("a.jsonl")))
    except SessionUnreadable:
        return
    show(past, Console(file=io.StringIO(), width=80))
    page(past)
    json.dumps(as_json(past))
