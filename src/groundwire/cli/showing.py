"""A session in the order in which it is told: what was said, thought, called and given.

Both ways of showing a session, on the terminal (`show_terminal.py`) and as a page (`show_page.py`), go over
these items.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from groundwire.agent.reply import Call
from groundwire.agent.session_past import PastRun, PastTurn
from groundwire.agent.transcript import CallGave
from groundwire.agent.turn import numbers_of
from groundwire.citations import Source

_LONGEST_VALUE = 60


@dataclass(frozen=True, slots=True)
class Said:
    """Words of the model."""

    text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """What the model thought, in its own summary."""

    text: str


@dataclass(frozen=True, slots=True)
class Called:
    """A call, and what it gave; None when that is not known."""

    number: int
    name: str
    arguments: Any
    gave: CallGave | None
    seconds: float | None = None
    path: str = ""
    """The file it wrote, below the session's folder."""

    @property
    def ok(self) -> bool:
        """Whether it worked."""
        return self.gave is not None and self.gave.ok

    @property
    def summary(self) -> str:
        """What came of it, in one line."""
        return self.gave.summary if self.gave else "interrupted: the result is not known"


@dataclass(frozen=True, slots=True)
class Useless:
    """A reply that could not be used."""

    reason: str


Item = Said | Thought | Called | Useless


def items(turn: PastTurn) -> Iterator[Item]:
    """What happened in a turn."""
    calls = turn.reply.calls
    numbered = iter(zip(numbers_of(calls, turn.first_number), calls, strict=True))
    for part in turn.reply.parts:
        if "functionCall" in part and calls:
            yield _called(turn, *next(numbered))
        elif text := str(part.get("text") or "").strip():
            yield Thought(text) if part.get("thought") else Said(text)
    if turn.reply.problem is not None:
        yield Useless(turn.reply.problem.reason)
    if turn.reply.blocked:
        yield Useless(f"A safety filter stopped the model ({turn.reply.blocked}).")


def searches(run: PastRun) -> list[CallGave]:
    """The searches of a run that found something."""
    results = (result for turn in run.turns for _, result in sorted(turn.results.items()))
    return [result for result in results if result.query is not None and result.sources]


def sources_before(run: PastRun, turn: PastTurn) -> tuple[Source, ...]:
    """The sources that `[n]` in the words of this turn most likely means: those of the search before it."""
    found: tuple[Source, ...] = ()
    for earlier in run.turns:
        if earlier is turn:
            break
        for _, result in sorted(earlier.results.items()):
            found = result.sources or found
    return found


def without_head(diff: str) -> list[str]:
    """The lines of a unified diff from its first hunk on."""
    lines = diff.splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith("@@")), len(lines))
    return lines[start:]


def brief(arguments: object) -> str:
    """The arguments of a call in one line, long ones left out."""
    if not isinstance(arguments, Mapping):
        return "…"
    shown = []
    for name, value in arguments.items():
        written = json.dumps(value, ensure_ascii=False)
        shown.append(f"{name}: {written}" if len(written) <= _LONGEST_VALUE else f"{name}: …")
    return ", ".join(shown)


def tokens(run: PastRun) -> tuple[int, int]:
    """How many tokens the model was given and made."""
    used = [turn.reply.usage for turn in run.turns]
    return sum(usage.given for usage in used), sum(usage.made for usage in used)


def lasted(run: PastRun) -> float | None:
    """Seconds from the task to the outcome."""
    return seconds_between(run.began.at, run.ended.at) if run.ended else None


def seconds_between(start: str, end: str) -> float:
    """Seconds between two moments of a transcript."""
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def moment(at: str) -> str:
    """A moment of a transcript in the time of this place."""
    return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def counted(number: int, word: str) -> str:
    """`1 turn`, `2 turns`."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def _called(turn: PastTurn, number: int, call: Call) -> Called:
    gave, begun, write = turn.results.get(number), turn.begun.get(number), turn.writes.get(number)
    seconds = seconds_between(begun.at, gave.at) if gave and begun else None
    return Called(number, call.name, call.arguments, gave, seconds, write.path if write else "")
