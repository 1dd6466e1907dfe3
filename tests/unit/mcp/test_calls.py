"""Calls carried out: loaded when needed, cancelled, closed."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from groundwire.mcp.calls import Calls
from groundwire.mcp.declarations import Offer, offered
from groundwire.mcp.file_calls import FileCalls
from groundwire.mcp.protocol import StartCall
from groundwire.mcp.shapes import Outcome
from groundwire.tools.base import ToolResult
from groundwire.tools.toolset import Toolset

PATIENCE = 20.0


class Told:
    """Waits for what calls give."""

    def __init__(self) -> None:
        self.outcomes: dict[int, Outcome | BaseException] = {}
        self.came = threading.Semaphore(0)

    def __call__(self, number: int, outcome: Outcome | BaseException) -> None:
        self.outcomes[number] = outcome
        self.came.release()

    def outcome(self, number: int) -> Outcome:
        assert self.came.acquire(timeout=PATIENCE)
        told = self.outcomes[number]
        assert isinstance(told, Outcome), told
        return told


def file_calls(root: Path) -> Calls:
    offer = Offer("files", root=str(root))
    return Calls(offer, offered(offer))


def test_a_workspace_that_is_gone_is_told_in_the_shape_of_a_result(tmp_path: Path) -> None:
    calls, told = file_calls(tmp_path / "gone"), Told()
    calls.start(StartCall(1, "read_file", {"file_path": "a"}, wants_progress=False), told)
    outcome = told.outcome(1)
    assert outcome.is_error
    error = json.loads(outcome.content[0]["text"])["error"]
    assert error["type"] == "path_is_not_a_directory"
    assert "gone" in error["message"]


def test_a_cancelled_write_that_waits_its_turn_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, told = file_calls(tmp_path), Told()
    begun, go_on = threading.Event(), threading.Event()
    call_now = Toolset.call_now

    def held(self: Toolset, name: str, arguments: object, cancelled: object = None) -> ToolResult:
        begun.set()
        assert go_on.wait(PATIENCE)
        return call_now(self, name, arguments)

    monkeypatch.setattr(Toolset, "call_now", held)
    calls.start(StartCall(1, "write_file", {"file_path": "a", "content": "a"}, wants_progress=False), told)
    assert begun.wait(PATIENCE)
    calls.start(StartCall(2, "write_file", {"file_path": "b", "content": "b"}, wants_progress=False), told)
    calls.cancel(2)
    go_on.set()
    assert not told.outcome(1).is_error
    calls.start(StartCall(3, "write_file", {"file_path": "c", "content": "c"}, wants_progress=False), told)
    told.outcome(3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "c"]
    calls.close()


def test_a_bug_in_a_tool_reaches_who_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Toolset, name: str, arguments: object, cancelled: object = None) -> ToolResult:
        raise ZeroDivisionError

    monkeypatch.setattr(Toolset, "call_now", broken)
    calls, told = file_calls(tmp_path), Told()
    calls.start(StartCall(1, "read_file", {"file_path": "a"}, wants_progress=False), told)
    assert told.came.acquire(timeout=PATIENCE)
    assert isinstance(told.outcomes[1], ZeroDivisionError)
    calls.close()


def test_nothing_begins_after_the_end(tmp_path: Path) -> None:
    calls, told = file_calls(tmp_path), Told()
    calls.start(StartCall(1, "list_directory", {"dir_path": "."}, wants_progress=False), told)
    told.outcome(1)
    calls.close()
    calls.start(StartCall(2, "list_directory", {"dir_path": "."}, wants_progress=False), told)
    assert set(told.outcomes) == {1}


def test_getting_ready_for_a_workspace_that_is_gone_breaks_nothing(tmp_path: Path) -> None:
    calls = file_calls(tmp_path / "gone")
    calls.warm()
    calls.close()


def test_file_tools_are_ready_before_the_first_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = threading.Event()
    first = FileCalls.__init__

    def noted(self: FileCalls, offer: Offer, writing: frozenset[str]) -> None:
        first(self, offer, writing)
        made.set()

    monkeypatch.setattr(FileCalls, "__init__", noted)
    calls = file_calls(tmp_path)
    calls.warm()
    assert made.wait(PATIENCE)
    calls.close()
