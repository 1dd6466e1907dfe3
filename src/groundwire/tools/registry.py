"""The registry: finds a tool by its name, checks the arguments, runs it, and writes what it planned.

Here, and nowhere else, a `ToolError` becomes a result. Everything a tool cannot foresee is a bug and
leaves as the exception it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from groundwire.errors import ToolError
from groundwire.tools.base import (
    Arguments,
    Declaration,
    Dialect,
    ErrorType,
    Plan,
    PlannedCommand,
    PlannedWrite,
    Tool,
    ToolContext,
    ToolFailure,
    ToolResult,
    invalid,
)
from groundwire.tools.schema import first_error
from groundwire.workspace.atomic import remove, temporary_name, write_atomically

ALIASES = {"search_file_content": "grep_search"}
"""Older names that calls in the dialect `current` may still use."""


class Registry:
    """The tools of one dialect."""

    def __init__(self, tools: Iterable[Tool], dialect: Dialect, *, read_only: bool = False) -> None:
        self._dialect = dialect
        self._tools: dict[str, tuple[Tool, Declaration]] = {}
        for tool in tools:
            declaration = tool.declaration(dialect)
            if declaration is not None and not (read_only and tool.writes):
                self._tools[declaration.name] = (tool, declaration)

    def declarations(self) -> list[Declaration]:
        """Every tool as a model sees it."""
        return [declaration for _, declaration in self._tools.values()]

    def writes(self, name: str) -> bool:
        """Whether a call of the tool `name` can change the workspace; False when there is no such tool."""
        found = self._found(name)
        return found is not None and found[0].writes

    def journaled(self, name: str) -> bool:
        """Whether all that a call of the tool `name` changes is announced as a planned write."""
        found = self._found(name)
        return found is None or not found[0].writes or getattr(found[0], "journaled", False)

    def call(self, name: str, arguments: object, context: ToolContext) -> ToolResult:
        """Run the tool `name`, write what it planned, and give the result."""
        try:
            outcome = self._decide(name, arguments, context)
            if isinstance(outcome, PlannedCommand):
                return outcome.execute(context.cancelled)
            return outcome if isinstance(outcome, ToolResult) else carry_out(outcome, context)
        except ToolError as error:
            return self._failed(error)

    def undo(self, context: ToolContext, path: str | None = None) -> ToolResult:
        """Take back the last write in the context's journal, or the last one of the file at `path`."""
        try:
            if context.journal is None:
                raise ToolError("There is no journal to undo from.", kind=ErrorType.EXECUTION_FAILED)
            place = None if path is None else context.workspace.resolve(path)
            return carry_out(context.journal.take_back(place), context)
        except ToolError as error:
            return self._failed(error)

    def plan(self, name: str, arguments: object, context: ToolContext) -> Plan | None:
        """What the call would do, without doing it; None when it only reads. Raises ToolError."""
        outcome = self._decide(name, arguments, context)
        return None if isinstance(outcome, ToolResult) else outcome

    def _decide(self, name: str, arguments: object, context: ToolContext) -> ToolResult | Plan:
        found = self._found(name)
        if found is None:
            known = ", ".join(self._tools)
            raise ToolError(
                f'Tool "{name}" not found. The tools are: {known}.', kind=ErrorType.TOOL_NOT_REGISTERED
            )
        tool, declaration = found
        checked = self._checked(tool, declaration, arguments)
        return tool.run(checked, context)

    def _found(self, name: str) -> tuple[Tool, Declaration] | None:
        return self._tools.get(name) or self._tools.get(ALIASES.get(name, ""))

    def _checked(self, tool: Tool, declaration: Declaration, arguments: object) -> Arguments:
        if isinstance(arguments, Mapping):
            others: Mapping[str, str] = getattr(tool, "aliases", {}).get(self._dialect, {})
            arguments = renamed(arguments, others)
        wrong = first_error(declaration.parameters, arguments)
        if wrong is not None:
            raise invalid(wrong)
        assert isinstance(arguments, Mapping)
        return {name: whole_numbers(value) for name, value in arguments.items()}

    def _failed(self, error: ToolError) -> ToolResult:
        content = error.llm_content
        if self._dialect is Dialect.CLASSIC and error.type == ErrorType.INVALID_TOOL_PARAMS:
            content = f"Error: Invalid parameters provided. Reason: {content}"
        return ToolResult(content, error.display, ToolFailure(error.message, error.type))


def whole_numbers(value: Any) -> Any:
    """The value with 2.0 written as 2: JSON has one kind of number, and some clients write all of them so."""
    if isinstance(value, list):
        return [whole_numbers(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def renamed(arguments: Mapping[str, Any], others: Mapping[str, str]) -> Mapping[str, Any]:
    """The arguments with other names of a parameter replaced by the one it is declared with."""
    if not any(name in others for name in arguments):
        return arguments
    chosen = {name: value for name, value in arguments.items() if name not in others}
    for name, value in arguments.items():
        if name in others:
            chosen.setdefault(others[name], value)
    return chosen


def carry_out(planned: PlannedWrite, context: ToolContext) -> ToolResult:
    """Write what was planned, note it in the journal, and give the result. Raises ToolError."""
    if context.cancelled():
        raise ToolError("The call was cancelled; nothing was written.", kind=ErrorType.EXECUTION_FAILED)
    temporary = temporary_name()
    ready = context.before_write(planned, temporary)
    try:
        if planned.after is not None:
            written = write_atomically(
                context.workspace,
                planned.place,
                planned.after,
                seen=planned.seen,
                temporary=temporary,
                ready=ready,
            )
        else:
            assert planned.seen is not None, "a file that was not seen cannot be deleted"
            if ready is not None:
                ready()
            remove(context.workspace, planned.place, seen=planned.seen)
            written = None
    except OSError as error:
        raise planned.explain(error) from error
    if context.journal is not None:
        context.journal.record(planned, written)
    return planned.finish()
