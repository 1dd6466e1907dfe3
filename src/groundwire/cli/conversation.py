"""One conversation with an agent: tasks are given to it, commands that begin with / are carried out here."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import suppress
from difflib import get_close_matches
from typing import TYPE_CHECKING

from groundwire.agent.handing_over import for_another_model
from groundwire.agent.reply import NO_TOKENS
from groundwire.agent.session_past import from_user
from groundwire.cli.approving import asking, coloured
from groundwire.cli.printable import printable
from groundwire.cli.run_display import RunDisplay, ticking
from groundwire.cli.terminal_look import as_wanted
from groundwire.errors import GroundwireError

if TYPE_CHECKING:
    from groundwire.agent.loop import Agent
    from groundwire.agent.outcome import Outcome
    from groundwire.agent.session import Session
    from groundwire.cli.run_arguments import MakeAgent

COMMANDS = {
    "/help": "show this",
    "/tools": "list what the agent can call",
    "/model": "show the model, or change it: /model NAME",
    "/diff": "show what was changed in this conversation",
    "/undo": "take back what the last task changed",
    "/quit": "leave",
}


class Conversation:
    """An agent, and the person who talks with it."""

    def __init__(
        self, make_agent: MakeAgent, session: Session | None, runner: asyncio.Runner, *, person: bool
    ) -> None:
        """With `person`, somebody sits at a terminal and can be asked."""
        self._make_agent = make_agent
        self._session = session
        self._runner = runner
        self._person = person
        self._display = RunDisplay(sys.stdout, sys.stderr)
        self.exit_code = 0
        """How the last task ended."""
        self._agent = self._with_model(None)

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._agent.model

    def hear(self, words: str) -> bool:
        """Do what the words say; False when they end the conversation."""
        if not words.strip():
            return True
        if not words.startswith("/"):
            self._work(words)
            return True
        command, _, rest = words.strip().partition(" ")
        if command in ("/quit", "/exit"):
            return False
        try:
            self._obey(command, rest.strip())
        except GroundwireError as error:
            print(f"groundwire: {error}", file=sys.stderr)
        return True

    def _work(self, task: str) -> None:
        """Give the agent a task and show what it does, until it is done or stopped."""
        self._display = RunDisplay(sys.stdout, sys.stderr, live=sys.stdout.isatty() and sys.stderr.isatty())
        outcome = self._runner.run(self._worked(task))
        self._display.close(outcome)
        self.exit_code = outcome.exit_code

    async def _worked(self, task: str) -> Outcome:
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError):  # Windows: Ctrl-C ends the program
            loop.add_signal_handler(signal.SIGINT, self._agent.cancel)
        try:
            async with ticking(self._display):
                return await self._agent.run(task)
        finally:
            with suppress(NotImplementedError):
                loop.remove_signal_handler(signal.SIGINT)

    def _with_model(self, name: str | None) -> Agent:
        ask = (
            asking(lambda: self._display.make_room(), lambda: self._agent.cancel()) if self._person else None
        )
        return self._make_agent(name, ask, lambda event: self._display.tell(event))

    # -- commands ---------------------------------------------------------------------------------------

    def _obey(self, command: str, rest: str) -> None:
        match command:
            case "/help":
                self._help()
            case "/tools":
                self._tools()
            case "/model":
                self._change_model(rest)
            case "/diff":
                self._diff()
            case "/undo":
                self._undo()
            case _:
                near = get_close_matches(command, COMMANDS, n=1)
                hint = f"Did you mean {near[0]}?" if near else "/help lists them."
                print(f"There is no command {printable(command)}. {hint}")

    def _help(self) -> None:
        for command, about in COMMANDS.items():
            print(f"  {command:<8} {about}")
        print('  A line that ends in \\ goes on in the next; lines between two lines of """ belong together.')
        print("  Ctrl-C stops the agent, Ctrl-D leaves.")

    def _tools(self) -> None:
        declared = self._agent.declarations()
        width = max(len(tool["name"]) for tool in declared)
        for tool in declared:
            print(f"  {tool['name']:<{width}}  {_first_sentence(tool['description'])}")

    def _change_model(self, name: str) -> None:
        if name:
            before = self._agent
            self._agent = self._with_model(name)
            self._agent.history[:] = for_another_model(before.history)
            if self._session is not None:
                self._session.history_replaced(self._agent.history, NO_TOKENS)
        print(f"The model is {printable(self.model)}.")

    def _diff(self) -> None:
        if self._session is None:
            print("Nothing was kept: the conversation has no session.")
            return
        from groundwire.agent.session_undo import changes_since

        changes = changes_since(self._session, self._agent.workspace)
        for path, change in changes:
            diff = change.unified(path)
            print(as_wanted(coloured(diff)) if sys.stdout.isatty() else printable(diff))
        if not changes:
            print("Nothing was changed.")

    def _undo(self) -> None:
        if self._session is None:
            print("Nothing was kept: the conversation has no session.")
            return
        from groundwire.agent.session_undo import undo

        undone = undo(self._session, self._agent.workspace)
        for file in undone.files:
            print(printable(f"  {file.fate:<10}  {file.path}  {file.reason}").rstrip())
        if undone.commands:
            print("  What commands changed is not undone.")
        if undone.note:
            self._agent.history.append(from_user(undone.note))


def _first_sentence(text: str) -> str:
    sentence = text.split(". ")[0].split("\n")[0].rstrip(".")
    return f"{sentence}."
