"""A toolset that takes note of each call: which tool, whether it was an edit, and its error."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from groundwire.tools.base import BeforeWrite, Dialect, ToolResult
from groundwire.tools.toolset import Toolset
from groundwire.workspace.boundary import Workspace

EDITING = frozenset(("replace", "write_file"))
EDITING_COMMANDS = frozenset(("create", "str_replace", "insert", "undo_edit"))


class Noted(msgspec.Struct, frozen=True):
    """One call of a tool."""

    name: str
    edits: bool
    """Whether it would have changed a file."""
    error: str = ""
    """The type of its error; empty when there was none."""


class WatchedToolset(Toolset):
    """The tools of one workspace, with an account of their calls."""

    def __init__(self, workspace: Workspace, dialect: Dialect) -> None:
        super().__init__(workspace, dialect)
        self.noted: list[Noted] = []

    async def call(
        self,
        name: str,
        arguments: object,
        *,
        before_write: BeforeWrite | None = None,
    ) -> ToolResult:
        """Run one tool and take note."""
        result = await self.made(name, arguments, before_write)
        self.noted.append(Noted(name, is_edit(name, arguments), result.error.type if result.error else ""))
        return result

    async def made(self, name: str, arguments: object, before_write: BeforeWrite | None) -> ToolResult:
        """Make the call; what another kind of toolset does differently."""
        return await super().call(name, arguments, before_write=before_write)


def is_edit(name: str, arguments: object) -> bool:
    """Whether a call is meant to change a file."""
    command = arguments.get("command") if isinstance(arguments, Mapping) else None
    return name in EDITING or command in EDITING_COMMANDS
