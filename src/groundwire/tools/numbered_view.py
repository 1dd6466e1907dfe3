"""Views for models that know `cat -n`: numbered lines of a file or an edit, and the files of a directory."""

from __future__ import annotations

import os
import stat

from groundwire.errors import ToolError
from groundwire.tools.base import ToolContext, invalid
from groundwire.tools.diff import Kind, compare
from groundwire.tools.matching.document import Document
from groundwire.workspace.boundary import WorkspacePath

MOST_LINES = 2000
MOST_CHARACTERS = 2000
MOST_ENTRIES = 1000
SNIPPET_CONTEXT = 4
_DEPTH = 2


def numbered(path: str, lines: list[str], first: int, last: int) -> str:
    """The lines `first` to `last` with their numbers; what is left out is said."""
    end = min(last, first + MOST_LINES - 1)
    shown = "\n".join(f"{at:6}\t{_cut(lines[at - 1])}" for at in range(first, end + 1))
    text = f"Here's the result of running `cat -n` on {path}:\n{shown}\n"
    if end < last:
        text += f"Lines {end + 1} to {last} were left out. Use `view_range` to see them.\n"
    return text


def snippet_of(path: str, old: str, new: str) -> str:
    """The lines of `new` that are not in `old`, from the first to the last, with a few around them."""
    lines = Document(new).lines
    changed = [run for run in compare(Document(old).lines, lines) if run.kind is not Kind.KEPT]
    if not changed:  # only the ending of a line changed
        return f"Here's the end of {path}:\n{_cut(lines[-1]) if lines else ''}"
    first = max(1, min(run.new_start for run in changed) + 1 - SNIPPET_CONTEXT)
    last = min(len(lines), max(run.new_end for run in changed) + SNIPPET_CONTEXT)
    shown = "\n".join(f"{at:6}\t{_cut(lines[at - 1])}" for at in range(first, last + 1))
    return f"Here's the result of running `cat -n` on a snippet of {path}:\n{shown}"


def directory_view(context: ToolContext, where: WorkspacePath) -> str | None:
    """Files and directories below `where`, two levels deep, without hidden ones; None for a file."""
    try:
        if not stat.S_ISDIR(context.workspace.stat(where).st_mode):
            return None
    except OSError:
        return None
    found = _below(context, where, _DEPTH)
    text = (
        f"Here's the files and directories up to 2 levels deep in {where.absolute}, excluding hidden items:\n"
    )
    return text + "\n".join([where.absolute, *found[:MOST_ENTRIES]]) + (
        f"\n({len(found) - MOST_ENTRIES} more entries were left out)" if len(found) > MOST_ENTRIES else ""
    )  # fmt: skip


def _below(context: ToolContext, where: WorkspacePath, depth: int) -> list[str]:
    found: list[str] = []
    try:
        names = sorted(entry.name for entry in os.scandir(where.absolute) if not entry.name.startswith("."))
    except OSError as error:
        raise invalid(f"Cannot list {where.absolute}: {error.strerror}") from None
    for name in names:
        path = os.path.join(where.absolute, name)
        try:
            place = context.workspace.resolve(path)
            is_directory = stat.S_ISDIR(context.workspace.stat(place).st_mode)
        except (ToolError, OSError):
            continue  # outside the root, protected, or gone
        found.append(f"{path}/" if is_directory else path)
        if is_directory and depth > 1 and place.absolute == path:
            found += _below(context, place, depth - 1)
        if len(found) > MOST_ENTRIES * 10:
            break
    return found


def _cut(line: str) -> str:
    return line if len(line) <= MOST_CHARACTERS else line[:MOST_CHARACTERS] + "... [truncated]"
