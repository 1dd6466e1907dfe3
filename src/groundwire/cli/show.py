"""Show a session: the tasks, the model's words, each call with its result and diff, and the sources.

groundwire show                      the newest session of this folder
groundwire show 3f9a                 the session ...3f9a
groundwire show 3f9a --html run.html a page of its own, to keep or to send

The page holds everything it needs and loads nothing. It shows what the agent read: look at it before you
pass it on.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from groundwire.errors import UsageError

if TYPE_CHECKING:
    from groundwire.agent.session_past import Past, PastRun, PastTurn


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after `groundwire show`."""
    parser.add_argument("id", nargs="?", metavar="ID", help="the session (default: the newest here)")
    parser.add_argument("--root", metavar="DIR", help="the workspace (default: this directory)")
    parser.add_argument("--html", metavar="FILE", help="write a page of its own; - is standard output")
    parser.add_argument("--json", action="store_true", help="print the session as one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Show it in the way that was asked for."""
    from groundwire.cli.sessions import own_sessions

    if arguments.json and arguments.html:
        raise UsageError("--html and --json are two ways to show a session: choose one.")
    store = own_sessions()
    past = store.past(arguments.id or store.latest(root=arguments.root or ".").stem)
    if arguments.json:
        print(json.dumps(as_json(past)))
    elif arguments.html:
        from groundwire.cli.show_page import page

        _write(arguments.html, page(past))
    else:
        from rich.console import Console

        from groundwire.cli.show_terminal import show

        show(past, Console(highlight=False, soft_wrap=not sys.stdout.isatty()))
    return 0


def _write(target: str, text: str) -> None:
    if target == "-":
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        return
    try:
        with open(target, "w", encoding="utf-8", errors="replace") as stream:
            stream.write(text)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror or error}.") from None
    print(f"Wrote {target}.")


def as_json(past: Past) -> dict[str, object]:
    """The session for programs."""
    opened = past.opened
    return {
        "id": opened.id,
        "at": opened.at,
        "root": opened.root,
        "model": opened.model,
        "runs": [_run_as_json(run) for run in past.runs],
    }


def _run_as_json(run: PastRun) -> dict[str, object]:
    import msgspec

    from groundwire.cli.showing import searches

    return {
        "task": run.began.task,
        "at": run.began.at,
        "approve": run.began.approve,
        "turns": [_turn_as_json(turn) for turn in run.turns],
        "writes": [msgspec.to_builtins(write) for write in run.writes],
        "searches": [
            {"query": found.query, "sources": [source.to_json() for source in found.sources]}
            for found in searches(run)
        ],
        "outcome": msgspec.to_builtins(run.ended) if run.ended else None,
        "undone": msgspec.to_builtins(run.undone) if run.undone else None,
    }


def _turn_as_json(turn: PastTurn) -> dict[str, object]:
    from groundwire.cli.showing import Called, items

    return {
        "at": turn.at,
        "text": turn.reply.text,
        "problem": turn.reply.problem.reason if turn.reply.problem else None,
        "calls": [
            {
                "number": item.number,
                "name": item.name,
                "arguments": item.arguments,
                "ok": item.gave.ok if item.gave else None,
                "summary": item.summary,
                "response": item.gave.response if item.gave else None,
                "diff": item.gave.diff if item.gave else "",
            }
            for item in items(turn)
            if isinstance(item, Called)
        ],
        "tokens": {"given": turn.reply.usage.given, "made": turn.reply.usage.made},
    }
