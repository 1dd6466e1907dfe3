"""run_shell_command: one command of the shell, in the workspace.

Not part of any toolset unless it was allowed: a command can do whatever the person could do. Its directory
must be in the workspace; what the command itself touches is not confined. It is planned here and run by the
registry, so that a person can be shown it first. The texts are Gemini CLI's; a command in the background is
refused, because nothing that a call starts outlives the call.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from signal import Signals
from typing import TYPE_CHECKING

from groundwire.characters import is_sayable
from groundwire.errors import ToolError, UsageError
from groundwire.tools.base import (
    Arguments,
    Declaration,
    Dialect,
    ErrorType,
    PlannedCommand,
    ToolContext,
    ToolResult,
    invalid,
)
from groundwire.tools.declaring import parameters, string
from groundwire.tools.untrusted import untrusted
from groundwire.workspace.boundary import WorkspacePath

if TYPE_CHECKING:
    from groundwire.tools.shell_process import Finished

NAME = "run_shell_command"
_ABOUT = (
    "Runs one command as `bash -c <command>` in the workspace and returns its output, standard output and "
    "standard error together. There is no terminal and no input. The command and everything it started are "
    "killed when it ends or takes longer than {minutes:g} minutes: nothing is left running in the background."
)
_COMMAND = string("The exact command, as for `bash -c`.")
_DESCRIPTION = string("Optional: what the command is for, in one sentence for the user.")
_DIRECTORY = string(
    "Optional: the directory to run the command in, inside the workspace. Defaults to the workspace itself."
)


@dataclass(frozen=True, slots=True)
class Shell:
    """Leave to run commands, and how far they may go."""

    environment: Mapping[str, str]
    """What the commands see; see `safe_environment.without_secrets`."""
    seconds: float = 120.0
    most_characters: int = 40_000
    """How much of a command's output is kept."""


class RunShellCommand:
    """Runs one command."""

    writes = True

    def __init__(self, shell: Shell) -> None:
        if os.name != "posix":
            raise UsageError("Commands can be run only where there is bash: on Linux, macOS or WSL.")
        self._shell = shell

    def declaration(self, dialect: Dialect) -> Declaration:
        """The tool in `dialect`: up to Gemini CLI 0.13 the directory was called `directory`."""
        about = _ABOUT.format(minutes=self._shell.seconds / 60)
        if dialect is Dialect.CLASSIC:
            names = parameters(
                required=("command",), command=_COMMAND, description=_DESCRIPTION, directory=_DIRECTORY
            )
        else:
            names = parameters(
                required=("command",), command=_COMMAND, description=_DESCRIPTION, dir_path=_DIRECTORY
            )
        return Declaration(NAME, about, names)

    def run(self, arguments: Arguments, context: ToolContext) -> PlannedCommand:
        """Plan the command the arguments name."""
        command = arguments["command"]
        if not command.strip():
            raise invalid("Command cannot be empty.")
        if not is_sayable(command):
            raise invalid("Command must not contain NUL or half a character.")
        if arguments.get("is_background"):
            raise invalid(
                "Commands cannot run in the background here: they end with the call. Run it in front."
            )
        given = arguments.get("directory" if context.dialect is Dialect.CLASSIC else "dir_path") or "."
        place = _directory(context, given)
        return PlannedCommand(
            command,
            place.relative,
            lambda cancelled: self._execute(command, place, context.dialect, cancelled),
        )

    def _execute(
        self, command: str, place: WorkspacePath, dialect: Dialect, cancelled: Callable[[], bool]
    ) -> ToolResult:
        from groundwire.tools.shell_process import run  # noqa: PLC0415  (lazy: most toolsets run no command)

        shell = self._shell
        try:
            finished = run(
                command,
                place.absolute,
                shell.environment,
                seconds=shell.seconds,
                most_characters=shell.most_characters,
                cancelled=cancelled,
            )
        except OSError as error:
            raise ToolError(
                f"The command could not be started: {error}", kind=ErrorType.SHELL_EXECUTE_ERROR
            ) from error
        told = _told(command, place.relative, finished, shell.seconds, dialect)
        return ToolResult(told if dialect is Dialect.CLASSIC else untrusted(told), _shown(finished))


def _directory(context: ToolContext, given: str) -> WorkspacePath:
    place = context.workspace.resolve(given)
    try:
        is_directory = stat.S_ISDIR(context.workspace.stat(place).st_mode)
    except OSError:
        is_directory = False
    if not is_directory:
        raise ToolError(
            f"Directory does not exist in the workspace: {given}", kind=ErrorType.PATH_IS_NOT_A_DIRECTORY
        )
    return place


def _told(command: str, directory: str, finished: Finished, seconds: float, dialect: Dialect) -> str:
    """What the model reads."""
    if finished.late or finished.cancelled:
        why = (
            f"Command was automatically cancelled because it exceeded the timeout of {seconds / 60:.1f} "
            "minutes."
            if finished.late
            else "Command was cancelled by user before it could complete."
        )
        if finished.output.strip():
            return f"{why} Below is the output before it was cancelled:\n{finished.output}"
        return f"{why} There was no output before it was cancelled."
    output = finished.output or "(empty)"
    if dialect is Dialect.CLASSIC:
        return "\n".join(
            (
                f"Command: {command}",
                f"Directory: {directory or '(root)'}",
                f"Output: {output}",
                "Error: (none)",
                f"Exit Code: {'(none)' if finished.exit_code is None else finished.exit_code}",
                f"Signal: {finished.signal or '(none)'}",
                "Background PIDs: (none)",
                f"Process Group PGID: {finished.group}",
            )
        )
    told = [f"Output: {output}"]
    if finished.exit_code:
        told.append(f"Exit Code: {finished.exit_code}")
    if finished.signal:
        told.append(f"Signal: {finished.signal}")
    return "\n".join([*told, f"Process Group PGID: {finished.group}"])


def _shown(finished: Finished) -> str:
    """One line for the person."""
    if finished.late:
        return "stopped: it took too long"
    if finished.cancelled:
        return "cancelled"
    if finished.signal:
        return f"ended by {Signals(finished.signal).name}"
    lines = len(finished.output.splitlines())
    said = f"{lines} {'line' if lines == 1 else 'lines'}"
    return f"exit code {finished.exit_code}, {said}" if finished.exit_code else said
