"""What `groundwire run` and `groundwire chat` are told about an agent, and the agent made of it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from groundwire.cli import resuming
from groundwire.errors import InvalidConfig

if TYPE_CHECKING:
    from groundwire.agent.approval import Ask
    from groundwire.agent.events import Tell
    from groundwire.agent.loop import Agent
    from groundwire.agent.session import Session
    from groundwire.agent.tally import Limits
    from groundwire.runtime import Runtime

MODES = ("ask", "edits", "plan", "yolo")

MakeAgent = Callable[[str | None, "Ask | None", "Tell"], "Agent"]
"""An agent with this model (None: the usual one), who asks and tells these."""


def add(parser: argparse.ArgumentParser) -> None:
    """The words about an agent."""
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
    parser.add_argument(
        "--max-turns", type=int, default=50, metavar="N", help="ask the model at most N times for a task"
    )
    parser.add_argument("--max-tokens", type=int, metavar="N", help="stop when N tokens are used")
    parser.add_argument(
        "--max-cost", type=float, metavar="USD", help="stop when USD dollars are spent, by the list prices"
    )


def limits(arguments: argparse.Namespace) -> Limits:
    """How far a task may go."""
    from groundwire.agent.tally import Limits

    if arguments.max_turns < 1:
        raise InvalidConfig("--max-turns must be at least 1.")
    if arguments.max_tokens is not None and arguments.max_tokens < 1:
        raise InvalidConfig("--max-tokens must be at least 1.")
    if arguments.max_cost is not None and not arguments.max_cost > 0:
        raise InvalidConfig("--max-cost must be above 0.")
    return Limits(turns=arguments.max_turns, tokens=arguments.max_tokens, cost=arguments.max_cost)


def agent_maker(
    runtime: Runtime,
    arguments: argparse.Namespace,
    limits: Limits,
    session: Session | None,
    *,
    conversing: bool = False,
) -> MakeAgent:
    """Makes agents by what was said, and where nothing was said, by what the session was told before."""
    before = resuming.last_run(session)

    def make(model: str | None, ask: Ask | None, tell: Tell) -> Agent:
        return runtime.agent(
            arguments.root or (session.opened.root if session and before else "."),
            model=model or arguments.model or (before.model if before else None),
            approve=arguments.approve or (before.approve if before else "ask"),
            ask=ask,
            shell=arguments.shell or (before is not None and before.shell),
            limits=limits,
            tell=tell,
            session=session,
            conversing=conversing,
        )

    return make
