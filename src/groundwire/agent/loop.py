"""The loop: ask the model, carry out its calls, until there is an outcome.

    run    =  step, step, step … until something ends it
    step   =  ask, carry out what was asked for, remember

The history is linear and is the state: the task, the model's replies as they came, what its calls gave,
and what it was told about replies that could not be used. Nothing in it is ever changed.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from datetime import date

from groundwire.agent.approval import Approval, Ask, Mode
from groundwire.agent.events import Retried, Tell, TextArrived, tell_nobody
from groundwire.agent.functions import Functions, Search, failed, sendable
from groundwire.agent.instructions import instructions
from groundwire.agent.model import Model, Prompt
from groundwire.agent.outcome import Ended, Ending, Outcome
from groundwire.agent.reply import Content, Reply, calls_in
from groundwire.agent.tally import Limits, Tally
from groundwire.agent.turn import Made, Turn, responses
from groundwire.errors import GroundwireError
from groundwire.tools.run_shell_command import Shell
from groundwire.tools.toolset import Toolset, toolset
from groundwire.workspace.boundary import Workspace


class Agent:
    """A model at work in a workspace.

    `tools` defaults to the toolset the model knows; `approve` is a mode (ask, edits, plan, yolo) or a
    callable that is asked about every change; `ask` is who is asked where a mode asks. `shell` allows
    `run_shell_command`. `search` carries out `google_web_search`; without it, the model is not offered any
    search. `tell` is given each event while it happens.
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
        limits: Limits | None = None,
        tell: Tell | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        place = workspace if isinstance(workspace, Workspace) else Workspace(workspace)
        self._approval = Approval(approve, ask)
        read_only = self._approval.mode is Mode.PLAN
        self._model = model
        offered = tools or toolset(place, model=model.name, read_only=read_only, shell=shell)
        self._functions = Functions(offered, search)
        self._instructions = instructions(place, today=today(), read_only=read_only)
        self._limits = limits or Limits()
        self._tell = tell or tell_nobody
        self._tally = Tally(self._limits)
        self._running: asyncio.Task[object] | None = None
        self._stopped = False
        self.history: list[Content] = []
        """Everything said so far, in the API's own form."""

    async def run(self, task: str) -> Outcome:
        """Work on the task until it is done, or something else ends the run."""
        self._tally = Tally(self._limits)
        self._running, self._stopped = asyncio.current_task(), False
        self.history.append(_from_user(task))
        try:
            while True:
                await self.step()
        except Ended as end:
            return self._outcome(end)
        except asyncio.CancelledError:
            self._answer_open_calls()
            if not self._stopped or self._running is None:
                raise
            self._running.uncancel()
            return self._outcome(Ended(Ending.CANCELLED, "The run was cancelled."))
        finally:
            self._running = None

    async def step(self) -> None:
        """One turn."""
        self.history.append(await self._carried_out(await self._asked()))

    def cancel(self) -> None:
        """End the run that is under way; its outcome is `cancelled`."""
        if self._running is not None:
            self._stopped = True
            self._running.cancel()

    async def _asked(self) -> Reply:
        """The model's next reply, remembered as it came."""
        self._tally.begin_turn()
        prompt = Prompt(self._instructions, self.history, self._functions.declarations())
        try:
            reply = await self._model.reply(prompt, lambda text: self._tell(TextArrived(text)))
        except GroundwireError as error:
            raise Ended(Ending.MODEL_ERROR, str(error), error=error.code) from error
        if reply.parts:
            self.history.append(reply.content)
        return reply

    async def _carried_out(self, reply: Reply) -> Content:
        """What the model is told next: what its calls gave, or why its reply could not be used."""
        problem = self._tally.judge(reply)
        if problem is not None:
            self._tell(Retried(problem.reason))
            return _from_user(problem.told)
        turn = Turn(self._functions, self._approval, self._tell, first_number=self._tally.calls + 1)
        made = await turn.carry_out(reply.calls)
        self._tally.take_note(made)
        return responses(made)

    def _answer_open_calls(self) -> None:
        """Answer the calls of a turn that did not end, so that the history can be gone on with."""
        last = self.history[-1]
        calls = calls_in(last["parts"]) if last["role"] == "model" else ()
        if calls:
            unknown = failed("The run ended before the result of this call was known.")
            self.history.append(responses(Made(call, unknown, writes=False) for call in calls))

    def _outcome(self, end: Ended) -> Outcome:
        self._answer_open_calls()
        tally = self._tally
        return Outcome(
            ending=end.ending,
            reason=end.reason,
            text=end.text,
            turns=tally.turns,
            usage=tally.usage,
            searches=tuple(tally.searches),
            history=tuple(self.history),
            error=end.error,
        )


def _from_user(words: str) -> Content:
    return {"role": "user", "parts": [{"text": sendable(words)}]}
