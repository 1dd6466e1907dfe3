"""Give an agent a task: it searches the web, reads and edits files in a directory until it is done.

examples:
  groundwire run "搜索北京天气并保存到 weather.txt"
  groundwire run "fix the typos in README.md" --approve edits
  groundwire run "make the tests pass" --approve edits --shell
  groundwire run "where is the retry policy decided?" --approve plan --root src
  groundwire run --resume                       go on with what was interrupted here
  groundwire run --resume 3f9a "and the tests"  give the session ...3f9a another task

The model's words and the sources go to standard output, what the agent does to standard error, a line
for each tool call. The exit code tells the outcome: 0 done, 3 no credential, 4 the model failed or was
blocked, 5 no connection, 7 a change was not approved, 8 a limit was reached or the agent turned in
circles, 9 the session cannot be used, 130 cancelled.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire.cli import resuming
from groundwire.errors import InvalidConfig

if TYPE_CHECKING:
    from groundwire.agent.approval import Ask
    from groundwire.agent.outcome import Outcome
    from groundwire.agent.tally import Limits
    from groundwire.cli.run_display import EventLines, RunDisplay

MODES = ("ask", "edits", "plan", "yolo")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after `groundwire run`."""
    parser.add_argument("task", nargs="*", metavar="TASK", help="what to do; - reads it from standard input")
    parser.add_argument("--root", metavar="DIR", help="the workspace (default: this directory)")
    parser.add_argument("--model", help="the Gemini model to work with")
    parser.add_argument(
        "--approve",
        choices=MODES,
        help="ask before each change (the default; denied when there is no terminal), allow edits of files, "
        "plan without changing anything, or yolo: allow everything",
    )
    parser.add_argument(
        "--shell", action="store_true", help="let the agent run commands; unless with yolo, each is asked for"
    )
    parser.add_argument("--json", action="store_true", help="print events, one JSON object on each line")
    parser.add_argument(
        "--max-turns", type=int, default=50, metavar="N", help="ask the model at most N times"
    )
    parser.add_argument("--max-tokens", type=int, metavar="N", help="stop when N tokens are used")
    parser.add_argument(
        "--max-cost", type=float, metavar="USD", help="stop when USD dollars are spent, by the list prices"
    )
    resuming.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the agent, show what it does, and say by the exit code how it ended."""
    from groundwire.agent.tally import Limits
    from groundwire.cli.run_display import EventLines, RunDisplay

    words = " ".join(resuming.task_words(arguments))
    task = sys.stdin.read() if words == "-" else words
    if not task.strip() and arguments.resume is None:
        raise InvalidConfig("There is no task.", hint='Say what to do: groundwire run "..."')
    if arguments.max_turns < 1:
        raise InvalidConfig("--max-turns must be at least 1.")
    if arguments.max_cost is not None and not arguments.max_cost > 0:
        raise InvalidConfig("--max-cost must be above 0.")
    limits = Limits(turns=arguments.max_turns, tokens=arguments.max_tokens, cost=arguments.max_cost)
    display = EventLines(sys.stdout) if arguments.json else RunDisplay(sys.stdout, sys.stderr)
    outcome = asyncio.run(_run(task, arguments, limits, display))
    display.close(outcome)
    if not arguments.json and (told := resuming.way_on(outcome)):
        print(told, file=sys.stderr)
    return outcome.exit_code


async def _run(
    task: str, arguments: argparse.Namespace, limits: Limits, display: RunDisplay | EventLines
) -> Outcome:
    from groundwire.runtime import Runtime, config_from_world

    config = config_from_world()
    for problem in config.problems:
        print(f"groundwire: {problem}", file=sys.stderr)
    if limits.cost is None:
        limits = replace(limits, cost=config.agent.max_cost)
    async with Runtime(config) as runtime:
        session = resuming.chosen_session(runtime, arguments, task)
        with session or nullcontext():
            before = resuming.last_run(session)
            agent = runtime.agent(
                arguments.root or (session.opened.root if session and before else "."),
                model=arguments.model or (before.model if before else None),
                approve=arguments.approve or (before.approve if before else "ask"),
                ask=_person(),
                shell=arguments.shell or (before is not None and before.shell),
                limits=limits,
                tell=display.tell,
                session=session,
            )
            with suppress(NotImplementedError):  # Windows: Ctrl-C ends the program instead of the run
                asyncio.get_running_loop().add_signal_handler(signal.SIGINT, agent.cancel)
            return await (agent.run(task) if task.strip() else agent.resume())


def _person() -> Ask | None:
    """Who is asked where the mode asks: the person at the terminal, if there is one."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    from groundwire.cli.approving import ask_on_terminal

    return ask_on_terminal
