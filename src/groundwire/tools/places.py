"""From the path a model wrote to a place in the workspace, the way Gemini CLI's file tools read it."""

from __future__ import annotations

import os

from groundwire.tools.base import ToolContext, invalid
from groundwire.tools.node_errors import node_message
from groundwire.workspace.boundary import Workspace, WorkspacePath


def file_place(context: ToolContext, path: str, *, before_loop: str = "") -> WorkspacePath:
    """The place of a file a tool reads or writes; `@src/a.ts`, the way chats quote files, is `src/a.ts`."""
    return place(context, without_mention(context.workspace, path), before_loop=before_loop)


def place(context: ToolContext, path: str, *, before_loop: str = "") -> WorkspacePath:
    """The place `path` names. `before_loop` begins the message about links that run in a circle."""
    try:
        return context.workspace.resolve(path)
    except OSError as error:
        where = error.filename or path
        raise invalid(before_loop + node_message(error, "stat", where)) from None


def without_mention(workspace: Workspace, path: str) -> str:
    """`path` without a leading `@`, unless something of that very name exists."""
    if not path.startswith("@") or "\0" in path or len(path) == 1:
        return path
    if os.path.exists(os.path.join(workspace.root, path)):
        return path
    stripped = path[1:].lstrip("/\\")
    if path[1] in "/\\":
        return stripped or path
    first = stripped.replace("\\", "/").partition("/")[0]
    if not first or os.path.exists(os.path.join(workspace.root, "@" + first)):
        return path
    return stripped
