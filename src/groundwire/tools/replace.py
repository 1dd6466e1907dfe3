"""replace: one piece of a file's text gives way to another.

The place is found by `matching`; this file reads, words the outcome, and plans the write. In the dialect
`current` one occurrence is replaced unless `allow_multiple` is set; in `classic` all are, and
`expected_replacements`, when given, must be their number. An empty `old_string` creates a file. A relative
path means the file at that path below the root and no other: when it is missing, files of the same name
are named, never edited in its place.
"""

from __future__ import annotations

import errno
from itertools import count

from groundwire.errors import ToolError
from groundwire.tools.base import (
    Arguments,
    Declaration,
    Dialect,
    ErrorType,
    PlannedWrite,
    ToolContext,
    ToolResult,
    invalid,
)
from groundwire.tools.declaring import boolean, integer, parameters, string
from groundwire.tools.edit_texts import mismatch, refused, remark
from groundwire.tools.finding import find
from groundwire.tools.glob_pattern import escape
from groundwire.tools.matching import Edit, Reason, Refusal, Strategy, find_edit
from groundwire.tools.node_errors import node_message
from groundwire.tools.patch import Change
from groundwire.tools.placeholders import omission_placeholders
from groundwire.tools.places import file_place
from groundwire.tools.short_path import short_path
from groundwire.workspace.boundary import WorkspacePath
from groundwire.workspace.encodings import UTF_8
from groundwire.workspace.ignore import Ignore
from groundwire.workspace.textfile import TextFile, read_text

_PLACEHOLDER = (
    "`new_string` contains an omission placeholder (for example 'rest of methods ...'). "
    "Provide exact literal replacement text."
)
_OLD = string(
    "The text to replace, word for word and unescaped, with enough unchanged lines around it that it stands "
    "in the file only once. Empty to create a new file."
)
_NEW = string(
    "The text to put in its place, word for word and unescaped. Placeholders for left-out code, such as "
    "'(rest of methods ...)' or 'unchanged code', are refused."
)
_CURRENT = Declaration(
    "replace",
    "Replaces text in a file. Exactly one occurrence of `old_string` is expected, unless `allow_multiple` is "
    "true. Small differences in blanks, indentation and quotes are forgiven; when two places could be meant, "
    "nothing is changed and the nearest places are shown. The user may change `new_string` before it is "
    "written; the answer then says so.",
    parameters(
        required=("file_path", "instruction", "old_string", "new_string"),
        file_path=string("The path to the file to modify."),
        instruction=string("What the change is for: why, where and what, in one or two clear sentences."),
        old_string=_OLD,
        new_string=_NEW,
        allow_multiple=boolean("Replace every occurrence of `old_string`. Defaults to false: exactly one."),
    ),
)
_CLASSIC = Declaration(
    "replace",
    "Replaces text in a file: every occurrence of `old_string`. Give `expected_replacements` to be sure of "
    "their number. Small differences in blanks, indentation and quotes are forgiven; when the place is not "
    "certain, nothing is changed and the nearest places are shown.",
    parameters(
        required=("file_path", "old_string", "new_string"),
        file_path=string("The absolute path to the file to modify."),
        old_string=_OLD,
        new_string=_NEW,
        expected_replacements=integer("How many occurrences must be replaced.", minimum=1),
    ),
)
MOST_SUGGESTIONS = 3
MOST_DIRECTORIES = 2000
"""How many directories are looked into for a file of the same name."""


class Replace:
    """Replaces text in one file."""

    writes = True
    journaled = True

    def declaration(self, dialect: Dialect) -> Declaration | None:
        """The tool in `dialect`."""
        return {Dialect.CURRENT: _CURRENT, Dialect.CLASSIC: _CLASSIC}.get(dialect)

    def run(self, arguments: Arguments, context: ToolContext) -> PlannedWrite:
        """Plan the edit the arguments ask for."""
        path, old, new = arguments["file_path"], arguments["old_string"], arguments["new_string"]
        if not path:
            raise invalid("The 'file_path' parameter must be non-empty.")
        where = file_place(context, path)
        if set(omission_placeholders(new)) - set(omission_placeholders(old)):
            raise invalid(_PLACEHOLDER)
        file = editable(context, where)
        if file is None:
            if old:
                raise _missing(context, where)
            return _creation(where, new)
        if not old:
            raise ToolError(
                f"File already exists, cannot create: {where.absolute}",
                kind=ErrorType.ATTEMPT_TO_CREATE_EXISTING_FILE,
                display="Error: Failed to edit. Attempted to create a file that already exists.",
            )
        edit = _decided(file.text, arguments, context.dialect)
        return PlannedWrite(
            place=where,
            before=file.data,
            after=file.encode(edit.text),
            seen=file.fingerprint,
            old_text=file.text,
            new_text=edit.text,
            finish=lambda: _result(where, file.text, edit),
            explain=lambda error: unwritable(where, error),
        )


# -- deciding -------------------------------------------------------------------------------------------


