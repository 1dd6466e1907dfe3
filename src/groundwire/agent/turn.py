"""Carries out the function calls of one turn.

Calls that only read run at the same time; a call that can write (or run a command, or open a page nobody
named) waits for those before it and is waited for by those after it, and is put to the approval first. Each
call is carried out once: a call that came twice under one id is answered twice and carried out once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import msgspec

from groundwire.agent.approval import Approval, Proposal
from groundwire.agent.events import CallEnded, CallStarted, Tell
from groundwire.agent.functions import Functions, Given, failed, failed_with
from groundwire.agent.reply import Call, Content
from groundwire.errors import ToolError

AT_ONCE = 8
"""How many reading calls run at the same time."""

CHANGED_MEANWHILE = (
    "The file changed while the change waited for approval; nothing was written. Read it again."
)


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was carried out, or refused, and what it gave."""

    call: Call
    given: Given
    writes: bool
    refused: bool = False


class Turn:
    """The calls of one reply, to be carried out."""

    def __init__(self, functions: Functions, approval: Approval, tell: Tell, *, first_number: int) -> None:
        """`first_number` is the number of the first call, counted over the whole run."""
        self._functions = functions
        self._approval = approval
        self._tell = tell
        self._number = first_number
        self._gate = asyncio.Semaphore(AT_ONCE)

    async def carry_out(self, calls: Sequence[Call]) -> list[Made]:
        """What each call gave, in the order of the calls."""
        once = list(_each_once(calls))
        numbered = list(enumerate(once, start=self._number))
        made: list[Made] = []
        for guarded, group in groupby(numbered, key=lambda item: self._functions.guarded(item[1])):
            if guarded:
                for number, call in group:
                    made.append(await self._write(number, call))
            else:
                made += await asyncio.gather(*(self._read(number, call) for number, call in group))
        by_call = dict(zip(map(_key, once), made, strict=True))
        return [by_call[_key(call)] for call in calls]

    async def _read(self, number: int, call: Call) -> Made:
        async with self._gate:
            self._started(number, call)
            return self._ended(number, Made(call, await self._functions.call(call), writes=False))

    async def _write(self, number: int, call: Call) -> Made:
        self._started(number, call)
        try:
            proposal = await self._functions.proposal(call, with_diff=self._approval.needs_a_diff)
        except ToolError as error:  # it would fail, so there is nothing to approve
            return self._ended(number, Made(call, failed_with(error.message, error.type), writes=True))
        objection = await self._approval.objection(proposal)
        if objection:
            return self._ended(number, Made(call, failed(objection), writes=True, refused=True))
        if proposal.diff and not await self._still(call, proposal):
            return self._ended(number, Made(call, failed(CHANGED_MEANWHILE), writes=True))
        return self._ended(number, Made(call, await self._functions.call(call), writes=True))

    async def _still(self, call: Call, approved: Proposal) -> bool:
        """Whether the call would still change what was approved."""
        try:
            return await self._functions.proposal(call, with_diff=True) == approved
        except ToolError:
            return False

    def _started(self, number: int, call: Call) -> None:
        self._tell(CallStarted(number, call.name, call.arguments, call.id))

    def _ended(self, number: int, made: Made) -> Made:
        given = made.given
        self._tell(CallEnded(number, made.call.name, given.ok, given.summary, given.diff))
        return made


def responses(made: Iterable[Made]) -> Content:
    """The entry that answers a reply's calls: one response for each, in order, then what goes beside them."""
    answered = list(made)
    media = [part for one in answered for part in one.given.media]
    return {"role": "user", "parts": [*(one.given.part_for(one.call) for one in answered), *media]}


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
