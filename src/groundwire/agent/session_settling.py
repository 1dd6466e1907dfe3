"""What became of a call that began and has no result, because the process died in between.

Nothing is carried out twice, so the evidence decides:

    the call                                        what became of it
    ----------------------------------------------  ------------------------------------------------
    announced no write, and its tool announces all  nothing happened: it is carried out now
    announced no write, and its tool does not       nobody knows: the model is told so
    the file holds what the write announced         it happened: the model is told so
    the file holds what it held before              it did not happen: it is carried out now
    the file holds something else                   someone else was here: the model is told to look
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress

from groundwire.agent.functions import Given, failed
from groundwire.agent.transcript import WriteBegan
from groundwire.characters import sendable
from groundwire.errors import ToolError
from groundwire.tools.patch import Change
from groundwire.workspace.boundary import Workspace, WorkspacePath
from groundwire.workspace.encodings import decode
from groundwire.workspace.textfile import read_bytes

UNKNOWN = (
    "The run was interrupted while this call ran, and what it had started was stopped. Whether it ran to its "
    "end is not known, and it was not run again. Look at what it has done before you go on."
)
CHANGED = (
    "The run was interrupted while this call wrote {path}. The file holds neither what it held before nor "
    "what this call would have written, so nothing was written now. Read it again."
)
WRITTEN = "Successfully wrote {path}. (The run was interrupted after that, and has now gone on.)"
DELETED = "Successfully deleted {path}. (The run was interrupted after that, and has now gone on.)"


def settled(
    announced: WriteBegan | None,
    workspace: Workspace,
    *,
    journaled: bool,
    before: Callable[[str | None], bytes | None],
) -> Given | None:
    """What an interrupted call has come to; None when it has still to be carried out."""
    if announced is None:
        return None if journaled else Given({"error": UNKNOWN}, "interrupted, and not run again", ok=False)
    try:
        place = workspace.resolve(announced.path)
        _remove_temporary(workspace, place, announced.temporary)
        now = state_of(workspace, place)
    except (OSError, ToolError):
        return failed(CHANGED.format(path=announced.path))
    if digest(now) == announced.after:
        return _happened(announced, before(announced.before), now)
    if digest(now) == announced.before:
        return None
    return failed(CHANGED.format(path=announced.path))


def state_of(workspace: Workspace, place: WorkspacePath) -> bytes | None:
    """The bytes of the file at `place`; None when there is none. OSError from the disk."""
    try:
        return read_bytes(workspace, place)[0]
    except (FileNotFoundError, NotADirectoryError):
        return None


def digest(data: bytes | None) -> str | None:
    """The hash of a file's bytes; None stands for no file."""
    return None if data is None else hashlib.sha256(data).hexdigest()


def diff_between(old: bytes | None, new: bytes | None) -> Change:
    """What changed from one state of a file to another."""
    return Change(*(sendable(decode(data or b"")[1]) for data in (old, new)))


def _happened(announced: WriteBegan, before: bytes | None, now: bytes | None) -> Given:
    if now is None:
        return Given({"output": DELETED.format(path=announced.path)}, "deleted")
    known = before is not None or announced.before is None
    diff = diff_between(before, now).unified(announced.path) if known else ""
    return Given({"output": WRITTEN.format(path=announced.path)}, "written", diff=diff)


def _remove_temporary(workspace: Workspace, place: WorkspacePath, name: str) -> None:
    """Remove what the write may have left beside the file."""
    if not name.startswith(".groundwire-") or "/" in name or os.sep in name:
        return
    with suppress(FileNotFoundError, NotADirectoryError), workspace.directory_of(place) as (handle, target):
        os.unlink(os.path.join(os.path.dirname(target), name), dir_fd=handle)
