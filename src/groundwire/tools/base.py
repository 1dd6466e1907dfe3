"""The vocabulary of tools: what a tool is, what it is given, and what it gives back.

A tool decides and does not write. `Tool.run` looks at the workspace and returns a finished `ToolResult`,
or a plan: a `PlannedWrite` (the bytes that should be on disk, and the result to tell once they are) or a
`PlannedCommand`. The registry carries it out (`registry.py`), or shows it (`preview`); that is the only place
where a tool's `ToolError` becomes a result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from groundwire.errors import ToolError
from groundwire.workspace.boundary import Fingerprint, Workspace, WorkspacePath

Arguments = Mapping[str, Any]
"""The arguments of a call, already checked against the tool's schema in the dialect of the call."""


class Dialect(StrEnum):
    """Which generation of names, parameters and texts a model knows."""

    CLASSIC = "classic"
    CURRENT = "current"
    LEGACY = "legacy"


class ErrorType(StrEnum):
    """Gemini CLI's error types, as they appear in a result."""

    INVALID_TOOL_PARAMS = "invalid_tool_params"
    UNKNOWN = "unknown"
    TOOL_NOT_REGISTERED = "tool_not_registered"
    EXECUTION_FAILED = "execution_failed"
    FILE_NOT_FOUND = "file_not_found"
    FILE_WRITE_FAILURE = "file_write_failure"
    READ_CONTENT_FAILURE = "read_content_failure"
    ATTEMPT_TO_CREATE_EXISTING_FILE = "attempt_to_create_existing_file"
    FILE_TOO_LARGE = "file_too_large"
    PERMISSION_DENIED = "permission_denied"
    NO_SPACE_LEFT = "no_space_left"
    TARGET_IS_DIRECTORY = "target_is_directory"
    EDIT_PREPARATION_FAILURE = "edit_preparation_failure"
    EDIT_NO_OCCURRENCE_FOUND = "edit_no_occurrence_found"
    EDIT_EXPECTED_OCCURRENCE_MISMATCH = "edit_expected_occurrence_mismatch"
    EDIT_NO_CHANGE = "edit_no_change"
    GLOB_EXECUTION_ERROR = "glob_execution_error"
    GREP_EXECUTION_ERROR = "grep_execution_error"
    LS_EXECUTION_ERROR = "ls_execution_error"
    PATH_IS_NOT_A_DIRECTORY = "path_is_not_a_directory"
    READ_MANY_FILES_SEARCH_ERROR = "read_many_files_search_error"
    SHELL_EXECUTE_ERROR = "shell_execute_error"
    WEB_FETCH_FALLBACK_FAILED = "web_fetch_fallback_failed"


@dataclass(frozen=True, slots=True)
class ToolFailure:
    """Why a call failed: the message the model gets, and Gemini CLI's type for it."""

    message: str
    type: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave: for the model, for the person, and the failure when it failed."""

    llm_content: Any
    """Text, or a part such as `{"inlineData": …}`, or a list of them."""
    return_display: Any = ""
    error: ToolFailure | None = None

    def to_json(self) -> dict[str, Any]:
        """The result under its wire names: llmContent, returnDisplay, error (null when all went well)."""
        failed = None if self.error is None else {"message": self.error.message, "type": self.error.type}
        return {"llmContent": self.llm_content, "returnDisplay": self.return_display, "error": failed}


@dataclass(frozen=True, slots=True)
class Declaration:
    """A tool as a model sees it: its name, what it is for, and the JSON Schema of its parameters."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PlannedWrite:
    """A change of one file that was decided and not yet made."""

    place: WorkspacePath
    before: bytes | None
    """The file's bytes when it was read; None when there was no file."""
    after: bytes | None
    """The bytes to write; None to delete the file."""
    seen: Fingerprint | None
    """The fingerprint of the file that was read; None when there was no file."""
    old_text: str
    """The text a preview compares from, line endings as on disk."""
    new_text: str
    """The text a preview compares to."""
    finish: Callable[[], ToolResult]
    """Makes the result to tell once the write is done (a diff is not computed for a write that fails)."""
    explain: Callable[[OSError], ToolError]
    """How this tool words an error of the disk."""


@dataclass(frozen=True, slots=True)
class PlannedCommand:
    """A command that was decided and not yet run."""

    command: str
    directory: str
    """Where it would run, below the root of the workspace; the root itself is the empty string."""
    execute: Callable[[Callable[[], bool]], ToolResult]
    """Runs it; is given who to ask whether the call was cancelled."""


Plan = PlannedWrite | PlannedCommand

BeforeWrite = Callable[[PlannedWrite, str], Callable[[], None] | None]
"""Is told a write and the name of the temporary file beside it before either exists. What it gives back is
called before the file itself changes, and may raise to stop that: a flush can go on meanwhile."""


class Journal(Protocol):
    """Remembers writes so that they can be undone."""

    def record(self, planned: PlannedWrite, written: Fingerprint | None) -> None:
        """Note that `planned` is on disk now, as the file with this fingerprint (None: deleted)."""

    def take_back(self, place: WorkspacePath | None = None) -> PlannedWrite:
        """The write that undoes the last one (at `place`). A ToolError when there is none."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a call may use: the workspace, the dialect it speaks, and the journal of earlier writes."""

    workspace: Workspace
    dialect: Dialect = Dialect.CURRENT
    journal: Journal | None = None
    git_ignore: bool = True
    """Whether `.gitignore` rules hide files, unless a call says otherwise."""
    gemini_ignore: bool = True
    """Whether `.geminiignore` rules hide files, unless a call says otherwise."""
    cancelled: Callable[[], bool] = field(default=lambda: False)
    """Asked now and then by long calls; true means stop."""
    before_write: BeforeWrite = field(default=lambda planned, temporary: None)
    """Told what is about to be written, while it still is not; what it raises stops the write."""


class Tool(Protocol):
    """One tool. It has no state; everything a call needs is in its arguments and its context."""

    writes: bool
    """Whether a call can change the workspace; such tools are absent from a read-only toolset."""

    def declaration(self, dialect: Dialect) -> Declaration | None:
        """The tool in `dialect`; None when that dialect does not have it."""

    def run(self, arguments: Arguments, context: ToolContext) -> ToolResult | Plan:
        """Decide the call. A ToolError when it cannot be done."""


def invalid(message: str) -> ToolError:
    """The error of a call whose arguments cannot be used."""
    return ToolError(message, kind=ErrorType.INVALID_TOOL_PARAMS)
