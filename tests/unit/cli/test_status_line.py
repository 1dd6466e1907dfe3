"""The live status line: what it says, and that nothing of it is left."""

from __future__ import annotations

import io
from collections.abc import Iterator

from groundwire.agent.events import CallEnded, CallStarted, Compacted, Event, TextArrived, TurnBegan
from groundwire.agent.outcome import Ending, Outcome
from groundwire.cli.run_display import RunDisplay
from groundwire.cli.status_line import StatusLine
from tests.behaviour.terminal import screen_of


class Screen(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


EVENTS: list[Event] = [
    TurnBegan(1, 0, 0.0),
    CallStarted(1, "read_file", {}),
    CallStarted(2, "glob", {}),
    CallEnded(1, "read_file", True, "3 lines"),
    CallEnded(2, "glob", True, "2 files"),
    TurnBegan(2, 1234, 0.0042),
    Compacted("shortened", 9000, 4000),
    TextArrived("Some words"),
    TextArrived(" and more."),
]
DONE = Outcome(Ending.DONE, "The model says that it is done.")


def test_the_line_tells_turn_tokens_cost_time_and_what_goes_on() -> None:
    stream, now = Screen(), iter([0.0, 65.0, 66.0])
    status = StatusLine(stream, clock=lambda: next(now), width=lambda: 100)
    status.turn, status.tokens, status.cost = 3, 12345, 0.0123
    status.show()
    assert screen_of(stream.getvalue())[-1][2:] == (
        "turn 3 · 12,345 tokens · $0.0123 · 1:05 · thinking · Ctrl-C stops"
    )
    status.doing, status.cost = "read_file", None
    status.show()
    assert screen_of(stream.getvalue())[-1][2:] == "turn 3 · 12,345 tokens · 1:06 · read_file · Ctrl-C stops"
    status.clear()
    assert screen_of(stream.getvalue()) == [""]


def test_the_line_is_never_wider_than_the_terminal() -> None:
    stream = Screen()
    StatusLine(stream, width=lambda: 20).show()
    assert len(screen_of(stream.getvalue())[0]) <= 19


def _shown(live: bool, stream: io.StringIO) -> Iterator[list[str]]:
    display = RunDisplay(stream, stream, live=live)
    for event in EVENTS:
        display.tell(event)
        display.tick()
        yield screen_of(stream.getvalue())
    display.close(DONE)
    yield screen_of(stream.getvalue())


def test_the_line_stands_below_what_was_said_and_is_gone_in_the_end() -> None:
    screens = list(_shown(True, Screen()))
    assert "glob, read_file" in screens[2][-1]
    assert screens[3][0] == "✓ read_file() → 3 lines"
    assert "glob · Ctrl-C" in screens[3][-1]
    assert "turn 2 · 1,234 tokens · $0.0042" in screens[5][-1]
    assert screens[7][-1] == "Some words"
    assert [line for line in screens[-1] if line] == [
        "✓ read_file() → 3 lines",
        "✓ glob() → 2 files",
        "The conversation was shortened: 9,000 → 4,000 tokens.",
        "Some words and more.",
    ]


def test_in_a_pipe_there_is_no_line() -> None:
    stream = io.StringIO()
    assert list(_shown(True, stream))[-1]
    assert "\x1b" not in stream.getvalue()
    assert "turn" not in stream.getvalue()


def test_a_call_that_was_stopped_is_shown_as_such() -> None:
    stream = io.StringIO()
    display = RunDisplay(stream, stream)
    display.tell(CallStarted(1, "run_shell_command", {"command": "sleep 9"}))
    display.close(Outcome(Ending.CANCELLED, "The run was cancelled."))
    assert stream.getvalue().splitlines() == [
        '✗ run_shell_command(command: "sleep 9") → stopped',
        "groundwire: The run was cancelled.",
    ]
