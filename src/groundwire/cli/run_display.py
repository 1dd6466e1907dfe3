"""A run of the agent on the screen: words as they come, a line for each tool call, a status line below them
while it goes on, sources at the end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TextIO

import msgspec

from groundwire.agent.events import CallEnded, CallStarted, Compacted, Event, Retried, TextArrived, TurnBegan
from groundwire.agent.outcome import Ending, Outcome
from groundwire.agent.prices import in_dollars
from groundwire.cli.printable import printable, printable_json
from groundwire.cli.showing import brief, counted
from groundwire.cli.status_line import StatusLine
from groundwire.cli.terminal_look import can_redraw, colours_wanted

TICK = 0.2
"""Seconds between two looks of the status line."""
_RED, _GREEN, _DIM, _PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[2m", "\x1b[0m"


class RunDisplay:
    """Shows a run to a person: the model's words on one stream, what it does on the other."""

    def __init__(self, words: TextIO, doings: TextIO, *, live: bool = False) -> None:
        """`live` shows a status line while it goes on, when `doings` is a terminal."""
        self._words = words
        self._doings = doings
        self._terminal = doings.isatty()
        self._colour = self._terminal and colours_wanted()
        self._status = StatusLine(doings) if live and can_redraw(doings) else None
        self._calls: dict[int, CallStarted] = {}
        self._in_line = False

    def tell(self, event: Event) -> None:
        """Show one event."""
        self.pause()
        self._show(event)
        self.tick()

    def pause(self) -> None:
        """Take the status line away, for something else to be shown."""
        if self._status is not None:
            self._status.clear()

    def make_room(self) -> None:
        """Begin a new line, for something else to be shown."""
        self.pause()
        self._end_line()

    def tick(self) -> None:
        """Show the status line as it is now; never in the middle of the model's words."""
        if self._status is not None and not self._in_line:
            running = sorted({call.name for call in self._calls.values()})
            self._status.doing = printable(", ".join(running)).replace("\n", " ")
            self._status.show()

    def _show(self, event: Event) -> None:
        match event:
            case TurnBegan():
                if self._status is not None:
                    status = self._status
                    status.turn, status.tokens, status.cost = event.number, event.tokens, event.cost
            case TextArrived():
                shown = printable(event.text)
                self._words.write(shown)
                self._words.flush()
                self._in_line = bool(shown) and not shown.endswith("\n")
            case CallStarted():
                self._calls[event.number] = event
            case CallEnded():
                self._line(_call_line(self._calls.pop(event.number), event, colour=self._colour))
            case Retried():
                self._line(f"{event.reason} Asking again.")
            case Compacted():
                self._line(f"The conversation was {event.how}: {event.before:,} → {event.after:,} tokens.")

    def close(self, outcome: Outcome) -> None:
        """Show what is left to say when the run has ended."""
        self.pause()
        self._status = None
        self._end_line()
        for call in self._calls.values():
            unfinished = CallEnded(call.number, call.name, ok=False, summary="stopped")
            self._line(_call_line(call, unfinished, colour=self._colour))
        self._calls.clear()
        for section in source_sections(outcome):
            self._words.write(f"\n{section}\n")
        self._words.flush()
        if outcome.usage.total and (self._terminal or outcome.cost is None):
            self._line(f"groundwire: {printable(_used(outcome))}")
        if not outcome.ok:
            self._line(f"groundwire: {printable(outcome.reason)}")
        if outcome.ending is Ending.REFUSED:
            self._line(
                "groundwire: --approve edits allows changes of files without asking, "
                "--approve yolo also commands and every page."
            )

    def _line(self, text: str) -> None:
        self._end_line()
        self._doings.write(f"{text}\n")
        self._doings.flush()

    def _end_line(self) -> None:
        if self._in_line:
            self._words.write("\n")
            self._words.flush()
            self._in_line = False


class EventLines:
    """Shows a run to a program: each event is one line of JSON, the outcome is the last."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def tell(self, event: Event) -> None:
        """Write one event."""
        self._write(msgspec.to_builtins(event))

    def pause(self) -> None:
        """Nothing is shown that could be in the way."""

    make_room = pause

    def tick(self) -> None:
        """Nothing changes with time."""

    def close(self, outcome: Outcome) -> None:
        """Write the outcome."""
        self._write(outcome.to_json())

    def _write(self, value: object) -> None:
        line = printable_json(msgspec.json.encode(value).decode())
        self._stream.write(f"{_in_encoding(line, self._stream.encoding)}\n")
        self._stream.flush()


def _in_encoding(line: str, encoding: str | None) -> str:
    """The JSON as it is, or with escapes where an encoding has no letters for what it says."""
    try:
        line.encode(encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return json.dumps(json.loads(line), separators=(",", ":"))
    return line


@asynccontextmanager
async def ticking(display: RunDisplay | EventLines) -> AsyncIterator[None]:
    """Keeps the status line alive while something goes on."""

    async def tick() -> None:
        while True:
            await asyncio.sleep(TICK)
            display.tick()

    task = asyncio.create_task(tick())
    try:
        yield
    finally:
        task.cancel()
        display.pause()


def _used(outcome: Outcome) -> str:
    """What a run took, and by which prices that is what it cost."""
    turns, tokens = counted(outcome.turns, "turn"), counted(outcome.usage.total, "token")
    if outcome.cost is None:
        return f"{turns}, {tokens}; what they cost is not known: {outcome.cost_basis}."
    return f"{turns}, {tokens}, about {in_dollars(outcome.cost)} {outcome.cost_basis}."


def source_sections(outcome: Outcome) -> list[str]:
    """The sources of each search, numbered as its answer numbers them."""
    cited = [searched for searched in outcome.searches if searched.sources]
    sections = []
    for searched in cited:
        heading = "Sources" if len(cited) == 1 else f'Sources for "{searched.query}"'
        lines = [f"[{number}] {source.line()}" for number, source in enumerate(searched.sources, start=1)]
        sections.append(printable("\n".join([f"{heading}:", *lines])))
    return sections


def _call_line(call: CallStarted, result: CallEnded, *, colour: bool) -> str:
    """One line: a sign, the call with its short arguments, and what came of it."""
    sign = "✓" if result.ok else "✗"
    said = printable(f"{call.name}({brief(call.arguments)})").replace("\n", " ")
    summary = printable(result.summary).replace("\n", " ")
    if not colour:
        return f"{sign} {said} → {summary}"
    return f"{_GREEN if result.ok else _RED}{sign}{_PLAIN} {said} {_DIM}→ {summary}{_PLAIN}"
