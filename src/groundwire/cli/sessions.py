"""List the sessions of the agent, the newest first, or delete old ones.

groundwire sessions
groundwire sessions --prune --keep 20

A session is the record of one or more runs: groundwire show ID shows it, groundwire run --resume ID goes on
with it, groundwire undo ID takes back what it changed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING

from groundwire.cli.terminal_look import columns, fitting
from groundwire.errors import UsageError

if TYPE_CHECKING:
    from groundwire.agent.session_past import Past
    from groundwire.agent.session_store import Listed, SessionStore

KEPT = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after `groundwire sessions`."""
    parser.add_argument("--root", metavar="DIR", help="only those that worked in this folder")
    parser.add_argument("--prune", action="store_true", help="delete all but the newest")
    parser.add_argument("--keep", type=int, metavar="N", help=f"how many --prune keeps (default: {KEPT})")
    parser.add_argument("--json", action="store_true", help="print them as JSON, one object on each line")


def run(arguments: argparse.Namespace) -> int:
    """List or prune."""
    store = own_sessions()
    if arguments.prune:
        keep = KEPT if arguments.keep is None else arguments.keep
        if keep < 0:
            raise UsageError("--keep must be at least 0.")
        deleted = store.prune(keep)
        print(f"Deleted {len(deleted)} {'session' if len(deleted) == 1 else 'sessions'}, kept the rest.")
        return 0
    if arguments.keep is not None:
        raise UsageError("--keep goes with --prune.")
    listed = [one for one in store.listed() if _is_wanted(one, arguments.root)]
    if arguments.json:
        for one in listed:
            print(json.dumps(as_json(one)))
        return 0
    _show(listed, store)
    return 0


def own_sessions() -> SessionStore:
    """The sessions of the person who types."""
    from groundwire.agent.session_store import SessionStore
    from groundwire.runtime import config_from_world

    return SessionStore(config_from_world().paths.state_dir / "sessions")


def as_json(one: Listed) -> dict[str, object]:
    """A session of the list for programs."""
    if one.past is None:
        return {"id": one.id, "path": str(one.path), "problem": one.problem}
    past = one.past
    return {
        "id": one.id,
        "path": str(one.path),
        "at": past.opened.at,
        "root": past.opened.root,
        "model": past.opened.model,
        "task": task_of(past),
        "outcome": outcome_of(past),
        "runs": len(past.runs),
        "turns": turns_of(past),
    }


def task_of(past: Past) -> str:
    """The first task that was given."""
    return next((run.began.task for run in past.runs if run.began.task), "")


def outcome_of(past: Past) -> str:
    """How the last run ended; `interrupted` when it did not, or is still under way."""
    last = past.runs[-1] if past.runs else None
    if last is None:
        return "empty"
    if last.undone is not None:
        return "undone"
    return last.ended.ending if last.ended else "interrupted"


def turns_of(past: Past) -> int:
    """How often the model was asked, in all runs."""
    return sum(len(run.turns) for run in past.runs)


def _is_wanted(one: Listed, root: str | None) -> bool:
    return root is None or one.past is None or one.past.opened.root == os.path.realpath(root)


def _show(listed: list[Listed], store: SessionStore) -> None:
    from groundwire.cli.printable import printable

    rows = [_row(one.id, one.past) for one in listed if one.past is not None]
    if rows:
        for line in _lined_up([("id", "when", "turns", "outcome", "folder", "task"), *rows]):
            print(_fitting(line))
    else:
        print(f"There are no sessions in {store.folder}.")
    for one in listed:
        if one.past is None:
            print(f"groundwire: {printable(one.problem)}", file=sys.stderr)


def _row(name: str, past: Past) -> tuple[str, ...]:
    from groundwire.characters import sendable
    from groundwire.cli.printable import printable

    when, folder = _when(past.opened.at), printable(sendable(_short(past.opened.root)))
    task = " ".join(printable(task_of(past)).split())
    return name, when, str(turns_of(past)), outcome_of(past), folder, task


def _lined_up(rows: list[tuple[str, ...]]) -> list[str]:
    """The rows as lines, each column as wide as its widest word."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    return ["  ".join([*map(str.ljust, row, widths), row[-1]]) for row in rows]


def _fitting(line: str) -> str:
    """The line, on a terminal cut where it would wrap."""
    if not sys.stdout.isatty():
        return line
    return fitting(line, columns(sys.stdout), end="…")


def _when(at: str) -> str:
    from datetime import datetime

    return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M")


def _short(folder: str) -> str:
    home = os.path.expanduser("~")
    return folder.replace(home, "~", 1) if folder == home or folder.startswith(home + os.sep) else folder
