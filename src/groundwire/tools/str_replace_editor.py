"""str_replace_editor: one tool with five commands, for models that know no Gemini tools.

`view` shows a file with line numbers, or a directory two levels deep; `create`, `str_replace` and `insert`
change one file; `undo_edit` takes the last change of a file back.
"""

from __future__ import annotations

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
from groundwire.tools.declaring import integer, parameters, string
from groundwire.tools.edit_texts import nearest, remark
from groundwire.tools.matching import Edit, Reason, Refusal, find_edit
from groundwire.tools.matching.document import Document
from groundwire.tools.numbered_view import directory_view, numbered, snippet_of
from groundwire.tools.places import file_place
from groundwire.tools.replace import editable, new_file, unwritable
from groundwire.workspace.boundary import WorkspacePath
from groundwire.workspace.textfile import TextFile

COMMANDS = ("view", "create", "str_replace", "insert", "undo_edit")
_REVIEW = "Review the changes and make sure they are as expected. Edit the file again if necessary."
_VIEW_RANGE = {
    "type": "array",
    "items": {"type": "integer"},
    "description": "For `view` of a file: first and last line, from 1; -1 as last means the end.",
}
_DECLARATION = Declaration(
    "str_replace_editor",
    "Views, creates and edits files.\n"
    "* `view` shows a file with line numbers, or the files of a directory up to two levels deep.\n"
    "* `create` makes a new file and never overwrites one.\n"
    "* `str_replace` replaces `old_str`, which must stand in the file exactly once, by `new_str`. Include "
    "enough unchanged lines to make it unique, and no line numbers.\n"
    "* `insert` puts `new_str` after the line `insert_line`.\n"
    "* `undo_edit` takes back the last change of the file.",
    parameters(
        required=("command", "path"),
        command={"type": "string", "enum": list(COMMANDS), "description": "What to do."},
        path=string("The path of the file or directory."),
        file_text=string("For `create`: the content of the new file."),
        old_str=string("For `str_replace`: the text to replace, word for word."),
        new_str=string("For `str_replace`: the new text, nothing when left out. For `insert`: new lines."),
        insert_line=integer("For `insert`: the line after which to insert; 0 is the start.", minimum=0),
        view_range=_VIEW_RANGE,
    ),
)
_VIEWER = Declaration(
    "str_replace_editor",
    "Shows a file with line numbers, or the files of a directory up to two levels deep.",
    parameters(
        required=("command", "path"),
        command={"type": "string", "enum": ["view"], "description": "What to do."},
        path=string("The path of the file or directory."),
        view_range=_VIEW_RANGE,
    ),
)


class StrReplaceViewer:
    """The command `view` alone, for toolsets that may not write."""

    writes = False

    def declaration(self, dialect: Dialect) -> Declaration | None:
        """The tool in `dialect`."""
        return _VIEWER if dialect is Dialect.LEGACY else None

    def run(self, arguments: Arguments, context: ToolContext) -> ToolResult:
        """Carry out a view."""
        if not arguments["path"]:
            raise invalid("The 'path' parameter must be non-empty.")
        return _view(arguments, context, file_place(context, arguments["path"]))


class StrReplaceEditor:
    """Views and edits files by command."""

    writes = True
    journaled = True

    def declaration(self, dialect: Dialect) -> Declaration | None:
        """The tool in `dialect`."""
        return _DECLARATION if dialect is Dialect.LEGACY else None

    def run(self, arguments: Arguments, context: ToolContext) -> ToolResult | PlannedWrite:
        """Carry out a view, or plan the change the command asks for."""
        command = arguments["command"]
        if not arguments["path"]:
            raise invalid("The 'path' parameter must be non-empty.")
        where = file_place(context, arguments["path"])
        if command == "view":
            return _view(arguments, context, where)
        if command == "create":
            return _create(arguments, context, where)
        if command == "undo_edit":
            return _undo(context, where)
        file = editable(context, where)
        if file is None:
            raise ToolError(f"File not found: {where.absolute}", kind=ErrorType.FILE_NOT_FOUND)
        if command == "str_replace":
            return _str_replace(arguments, where, file)
        if command == "insert":
            return _insert(arguments, where, file)
        raise invalid(f"Unknown command '{command}'. The commands are: {', '.join(COMMANDS)}.")


def _needed(arguments: Arguments, name: str) -> str:
    value = arguments.get(name)
    if value is None:
        raise invalid(f"The command `{arguments['command']}` needs the parameter `{name}`.")
    return str(value)


# -- the commands ---------------------------------------------------------------------------------------


