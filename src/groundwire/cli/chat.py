"""Talk with an agent: give it one task after another, and see what it does.

examples:
  groundwire chat                     in this directory, asking before each change
  groundwire chat --approve edits     files may be changed without asking
  groundwire chat --resume            go on with the last conversation here

Type a task and press Enter. A line that ends in a backslash goes on in the next one; lines between two lines
of \"\"\" belong together. Ctrl-C stops what the agent is doing and not the program; Ctrl-D or /quit ends it.
/help lists the commands. In a pipe, each line is a task, and the exit code is that of the last one, as of
groundwire run.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from groundwire.cli import resuming, run_arguments

if TYPE_CHECKING:
    from groundwire.cli.conversation import Conversation
    from groundwire.cli.typed_lines import TypedLines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after `groundwire chat`."""
    run_arguments.add(parser)
    resuming.add_arguments(parser)
    parser.set_defaults(json=False)


def run(arguments: argparse.Namespace) -> int:
    """Listen and work until the person leaves."""
    from groundwire.cli.conversation import COMMANDS, Conversation
    from groundwire.cli.typed_lines import TypedLines
    from groundwire.runtime import Runtime, config_from_world

    config = config_from_world()
    for problem in config.problems:
        print(f"groundwire: {problem}", file=sys.stderr)
    limits = run_arguments.limits(arguments)
    with ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner())
        runtime = Runtime(config)
        runner.run(runtime.__aenter__())
        stack.callback(lambda: runner.run(runtime.__aexit__(None, None, None)))
        session = resuming.chosen_session(runtime, arguments, "a conversation")
        if session is not None:
            stack.enter_context(resuming.kept_unless_empty(session))
        conversation = Conversation(
            run_arguments.agent_maker(runtime, arguments, limits, session, conversing=sys.stdin.isatty()),
            session,
            runner,
            person=sys.stdin.isatty() and sys.stderr.isatty(),
        )
        lines = stack.enter_context(TypedLines(config.paths.state_dir / "chat_history", COMMANDS))
        return _talk(conversation, lines)


def _talk(conversation: Conversation, lines: TypedLines) -> int:
    if sys.stdin.isatty():
        print(f"groundwire chat with {conversation.model}. /help lists the commands, Ctrl-D leaves.")
    while True:
        try:
            words = lines.next()
        except EOFError:
            break
        except KeyboardInterrupt:
            print("\n(Ctrl-D or /quit leaves.)")
            continue
        if not conversation.hear(words):
            break
    return 0 if sys.stdin.isatty() else conversation.exit_code
