"""The loop: ask the model, carry out its calls, until there is an outcome.

    run    =  step, step, step … until something ends it
    step   =  ask, carry out what was asked for, remember

The history is linear and is the state: the task, the model's replies as they came, what its calls gave,
and what it was told about replies that could not be used. Nothing in it is changed, until it nears what the
model can take in: then its past is made shorter (`compaction.py`). With a session, all of it is written down
as it happens, so that a run that was interrupted can be resumed.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date
from typing import Any

from groundwire.agent.approval import Approval, Ask, Mode
from groundwire.agent.context import Context
from groundwire.agent.events import Compacted, Retried, Tell, TextArrived, TurnBegan, tell_nobody
from groundwire.agent.functions import Functions, Search
from groundwire.agent.instructions import instructions
from groundwire.agent.model import Model, Prompt
from groundwire.agent.outcome import Ended, Ending, Outcome
from groundwire.agent.prices import Price, no_basis, price_of
from groundwire.agent.reply import Content, Reply
from groundwire.agent.session_past import PastRun, PastTurn, from_user
from groundwire.agent.session_recorder import NotRecorded, Recorder
from groundwire.agent.tally import Limits, Tally
from groundwire.agent.turn import Turn, responses
from groundwire.errors import GroundwireError, ModelFailed, SessionError, UsageError
from groundwire.tools.run_shell_command import Shell
from groundwire.tools.toolset import Toolset, toolset
from groundwire.tools.web_fetch import Get
from groundwire.workspace.boundary import Workspace

GO_ON = "Go on with the task."


class Agent:
    """A model at work in a workspace.

    `tools` defaults to the toolset the model knows; `approve` is a mode (ask, edits, plan, yolo) or a
    callable that is asked about every change; `ask` is who is asked where a mode asks. `shell` allows
    `run_shell_command`. `search` carries out `google_web_search`, and `get_page` fetches for `web_fetch`;
    without them, the model is not offered them. `price` is what the model's tokens cost, when the list does
    not know it or is wrong. `tell` is given each event while it happens. `session` keeps what happens and
    knows what happened before.
    """

    def __init__(
        self,
        *,
        model: Model,
        workspace: Workspace | str | os.PathLike[str],
        tools: Toolset | None = None,
        approve: Mode | str | Ask = Mode.ASK,
        ask: Ask | None = None,
        shell: Shell | None = None,
        search: Search | None = None,
        get_page: Get | None = None,
        limits: Limits | None = None,
        price: Price | None = None,
        tell: Tell | None = None,
        session: Recorder | None = None,
        conversing: bool = False,
        today: Callable[[], date] = date.today,
    ) -> None:
        place = workspace if isinstance(workspace, Workspace) else Workspace(workspace)
        self._approval = Approval(approve, ask)
        read_only = self._approval.mode is Mode.PLAN
        self._model = model
        offered = tools or toolset(place, model=model.name, read_only=read_only, shell=shell)
        self._functions = Functions(offered, search, get_page)
        self._instructions = instructions(
            place,
            today=today(),
            read_only=read_only,
            commands=self._functions.runs_commands,
            conversing=conversing,
        )
        self._limits = limits or Limits()
        self._tell = tell or tell_nobody
        self._record: Recorder = session or NotRecorded()
        self._price = price or price_of(model.name, today=today())
        if self._limits.cost is not None and self._price is None:
            raise UsageError(
                f"There is no price for the model {model.name}, so its cost cannot be limited.",
                hint="Set one as agent.prices in groundwire.toml, or limit the tokens.",
            )
        self._tally = Tally(self._limits, self._price)
        self._context = Context(model, self._limits.context)
        self._turn: Turn | None = None
        past = self._record.past()
        self._open: PastTurn | None = past.runs[-1].open_turn if past.runs else None
        self._task = _last_task(past.runs)
        self._running: asyncio.Task[object] | None = None
        self._stopped = False
        self.history: list[Content] = past.history
        """Everything said so far, in the API's own form."""

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._model.name

    @property
    def workspace(self) -> Workspace:
        """Where it works."""
        return self._functions.workspace

    def declarations(self) -> list[dict[str, Any]]:
        """What the model can call."""
        return self._functions.declarations()

    async def run(self, task: str) -> Outcome:
        """Work on the task until it is done, or something else ends the run."""
        return await self._until_it_ends(lambda: self._begin(task))

    async def resume(self) -> Outcome:
        """Go on with the session's last run: where it was interrupted, or from where it had ended."""
        past = self._record.past()
        if not past.runs:
            raise UsageError("There is nothing to resume.", hint="Give a task.")
        interrupted = past.unfinished
        return await self._until_it_ends(
            lambda: self._begin(None) if interrupted is None else self._catch_up(interrupted)
        )

    async def step(self) -> None:
        """One turn."""
        self.history.append(await self._carried_out(await self._asked()))

    def cancel(self) -> None:
        """End the run that is under way; its outcome is `cancelled`."""
        if self._running is not None:
            self._stopped = True
            self._running.cancel()

    async def _until_it_ends(self, begin: Callable[[], None]) -> Outcome:
        self._tally = Tally(self._limits, self._price)
        self._turn = None
        self._running, self._stopped = asyncio.current_task(), False
        try:
            begin()
            self._functions.recall(self.history)
            while True:
                await self.step()
        except Ended as end:
            return self._outcome(end)
        except SessionError as error:
            return self._outcome(Ended(Ending.SESSION_ERROR, str(error), error=error.code))
        except asyncio.CancelledError:
            if not self._stopped or self._running is None:
                self._answer_open_calls()
                raise
            self._running.uncancel()
            return self._outcome(Ended(Ending.CANCELLED, "The run was cancelled."))
        finally:
            self._running = self._open = None

    def _begin(self, task: str | None) -> None:
        """Take on a task; without one, go on with the last."""
        self._answer_open_calls()
        self._open = None
        if task is not None:
            self._task = from_user(task)
            self.history.append(self._task)
        elif self.history and self.history[-1]["role"] == "model":
            task = GO_ON
            self.history.append(from_user(task))
        self._record.run_began(
            task, self._approval.mode.value, self._model.name, shell=self._functions.runs_commands
        )

    def _catch_up(self, run: PastRun) -> None:
        """Count what an interrupted run has done, up to the turn that is still open."""
        self._open = run.open_turn
        self._tally.use(run.shortening)
        for turn in run.turns:
            if turn is not self._open:
                self._tally.begin_turn()
                if self._tally.judge(turn.reply) is None:
                    self._tally.take_note(turn.made())

    async def _asked(self) -> Reply:
        """The model's next reply, remembered as it came."""
        self._turn = None
        self._tally.begin_turn()
        self._tell(TurnBegan(self._tally.turns, self._tally.usage.total, self._tally.cost))
        if self._open is not None:
            return self._open.reply
        await self._make_room()
        try:
            reply = await self._reply()
        except GroundwireError as error:
            raise Ended(Ending.MODEL_ERROR, str(error), error=error.code) from error
        self._record.replied(reply)
        if reply.parts:
            self.history.append(reply.content)
            self._context.note(reply.usage, self.history)
        return reply

    async def _reply(self) -> Reply:
        """What the model replies; a history that it refuses as too long is made shorter, once."""
        prompt = Prompt(self._instructions, self.history, self._functions.declarations())
        try:
            return await self._model.reply(prompt, self._hear)
        except ModelFailed as refusal:
            if not self._context.learn(refusal, self.history):
                raise
            await self._make_room()
            return await self._model.reply(prompt, self._hear)

    def _hear(self, text: str) -> None:
        self._tell(TextArrived(text))

    async def _make_room(self) -> None:
        """Make the history shorter when it nears what the model can take in."""
        shorter = await self._context.with_room(self.history, self._task)
        if shorter is not None:
            self.history[:] = shorter.history
            self._record.history_replaced(self.history, shorter.usage)
            self._tally.use(shorter.usage)
            self._tell(Compacted(shorter.how, shorter.before, shorter.after))

    async def _carried_out(self, reply: Reply) -> Content:
        """What the model is told next: what its calls gave, or why its reply could not be used."""
        memory = None if self._open is None else self._open.memory()
        self._open = None
        problem = self._tally.judge(reply)
        if problem is not None:
            self._record.told()
            self._tell(Retried(problem.reason))
            return from_user(problem.told)
        self._turn = Turn(
            reply.calls,
            self._functions,
            self._approval,
            tell=self._tell,
            record=self._record,
            first_number=self._tally.calls + 1,
            memory=memory,
        )
        made = await self._turn.carry_out()
        self._tally.take_note(made)
        return responses(made)

    def _answer_open_calls(self) -> None:
        """Answer the calls of a turn that did not end, so that the history can be gone on with."""
        made = self._turn.so_far() if self._turn else self._open.made() if self._open else []
        if made and self.history[-1]["role"] == "model":
            self.history.append(responses(made))

    def _outcome(self, end: Ended) -> Outcome:
        self._answer_open_calls()
        tally = self._tally
        outcome = Outcome(
            ending=end.ending,
            reason=end.reason,
            text=end.text,
            turns=tally.turns,
            usage=tally.usage,
            cost=tally.cost,
            cost_basis=self._price.basis if self._price else no_basis(self._model.name),
            searches=tuple(tally.searches),
            history=tuple(self.history),
            error=end.error,
            session=self._record.id,
        )
        with suppress(SessionError):  # what is lost is only how it ended; resuming finds the same end again
            self._record.run_ended(outcome)
        return outcome


def _last_task(runs: Sequence[PastRun]) -> Content | None:
    """The last thing a person asked for."""
    tasks = [run.began.task for run in runs if run.began.task not in (None, GO_ON)]
    return from_user(tasks[-1]) if tasks and tasks[-1] is not None else None