def _view(arguments: Arguments, context: ToolContext, where: WorkspacePath) -> ToolResult:
    shown = directory_view(context, where)
    if shown is not None:
        return ToolResult(shown)
    file = editable(context, where)
    if file is None:
        raise ToolError(f"File not found: {where.absolute}", kind=ErrorType.FILE_NOT_FOUND)
    lines = Document(file.text).lines
    first, last = _range(arguments.get("view_range"), len(lines))
    return ToolResult(numbered(where.absolute, lines, first, last))


def _range(asked: list[int] | None, count: int) -> tuple[int, int]:
    if asked is None:
        return 1, count
    if len(asked) != 2:
        raise invalid("`view_range` must hold two line numbers.")
    first, last = asked
    last = count if last == -1 else last
    if not 1 <= first <= max(1, count):
        raise invalid(f"`view_range` starts at line {first}, but the file has the lines 1 to {count}.")
    if last < first:
        raise invalid(f"`view_range` ends at line {last}, before it starts at line {first}.")
    return first, min(last, count)


def _create(arguments: Arguments, context: ToolContext, where: WorkspacePath) -> PlannedWrite:
    content = _needed(arguments, "file_text")
    try:
        exists = context.workspace.exists(where)
    except OSError as error:  # a name that is too long for the disk, a folder that may not be read
        raise unwritable(where, error) from error
    if exists:
        raise ToolError(
            f"File already exists at: {where.absolute}. Cannot overwrite files using command `create`.",
            kind=ErrorType.ATTEMPT_TO_CREATE_EXISTING_FILE,
        )
    return new_file(where, content, ToolResult(f"File created successfully at: {where.absolute}"))


def _str_replace(arguments: Arguments, where: WorkspacePath, file: TextFile) -> PlannedWrite:
    old, new = _needed(arguments, "old_str"), str(arguments.get("new_str") or "")
    if not old:
        raise invalid("`old_str` is empty. Use `insert` to add text, or `create` for a new file.")
    outcome = find_edit(file.text, old, new)
    if isinstance(outcome, Refusal):
        raise _refused(outcome, where)
    return _edited(where, file, outcome.text, outcome)


def _refused(refusal: Refusal, where: WorkspacePath) -> ToolError:
    if refusal.reason in (Reason.NO_CHANGE, Reason.ALREADY_DONE):
        message = f"No replacement was performed: {refusal.explanation}."
        return ToolError(message, kind=ErrorType.EDIT_NO_CHANGE)
    if refusal.reason is Reason.AMBIGUOUS:
        message = (
            f"No replacement was performed. `old_str` must be unique in {where.absolute}, but "
            f"{refusal.explanation.replace('old_string', 'it')}. Include more of the lines around it."
        )
        return ToolError(message, kind=ErrorType.EDIT_EXPECTED_OCCURRENCE_MISMATCH)
    message = f"No replacement was performed, `old_str` did not appear verbatim in {where.absolute}."
    if refusal.reason is Reason.UNCERTAIN:
        message += f"\nA similar place was found but not edited: {refusal.explanation}."
    return ToolError(message + nearest(refusal.candidates), kind=ErrorType.EDIT_NO_OCCURRENCE_FOUND)


def _insert(arguments: Arguments, where: WorkspacePath, file: TextFile) -> PlannedWrite:
    document = Document(file.text)
    line = int(_needed(arguments, "insert_line"))
    if line > len(document.lines):
        raise invalid(f"`insert_line` is {line}, but the file has the lines 1 to {len(document.lines)}.")
    new = _needed(arguments, "new_str").replace("\r\n", "\n")
    ending = (document.ending(line - 1) if line else "") or document.usual_ending
    body = new.removesuffix("\n").replace("\n", ending)
    at = document.starts[line] if document.lines else 0
    before, after = file.text[:at], file.text[at:]
    if before and not before.endswith("\n"):  # the last line had no ending; the new last line has none
        return _edited(where, file, before + ending + body)
    return _edited(where, file, before + body + ending + after)


def _undo(context: ToolContext, where: WorkspacePath) -> PlannedWrite:
    if context.journal is None:
        raise ToolError(
            "This toolset keeps no journal, so nothing can be undone.", kind=ErrorType.EXECUTION_FAILED
        )
    return context.journal.take_back(where)


def _edited(where: WorkspacePath, file: TextFile, text: str, edit: Edit | None = None) -> PlannedWrite:
    def told() -> ToolResult:
        snippet = snippet_of(where.absolute, file.text, text)
        said = "" if edit is None else remark(edit)
        return ToolResult(f"The file {where.absolute} has been edited. {snippet}\n{_REVIEW}{said}")

    return PlannedWrite(
        place=where,
        before=file.data,
        after=file.encode(text),
        seen=file.fingerprint,
        old_text=file.text,
        new_text=text,
        finish=told,
        explain=lambda error: unwritable(where, error),
    )


STR_REPLACE_VIEWER = StrReplaceViewer()
STR_REPLACE_EDITOR = StrReplaceEditor()
