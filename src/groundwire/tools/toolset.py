"""A toolset: the tools of one workspace in one dialect, to be declared, called, previewed and undone."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from groundwire.errors import UsageError
from groundwire.tools.base import (
    BeforeWrite,
    Dialect,
    Plan,
    PlannedCommand,
    Tool,
    ToolContext,
    ToolResult,
)
from groundwire.tools.dialects import Form, dialect_of, in_form
from groundwire.tools.glob import GLOB
from groundwire.tools.grep_search import GREP_SEARCH
from groundwire.tools.journal import WriteJournal
from groundwire.tools.list_directory import LIST_DIRECTORY
from groundwire.tools.patch import Change
from groundwire.tools.read_file import READ_FILE
from groundwire.tools.read_many_files import READ_MANY_FILES
from groundwire.tools.registry import Registry
from groundwire.tools.replace import REPLACE
from groundwire.tools.run_shell_command import RunShellCommand, Shell
from groundwire.tools.str_replace_editor import STR_REPLACE_EDITOR, STR_REPLACE_VIEWER
from groundwire.tools.write_file import WRITE_FILE
from groundwire.workspace.boundary import Workspace

TOOLS: tuple[Tool, ...] = (
    REPLACE,
    READ_FILE,
    WRITE_FILE,
    LIST_DIRECTORY,
    GLOB,
    GREP_SEARCH,
    READ_MANY_FILES,
    STR_REPLACE_VIEWER,  # where both may be used, the editor that follows takes its place
    STR_REPLACE_EDITOR,
)
"""Every tool; which of them a toolset has depends on its dialect."""


class Toolset:
    """The tools of one workspace, in the dialect of one model."""

    def __init__(
        self, workspace: Workspace, dialect: Dialect, *, read_only: bool = False, shell: Shell | None = None
    ) -> None:
        self.workspace = workspace
        self.dialect = dialect
        self.read_only = read_only
        commands = () if shell is None else (RunShellCommand(shell),)
        self._registry = Registry([*TOOLS, *commands], dialect, read_only=read_only)
        self._context = ToolContext(workspace, dialect, WriteJournal())

    def declarations(self, form: Form | str = Form.GEMINI) -> list[dict[str, Any]]:
        """The tools as the `form`'s API wants them: gemini, openai or anthropic."""
        return [in_form(declaration, Form(form)) for declaration in self._registry.declarations()]

    def writes(self, name: str) -> bool:
        """Whether a call of the tool `name` can change the workspace."""
        return self._registry.writes(name)

    def journaled(self, name: str) -> bool:
        """Whether all that a call of the tool `name` changes is told to `before_write`."""
        return self._registry.journaled(name)

    async def call(
        self, name: str, arguments: object, *, before_write: BeforeWrite | None = None
    ) -> ToolResult:
        """Run one tool. What goes wrong is in the result; a cancelled call writes nothing any more.

        `before_write` is told, in the tool's thread, what is about to be written.
        """
        import asyncio  # noqa: PLC0415  (lazy: a command line that calls one tool needs no event loop)

        stop = threading.Event()
        context = replace(self._context, cancelled=stop.is_set)
        if before_write is not None:
            context = replace(context, before_write=before_write)
        try:
            return await asyncio.to_thread(self._registry.call, name, arguments, context)
        except asyncio.CancelledError:
            stop.set()
            raise

    def call_now(
        self, name: str, arguments: object, cancelled: Callable[[], bool] | None = None
    ) -> ToolResult:
        """`call` for code without an event loop. Once `cancelled()` is true, nothing more is written."""
        context = self._context if cancelled is None else replace(self._context, cancelled=cancelled)
        return self._registry.call(name, arguments, context)

    def undo(self, path: str | None = None) -> ToolResult:
        """Take back the last write of this toolset, or the last one of the file at `path`.

        Bytes and mode come back as they were. A file that someone else changed since is left alone.
        """
        return self._registry.undo(self._context, path)

    def preview(self, name: str, arguments: object) -> str:
        """What the call would change, as a unified diff, or the command it would run; empty for a call that
        only reads.

        A ToolError says why the call would fail.
        """
        planned = self.plan(name, arguments)
        if planned is None:
            return ""
        if isinstance(planned, PlannedCommand):
            return f"$ {planned.command}\n"
        return Change(planned.old_text, planned.new_text).unified(planned.place.relative)

    def plan(self, name: str, arguments: object) -> Plan | None:
        """What the call would do, without doing it; None when it only reads. Raises ToolError."""
        return self._registry.plan(name, arguments, self._context)


def toolset(
    workspace: Workspace | str | os.PathLike[str],
    model: str | None = None,
    dialect: Dialect | str | None = None,
    read_only: bool = False,
    shell: Shell | None = None,
) -> Toolset:
    """The tools for `model` on a workspace (or the path of its root). `dialect` overrides the model's; with
    `shell`, `run_shell_command` is one of them."""
    place = workspace if isinstance(workspace, Workspace) else Workspace(workspace)
    try:
        chosen = dialect_of(model) if dialect is None else Dialect(dialect)
    except ValueError:
        known = ", ".join(Dialect)
        raise UsageError(f"There is no dialect '{dialect}'.", hint=f"The dialects are: {known}.") from None
    return Toolset(place, chosen, read_only=read_only, shell=shell)
