"""What a transcript means: the runs it tells of, and the history they left.

`past_of` goes over the events once. The history it gives is the one the agent had, entry for entry, and
what is left open (a run without an outcome, a turn whose calls have not all a result) is there to be gone
on with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from groundwire.agent.outcome import Ending
from groundwire.agent.reply import NO_TOKENS, Content, Reply, Usage
from groundwire.agent.transcript import (
    CallBegan,
    CallGave,
    Event,
    HistoryReplaced,
    Replied,
    RunBegan,
    RunEnded,
    SessionOpened,
    Told,
    Undone,
    WriteBegan,
)
from groundwire.agent.turn import Made, Memory, in_order, numbered_once, responses
from groundwire.characters import sendable
from groundwire.errors import SessionUnreadable

UNDONE = "The user has taken back what was changed. These files are as they were before: {files}."


NOT_OPENED = SessionOpened(0, "", "", "", "", "")


@dataclass(slots=True)
class PastTurn:
    """A reply of the model, and what came of its calls."""

    reply: Reply
    at: str
    first_number: int
    told: bool = False
    begun: dict[int, CallBegan] = field(default_factory=dict)
    writes: dict[int, WriteBegan] = field(default_factory=dict)
    results: dict[int, CallGave] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        """Whether everything it asked for has been answered."""
        if self.reply.problem is not None:
            return self.told
        return self.results.keys() >= numbered_once(self.reply.calls, self.first_number).keys()

    def made(self) -> list[Made]:
        """What its calls gave, in their order."""
        return in_order(self.reply.calls, self.first_number, self._known())

    def memory(self) -> Memory:
        """What is known of it, for going on."""
        left = self.begun.keys() - self.results.keys()
        return Memory(self._known(), {number: self.writes.get(number) for number in left})

    def _known(self) -> dict[int, Made]:
        calls = numbered_once(self.reply.calls, self.first_number)
        return {number: result.made(calls[number]) for number, result in self.results.items()}


@dataclass(slots=True)
class PastRun:
    """One task, from the person's words to the outcome."""

    began: RunBegan
    turns: list[PastTurn] = field(default_factory=list)
    ended: RunEnded | None = None
    undone: Undone | None = None
    shortening: Usage = NO_TOKENS
    """The tokens used to make the history shorter."""

    @property
    def writes(self) -> list[WriteBegan]:
        """Every write that was announced, in order."""
        return [write for turn in self.turns for _, write in sorted(turn.writes.items())]

    def result_of(self, write: WriteBegan) -> CallGave | None:
        """What the call behind a write gave; None when that is not known."""
        found = (turn.results.get(write.number) for turn in self.turns if write.number in turn.writes)
        return next(found, None)

    @property
    def open_turn(self) -> PastTurn | None:
        """The turn in which a run without outcome was interrupted."""
        last = self.turns[-1] if self.turns and self.ended is None else None
        return None if last is None or last.is_whole else last


@dataclass(slots=True)
class Past:
    """Everything a session knows of what was before."""

    opened: SessionOpened = NOT_OPENED
    runs: list[PastRun] = field(default_factory=list)
    history: list[Content] = field(default_factory=list)

    @property
    def unfinished(self) -> PastRun | None:
        """The last run, when it has no outcome."""
        return self.runs[-1] if self.runs and self.runs[-1].ended is None else None

    @property
    def can_go_on(self) -> bool:
        """Whether there is something left to do without a new task."""
        if not self.runs:
            return False
        ended = self.runs[-1].ended
        return ended is None or ended.ending not in (Ending.DONE, Ending.REFUSED)


def past_of(events: Iterable[Event]) -> Past:
    """What the events of a session tell."""
    past = Past()
    try:
        for event in events:
            _take(event, past)
    except (IndexError, KeyError):
        raise SessionUnreadable("The session tells of things in an order in which they cannot be.") from None
    last = past.runs[-1] if past.runs else None
    if last is not None and last.ended is None and last.open_turn is None:
        _answer(past, last)
    return past


def _take(event: Event, past: Past) -> None:  # noqa: C901  (one line for each kind of event)
    match event:
        case SessionOpened():
            past.opened = event
        case RunBegan():
            if past.runs:
                _answer(past, past.runs[-1])
            past.runs.append(PastRun(event))
            if event.task is not None:
                past.history.append(from_user(event.task))
        case Replied():
            _take_reply(event, past)
        case Told():
            _take_told(past)
        case CallBegan():
            past.runs[-1].turns[-1].begun[event.number] = event
        case WriteBegan():
            past.runs[-1].turns[-1].writes[event.number] = event
        case CallGave():
            past.runs[-1].turns[-1].results[event.number] = event
        case HistoryReplaced():
            past.history[:] = event.contents
            if past.runs:
                past.runs[-1].shortening += Usage(event.given, event.made)
        case RunEnded():
            _answer(past, past.runs[-1])
            past.runs[-1].ended = event
        case Undone():
            if event.run < 0:
                raise IndexError(event.run)
            past.runs[event.run].undone = event
            if event.restored:
                past.history.append(from_user(UNDONE.format(files=", ".join(event.restored))))


def _take_reply(event: Replied, past: Past) -> None:
    run = past.runs[-1]
    _answer(past, run)
    reply = event.reply()
    first_number = 1 + sum(len(turn.reply.calls) for turn in run.turns)
    run.turns.append(PastTurn(reply, event.at, first_number))
    if reply.parts:
        past.history.append(reply.content)


def _take_told(past: Past) -> None:
    turn = past.runs[-1].turns[-1]
    turn.told = True
    if turn.reply.problem is not None:
        past.history.append(from_user(turn.reply.problem.told))


def _answer(past: Past, run: PastRun) -> None:
    """Put the answers to the last turn's calls into the history, if they are not there yet."""
    last = run.turns[-1] if run.turns else None
    if last is not None and last.reply.calls and past.history and past.history[-1]["role"] == "model":
        past.history.append(responses(last.made()))


def from_user(words: str) -> Content:
    """The entry for something the person, or the loop, tells the model."""
    return {"role": "user", "parts": [{"text": sendable(words)}]}
