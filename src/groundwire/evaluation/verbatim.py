"""The legacy editor as it is elsewhere: `old_str` must stand in the file to the letter, exactly once.

Our own editors forgive small mistakes (docs/editing.md). Most editors of this kind do not, and a comparison
with ours alone would not show what that is worth. Line endings of the file are not held against the model.
"""

from __future__ import annotations

from collections.abc import Mapping

from groundwire.errors import ToolError
from groundwire.evaluation.watching import WatchedToolset
from groundwire.tools.base import BeforeWrite, ErrorType, ToolFailure, ToolResult
from groundwire.workspace.textfile import read_text


class VerbatimToolset(WatchedToolset):
    """The legacy editor, unforgiving."""

    async def made(self, name: str, arguments: object, before_write: BeforeWrite | None) -> ToolResult:
        """Make the call, unless it would need forgiveness."""
        return self._objection(arguments) or await super().made(name, arguments, before_write)

    def _objection(self, arguments: object) -> ToolResult | None:
        if not isinstance(arguments, Mapping) or arguments.get("command") != "str_replace":
            return None
        old, path = arguments.get("old_str"), arguments.get("path")
        if not isinstance(old, str) or not isinstance(path, str):
            return None
        try:
            text = read_text(self.workspace, self.workspace.resolve(path)).text.replace("\r\n", "\n")
        except (OSError, ToolError):
            return None  # the tool itself says what is wrong
        found = text.count(old)
        if found == 1:
            return None
        if not found:
            message = f"No replacement was performed, `old_str` did not appear verbatim in {path}."
            return _refused(message, ErrorType.EDIT_NO_OCCURRENCE_FOUND)
        message = f"No replacement was performed. `old_str` stands {found} times in {path}; make it unique."
        return _refused(message, ErrorType.EDIT_EXPECTED_OCCURRENCE_MISMATCH)


def _refused(message: str, kind: ErrorType) -> ToolResult:
    return ToolResult(message, message, ToolFailure(message, kind))