def _decided(text: str, arguments: Arguments, dialect: Dialect) -> Edit:
    old, new, path = arguments["old_string"], arguments["new_string"], arguments["file_path"]
    if dialect is Dialect.CLASSIC:
        return _all_occurrences(text, old, new, path, arguments.get("expected_replacements"))
    outcome = find_edit(text, old, new, multiple=arguments.get("allow_multiple", False))
    if isinstance(outcome, Refusal):
        raise refused(outcome, dialect, path)
    return outcome


def _all_occurrences(text: str, old: str, new: str, path: str, expected: int | None) -> Edit:
    """Every exact occurrence; of places found less strictly one, or as many as were expected."""
    outcome = find_edit(text, old, new, multiple=True)
    if isinstance(outcome, Refusal) and outcome.reason is Reason.NOT_FOUND:
        outcome = find_edit(text, old, new)  # a typo is forgiven in one place only
    if isinstance(outcome, Refusal):
        if expected not in (None, outcome.found) and outcome.reason is Reason.NO_CHANGE:
            raise mismatch(outcome, Dialect.CLASSIC, path, expected)
        raise refused(outcome, Dialect.CLASSIC, path, expected)
    found = len(outcome.places)
    loose = outcome.strategy is not Strategy.EXACT and found > 1
    if expected not in (None, found) or (expected is None and loose):
        lines = ", ".join(str(place.first) for place in outcome.places[:20])
        places = Refusal(Reason.AMBIGUOUS, f"lines {lines}", found)
        raise mismatch(places, Dialect.CLASSIC, path, expected)
    return outcome


# -- the file -------------------------------------------------------------------------------------------


def editable(context: ToolContext, where: WorkspacePath) -> TextFile | None:
    """The text of a file to be edited; None when there is no file. A ToolError when it cannot be read."""
    try:
        return read_text(context.workspace, where)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.EISDIR:
            message = "EISDIR: illegal operation on a directory, read"
        else:
            message = node_message(error, "open", where.absolute)
        raise _unprepared(message) from None
    except ToolError as error:
        raise _unprepared(error.message) from None


def _unprepared(message: str) -> ToolError:
    told = f"Error preparing edit: {message}"
    return ToolError(message, kind=ErrorType.EDIT_PREPARATION_FAILURE, llm_content=told, display=told)


def _missing(context: ToolContext, where: WorkspacePath) -> ToolError:
    message = f"File not found: {where.absolute}"
    same_name = _same_name(context, where)
    if same_name:
        message += f". Files of that name: {', '.join(same_name)}"
    return ToolError(
        message,
        kind=ErrorType.FILE_NOT_FOUND,
        display="Error: File not found. Cannot apply edit. Use an empty old_string to create a new file.",
    )


def _same_name(context: ToolContext, where: WorkspacePath) -> list[str]:
    """Files elsewhere whose path ends like the one that is missing."""
    workspace = context.workspace
    root = workspace.resolve(workspace.root)
    ignore = Ignore(workspace, git=context.git_ignore, gemini=context.gemini_ignore)
    pattern = f"**/{escape(where.relative)}"
    entered = count()
    found = find(
        workspace,
        root,
        [pattern],
        ignore=ignore,
        ignore_case=False,
        cancelled=lambda: context.cancelled() or next(entered) > MOST_DIRECTORIES,
    )
    return sorted(file.path for file in found.shown[:MOST_SUGGESTIONS])


def _creation(where: WorkspacePath, content: str) -> PlannedWrite:
    told = f"Created new file: {where.absolute} with provided content. Here is the updated code:\n{content}"
    return new_file(where, content, ToolResult(told, f"Created {short_path(where.relative)}"))


def new_file(where: WorkspacePath, content: str, result: ToolResult) -> PlannedWrite:
    """The plan to create a file, telling `result` when it is there."""
    return PlannedWrite(
        place=where,
        before=None,
        after=UTF_8.encode(content),
        seen=None,
        old_text="",
        new_text=content,
        finish=lambda: result,
        explain=lambda error: unwritable(where, error),
    )


# -- telling --------------------------------------------------------------------------------------------


def _result(where: WorkspacePath, old: str, edit: Edit) -> ToolResult:
    # Line endings are not part of what changed, so both sides are compared without CR.
    change = Change(old.replace("\r\n", "\n"), edit.text.replace("\r\n", "\n"))
    return ToolResult(
        f"Successfully modified file: {where.absolute} ({len(edit.places)} replacements). "
        f"Here is the updated code:\n{change.snippet()}{remark(edit)}",
        change.display(where.absolute, is_new_file=False),
    )


def unwritable(where: WorkspacePath, error: OSError) -> ToolError:
    """How an edit words an error of the disk."""
    message = node_message(error, "open", where.absolute)
    return ToolError(
        message,
        kind=ErrorType.FILE_WRITE_FAILURE,
        llm_content=f"Error executing edit: {message}",
        display=f"Error writing file: {message}",
    )


REPLACE = Replace()
