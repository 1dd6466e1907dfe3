"""Which session a run belongs to: a new one, or the one that `--resume` names."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from groundwire.errors import UsageError

if TYPE_CHECKING:
    from groundwire.agent.outcome import Outcome
    from groundwire.agent.session import Session
    from groundwire.agent.session_past import Past
    from groundwire.agent.transcript import RunBegan
    from groundwire.runtime import Runtime

_ID = re.compile(r"(?=.*[0-9])[0-9a-f-]+|[0-9a-f]{4}")
"""The beginning or the end of an id, also one with a letter too few; a task is not written like that."""
_NOT_RESUMED = ("done", "refused", "session_error")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words about sessions."""
    parser.add_argument(
        "--resume",
        nargs="?",
        const="",
        metavar="ID",
        help="go on with a session (default: the newest in this workspace), with its model and approvals "
        "unless others are given; with a task, give it that task",
    )
    parser.add_argument("--no-session", action="store_true", help="keep no record of the run: no undo later")


def task_words(arguments: argparse.Namespace) -> list[str]:
    """The words of the task; what follows --resume belongs to them when it cannot be an id."""
    wanted = arguments.resume
    if wanted and not _ID.fullmatch(wanted):
        arguments.resume = ""
        return [wanted, *arguments.task]
    return list(arguments.task)


def chosen_session(runtime: Runtime, arguments: argparse.Namespace, task: str) -> Session | None:
    """A new session, or the one to be gone on with; None when nothing is to be kept."""
    store, root = runtime.sessions(), arguments.root or "."
    if arguments.resume is None:
        if arguments.no_session or not os.path.isdir(root):  # the agent tells what is wrong with the root
            return None
        return store.create(root=root, model=runtime.agent_model(arguments.model))
    if arguments.no_session:
        raise UsageError("--resume needs a session, and --no-session keeps none: choose one.")
    wanted = arguments.resume or store.latest(root=root).stem
    past = store.past(wanted)
    name, works_in = past.opened.id, past.opened.root
    if arguments.root and os.path.realpath(arguments.root) != works_in:
        raise UsageError(f"The session {name} works in {works_in}, not in {arguments.root}.")
    if not task.strip() and not past.can_go_on:
        raise UsageError(
            f"The session {name} has come to its end.",
            hint=f'Give it another task: groundwire run --resume {name} "..."',
        )
    session = store.open(wanted)
    if not arguments.json:
        print(f"groundwire: going on with session {name}, {_progress(past)}", file=sys.stderr)
    return session


@contextmanager
def kept_unless_empty(session: Session) -> Iterator[None]:
    """Closes the session in the end. One in which nothing was asked is forgotten: it would stand in the way
    of the one before, which is the newest for who names none."""
    with session:
        try:
            yield
        finally:
            if session.is_empty:
                session.path.unlink(missing_ok=True)


def last_run(session: Session | None) -> RunBegan | None:
    """How the last run of a session began; what is not said anew is as it was then."""
    runs = session.past().runs if session else []
    return runs[-1].began if runs else None


def way_on(outcome: Outcome) -> str:
    """How to go on after an outcome; empty when there is nothing to go on with."""
    if outcome.session is None or outcome.ending in _NOT_RESUMED:
        return ""
    return f"groundwire: to go on: groundwire run --resume {outcome.session}"


def _progress(past: Past) -> str:
    turns = sum(len(run.turns) for run in past.runs)
    return f"{turns} {'turn' if turns == 1 else 'turns'} so far"
