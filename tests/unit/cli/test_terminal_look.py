"""How text may look: colours only where they are wanted, lines only as long as they fit."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path

import pytest

from groundwire.agent.events import CallEnded, CallStarted
from groundwire.agent.outcome import Ending, Outcome
from groundwire.agent.reply import Usage
from groundwire.cli.run_display import RunDisplay
from groundwire.cli.status_line import StatusLine
from groundwire.cli.terminal_look import as_wanted, columns, fitting


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_who_wants_no_colours_gets_none(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert as_wanted("\x1b[1mbold\x1b[0m \x1b[31mred\x1b[0m") == "bold red"
    stream = Terminal()
    display = RunDisplay(io.StringIO(), stream)
    display.tell(CallStarted(1, "glob", {}))
    display.tell(CallEnded(1, "glob", True, "ok"))
    assert stream.getvalue() == "✓ glob() → ok\n"


def test_a_terminal_without_colours_has_a_status_line_and_a_dumb_one_has_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = Terminal()
    monkeypatch.setenv("NO_COLOR", "1")
    StatusLine(stream, width=lambda: 80).show()
    assert stream.getvalue().startswith("\r\x1b[2K")
    assert stream.getvalue().count("\x1b") == 1
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    RunDisplay(stream, stream, live=True).tick()
    assert stream.getvalue() == ""


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("北京天气", 8, "北京天气"),
        ("北京天气", 7, "北京天…"),
        ("北京天气", 6, "北京…"),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
        ("", 0, ""),
    ],
)
def test_a_line_is_cut_by_the_columns_it_takes(text: str, columns: int, shown: str) -> None:
    assert fitting(text, columns, end="…") == shown


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pty")
@pytest.mark.parametrize(("width", "seen"), [(30, 30), (0, 80)])
def test_a_line_is_as_wide_as_the_terminal_it_stands_on(width: int, seen: int) -> None:
    import fcntl
    import struct
    import termios

    ours, theirs = os.openpty()
    with open(theirs, "w", encoding="utf-8") as stream, open(ours, "rb") as screen:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        assert columns(stream) == seen
        status = StatusLine(stream)
        status.doing = "x" * 200
        status.show()
        shown = as_plain(screen.read1().decode())
        assert len(shown) == seen - 1


def test_what_is_no_terminal_is_of_the_usual_width(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w", encoding="utf-8") as stream:
        assert columns(stream) == columns(io.StringIO()) == 80


def as_plain(text: str) -> str:
    return re.sub(r"\r|\x1b\[\d*[mK]", "", text)


def used(stream: io.StringIO, cost: float | None, basis: str) -> str:
    display = RunDisplay(io.StringIO(), stream)
    display.close(Outcome(Ending.DONE, "", turns=1, usage=Usage(900, 334), cost=cost, cost_basis=basis))
    return stream.getvalue()


def test_at_the_end_a_terminal_is_told_what_the_run_took_and_by_which_prices() -> None:
    assert used(Terminal(), 0.0123, "by the list prices of 2026-10-07") == (
        "groundwire: 1 turn, 1,234 tokens, about $0.0123 by the list prices of 2026-10-07.\n"
    )
    assert used(io.StringIO(), 0.0123, "by the list prices of 2026-10-07") == ""


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()])
def test_a_cost_that_is_not_known_is_told_everywhere(stream: io.StringIO) -> None:
    assert used(stream, None, "no price is known for m; see agent.prices") == (
        "groundwire: 1 turn, 1,234 tokens; what they cost is not known: no price is known for m; "
        "see agent.prices.\n"
    )
