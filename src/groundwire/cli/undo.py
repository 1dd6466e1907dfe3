"""Take back what the agent's last run changed: its files become what they were before the run.

groundwire undo              the last run in this workspace
groundwire undo 3f9a         the last run of the session ...3f9a
groundwire undo --dry-run    only show what would change

A file that someone changed since the run is left alone, and named; --force restores it all the same. What
commands (run_shell_command) changed cannot be undone. Undoing again takes back the run before. The exit code
is 0 when every file is as it was before the run, 1 when some were left alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from groundwire.errors import SessionError

if TYPE_CHECKING:
    from groundwire.agent.session import Session
    from groundwire.agent.session_store import SessionStore
    from groundwire.agent.session_undo import FileUndone, UndoneRun


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after `groundwire undo`."""
    parser.add_argument("id", nargs="?", metavar="ID", help="the session (default: the newest here)")
    parser.add_argument("--root", metavar="DIR", help="the workspace (default: this directory)")
    parser.add_argument("--force", action="store_true", help="also restore files that someone changed since")
    parser.add_argument("--dry-run", action="store_true", help="show what would change; change nothing")
    parser.add_argument("--json", action="store_true", help="print what was done as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Undo and say what became of each file."""
    from groundwire.agent.session_undo import undo
    from groundwire.cli.sessions import own_sessions
    from groundwire.workspace.boundary import Workspace

    store = own_sessions()
    wanted = arguments.id or store.latest(root=arguments.root or ".").stem
    with store.open(wanted) as session:
        workspace = Workspace(session.opened.root)
        try:
            undone = undo(session, workspace, force=arguments.force, dry=arguments.dry_run)
        except SessionError as error:
            raise _with_another(error, store, session) from None
    if arguments.json:
        print(json.dumps(_as_json(session.id, undone)))
    else:
        _show(session.id, session.opened.root, undone, dry=arguments.dry_run)
    return 1 if undone.left else 0


def _with_another(error: SessionError, store: SessionStore, session: Session) -> SessionError:
    """The error, with the newest session of the same folder that can be undone instead."""
    here = (one for one in store.listed() if one.past and one.past.opened.root == session.opened.root)
    for one in here:
        runs = one.past.runs if one.past and one.id != session.id else []
        if any(run.writes and (run.undone is None or run.undone.left) for run in runs):
            return SessionError(error.message, hint=f"Another one here can be: groundwire undo {one.id}")
    return error


def _show(name: str, root: str, undone: UndoneRun, *, dry: bool) -> None:
    from groundwire.characters import sendable
    from groundwire.cli.approving import coloured, visible
    from groundwire.cli.terminal_look import as_wanted

    verb = "Would undo" if dry else "Undid"
    print(visible(sendable(f"{verb} the last run of session {name} in {root}: {_brief(undone.task)}")))
    if dry:
        for file in undone.files:
            if file.diff:
                print(as_wanted(coloured(file.diff)) if sys.stdout.isatty() else visible_lines(file.diff))
    width = max(len(file.path) for file in undone.files)
    for file in undone.files:
        print(visible(sendable(f"  {file.fate:<10}  {file.path:<{width}}  {_about(file)}")).rstrip())
    if undone.left:
        print("groundwire: --force restores the files that someone changed since, too.", file=sys.stderr)
    if undone.commands:
        ran = "a command" if undone.commands == 1 else f"{undone.commands} commands"
        print(f"groundwire: the run ran {ran}; what they changed is not undone.", file=sys.stderr)


def visible_lines(text: str) -> str:
    """The lines of a text with what a terminal would obey or hide written as escapes."""
    from groundwire.cli.approving import visible

    return "\n".join(visible(line) for line in text.splitlines())


def _about(file: FileUndone) -> str:
    if file.reason:
        return file.reason
    return f"+{file.added} -{file.removed}" if file.diff else ""


def _brief(task: str) -> str:
    line = " ".join(task.split())
    return line if len(line) <= 80 else line[:79] + "…"


def _as_json(name: str, undone: UndoneRun) -> dict[str, object]:
    return {
        "session": name,
        "run": undone.number,
        "task": undone.task,
        "files": [
            {
                "path": file.path,
                "fate": file.fate.value,
                "added": file.added,
                "removed": file.removed,
                **({"reason": file.reason} if file.reason else {}),
            }
            for file in undone.files
        ],
        "commands": undone.commands,
    }
