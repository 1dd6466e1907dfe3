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
from typing import TYPE_CHECKING

from groundwire.cli import resuming, run_arguments
from groundwire.errors import InvalidConfig

if TYPE_CHECKING:
    from groundwire.agent.outcome import Outcome
    from groundwire.agent.tally import Limits
    from groundwire.cli.run_display import EventLines, RunDisplay
    from groundwire.config import Config


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after `groundwire run`."""
    parser.add_argument("task", nargs="*", metavar="TASK", help="what to do; - reads it from standard input")
    run_arguments.add(parser)
    parser.add_argument("--json", action="store_true", help="print events, one JSON object on each line")
    resuming.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the agent, show what it does, and say by the exit code how it ended."""
    from groundwire.cli.run_display import EventLines, RunDisplay
    from groundwire.runtime import config_from_world

    words = " ".join(resuming.task_words(arguments))
    task = sys.stdin.read() if words == "-" else words
    if not task.strip() and arguments.resume is None:
        raise InvalidConfig("There is no task.", hint='Say what to do: groundwire run "..."')
    config = config_from_world()
    for problem in config.problems:
        print(f"groundwire: {problem}", file=sys.stderr)
    limits = run_arguments.limits(arguments)
    display = EventLines(sys.stdout) if arguments.json else RunDisplay(sys.stdout, sys.stderr, live=True)
    outcome = asyncio.run(_run(task, arguments, config, limits, display))
    display.close(outcome)
    if not arguments.json and (told := resuming.way_on(outcome)):
        print(told, file=sys.stderr)
    return outcome.exit_code


async def _run(
    task: str,
    arguments: argparse.Namespace,
    config: Config,
    limits: Limits,
    display: RunDisplay | EventLines,
) -> Outcome:
    from groundwire.cli.approving import asking
    from groundwire.cli.run_display import ticking
    from groundwire.runtime import Runtime

    async with Runtime(config) as runtime, ticking(display):
        session = resuming.chosen_session(runtime, arguments, task)
        with resuming.kept_unless_empty(session) if session else nullcontext():
            make = run_arguments.agent_maker(runtime, arguments, limits, session)
            person = sys.stdin.isatty() and sys.stderr.isatty()
            ask = asking(display.make_room, lambda: agent.cancel()) if person else None
            agent = make(None, ask, display.tell)
            with suppress(NotImplementedError):  # Windows: Ctrl-C ends the program instead of the run
                asyncio.get_running_loop().add_signal_handler(signal.SIGINT, agent.cancel)
            return await (agent.run(task) if task.strip() else agent.resume())
