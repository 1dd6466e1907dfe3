"""Carries out the function calls of one turn.

Calls that only read run at the same time; a call that can write (or run a command, or open a page nobody
named) waits for those before it and is waited for by those after it, and is put to the approval first. Each
call is carried out once: a call that came twice under one id is answered twice and carried out once, and a
call that an interrupted session has already carried out is not carried out again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from groundwire.agent.approval import Approval, Proposal
from groundwire.agent.events import CallEnded, CallStarted, Tell
from groundwire.agent.functions import Functions, Given, failed, failed_with
from groundwire.agent.reply import Call, Content
from groundwire.errors import ToolError

if TYPE_CHECKING:
    from groundwire.agent.session_recorder import Recorder
    from groundwire.agent.transcript import WriteBegan

AT_ONCE = 8
"""How many reading calls run at the same time."""

CHANGED_MEANWHILE = (
    "The file changed while the change waited for approval; nothing was written. Read it again."
)
NOT_KNOWN = failed("The run ended before the result of this call was known.")


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was carried out, or refused, and what it gave."""

    call: Call
    given: Given
    writes: bool
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """What an interrupted session knows of a turn: the calls that have a result, and those that began."""

    known: Mapping[int, Made] = field(default_factory=dict)
    begun: Mapping[int, WriteBegan | None] = field(default_factory=dict)
    """For each call that began and has no result, the write that it announced, if it did."""


class Turn:
    """The calls of one reply, to be carried out."""

    def __init__(
        self,
        calls: Sequence[Call],
        functions: Functions,
        approval: Approval,
        *,
        tell: Tell,
        record: Recorder,
        first_number: int,
        memory: Memory | None = None,
    ) -> None:
        """`first_number` is the number of the first call, counted over the whole run."""
        self._calls = calls
        self._functions = functions
        self._approval = approval
        self._tell = tell
        self._record = record
        self._first_number = first_number
        self._begun = dict(memory.begun) if memory else {}
        self._made = dict(memory.known) if memory else {}
        self._gate = asyncio.Semaphore(AT_ONCE)

    async def carry_out(self) -> list[Made]:
        """What each call gave, in the order of the calls."""
        numbered = numbered_once(self._calls, self._first_number)
        left = [(number, call) for number, call in numbered.items() if number not in self._made]
        for guarded, group in groupby(left, key=lambda item: self._functions.guarded(item[1])):
            if guarded:
                for number, call in group:
                    await self._write(number, call)
            else:
                await asyncio.gather(*(self._read(number, call) for number, call in group))
        return self.so_far()

    def so_far(self) -> list[Made]:
        """What each call gave, in the order of the calls; of some it may not be known."""
        return in_order(self._calls, self._first_number, self._made)

    async def _read(self, number: int, call: Call) -> None:
        async with self._gate:
            self._started(number, call)
            self._record.call_began(number, call, durable=False)
            self._ended(number, Made(call, await self._functions.call(call), writes=False))

    async def _write(self, number: int, call: Call) -> None:
        self._started(number, call)
        self._ended(number, await self._settled(number, call) or await self._approved(number, call))

    async def _settled(self, number: int, call: Call) -> Made | None:
        """What a call of an interrupted turn has come to; None when it has still to be carried out."""
        if number not in self._begun:
            return None
        announced, journaled = self._begun[number], self._functions.journaled(call)
        given = await asyncio.to_thread(
            self._record.settled, announced, self._functions.workspace, journaled=journaled
        )
        return None if given is None else Made(call, given, writes=True)

    async def _approved(self, number: int, call: Call) -> Made:
        """Carry out a call that can write, if it may."""
        try:
            proposal = await self._functions.proposal(call, with_diff=self._approval.needs_a_diff)
        except ToolError as error:  # it would fail, so there is nothing to approve
            return Made(call, failed_with(error.message, error.type), writes=True)
        objection = await self._approval.objection(proposal)
        if objection:
            return Made(call, failed(objection), writes=True, refused=True)
        if proposal.diff and not await self._still(call, proposal):
            return Made(call, failed(CHANGED_MEANWHILE), writes=True)
        # A write is announced on its own, durably; what cannot be announced must be known before it runs.
        self._record.call_began(number, call, durable=not self._functions.journaled(call))
        given = await self._functions.call(
            call, lambda planned, temporary: self._record.write_began(number, planned, temporary)
        )
        return Made(call, given, writes=True)

    async def _still(self, call: Call, approved: Proposal) -> bool:
        """Whether the call would still change what was approved."""
        try:
            return await self._functions.proposal(call, with_diff=True) == approved
        except ToolError:
            return False

    def _started(self, number: int, call: Call) -> None:
        self._tell(CallStarted(number, call.name, call.arguments, call.id))

    def _ended(self, number: int, made: Made) -> None:
        self._made[number] = made
        self._record.call_gave(number, made)
        given = made.given
        self._tell(CallEnded(number, made.call.name, given.ok, given.summary, given.diff))


def responses(made: Iterable[Made]) -> Content:
    """The entry that answers a reply's calls: one response for each, in order, then what goes beside them."""
    answered = list(made)
    media = [part for one in answered for part in one.given.media]
    return {"role": "user", "parts": [*(one.given.part_for(one.call) for one in answered), *media]}


def numbered_once(calls: Iterable[Call], first_number: int) -> dict[int, Call]:
    """The calls by their numbers, without those that came before under the same id."""
    return dict(enumerate(_each_once(calls), start=first_number))


def in_order(calls: Sequence[Call], first_number: int, known: Mapping[int, Made]) -> list[Made]:
    """What each call gave, repeated ones too; a call that is not among the known gave nothing we know of."""
    numbers = numbers_of(calls, first_number)
    return [
        known.get(number) or Made(call, NOT_KNOWN, writes=False)
        for number, call in zip(numbers, calls, strict=True)
    ]


def numbers_of(calls: Sequence[Call], first_number: int) -> list[int]:
    """The number of each call; one that came twice under one id has one number."""
    numbers = {_key(call): number for number, call in numbered_once(calls, first_number).items()}
    return [numbers[_key(call)] for call in calls]


def _each_once(calls: Iterable[Call]) -> Iterator[Call]:
    """The calls without those that came before under the same id."""
    seen: set[object] = set()
    for call in calls:
        if _key(call) not in seen:
            seen.add(_key(call))
            yield call


def _key(call: Call) -> object:
    """What makes a call one: its id with all it says; a call without id is one by itself."""
    return (call.id, call.name, msgspec.json.encode(call.arguments, order="sorted")) if call.id else id(call)
