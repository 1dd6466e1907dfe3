"""What `replace` says when it edits and when it refuses, in the words of each dialect.

The first sentences are those of Gemini CLI (0.61.0 for `current`, 0.1.9 for `classic`). What follows them,
the nearest candidates and the reason, is ours: it is there so that the next call succeeds.
"""

from __future__ import annotations

from groundwire.errors import ToolError
from groundwire.tools.base import Dialect, ErrorType
from groundwire.tools.matching import Candidate, Edit, Reason, Refusal, Strategy

_LOOK_AGAIN = (
    " If previous edits modified the file or you are modifying lines outside your recent read window, please "
    "use ReadFile to inspect the target lines before retrying with an exact 'old_string'."
)
_CLASSIC_NOT_FOUND = (
    "Failed to edit, 0 occurrences found for old_string in {path}. No edits made. The exact text in "
    "old_string was not found. Ensure you're not escaping content incorrectly and check whitespace, "
    "indentation, and context. Use read_file tool to verify."
)


def refused(refusal: Refusal, dialect: Dialect, path: str, expected: int | None = None) -> ToolError:
    """The error of an edit that was not made. `path` is the file as the caller named it."""
    if refusal.reason is Reason.NO_CHANGE:
        return no_change("The old_string and new_string are identical", f" in file: {path}")
    if refusal.reason is Reason.ALREADY_DONE:
        return no_change("The file already reads as new_string wants it", f": {path}")
    if refusal.reason is Reason.AMBIGUOUS:
        return mismatch(refusal, dialect, path, expected)
    return not_found(refusal, dialect, path)


def no_change(why: str, where: str) -> ToolError:
    """The strings ask for what is there."""
    display = f"No changes to apply. {why}."
    return _error(f"No changes to apply. {why}{where}", display, ErrorType.EDIT_NO_CHANGE)


def mismatch(refusal: Refusal, dialect: Dialect, path: str, expected: int | None) -> ToolError:
    """There are more places, or fewer, than the caller spoke of."""
    wanted = 1 if expected is None else expected
    found = f"{wanted} {'occurrence' if wanted == 1 else 'occurrences'} but found {refusal.found}"
    message = f"Failed to edit, Expected {found} for old_string in file: {path}"
    if dialect is not Dialect.CLASSIC:
        message += ". If you intended to replace multiple occurrences, set 'allow_multiple' to true."
    if refusal.explanation:
        message += f"\nThe places: {refusal.explanation.removeprefix('old_string fits at ')}."
    kind = ErrorType.EDIT_EXPECTED_OCCURRENCE_MISMATCH
    return _error(message, f"Failed to edit, expected {found}.", kind)


def not_found(refusal: Refusal, dialect: Dialect, path: str) -> ToolError:
    """No place is certain; the nearest are shown."""
    if dialect is Dialect.CLASSIC:
        message = _CLASSIC_NOT_FOUND.format(path=path)
        display = "Failed to edit, could not find the string to replace."
    else:
        message = f"Could not find an exact match for 'old_string' in '{path}'.{_LOOK_AGAIN}"
        display = f"Could not find an exact match for old_string in '{path}'."
    if refusal.reason is Reason.UNCERTAIN:
        message += f"\nA similar place was found but not edited: {refusal.explanation}."
    return _error(message + nearest(refusal.candidates), display, ErrorType.EDIT_NO_OCCURRENCE_FOUND)


def nearest(candidates: tuple[Candidate, ...]) -> str:
    """The candidates, each with its lines and what differs."""
    if not candidates:
        return ""
    shown = "".join(f"\nLines {candidate.place}:\n{candidate.difference}" for candidate in candidates)
    return f"\nThe nearest text in the file ('-' is old_string, '+' is the file):{shown}"


def remark(edit: Edit) -> str:
    """What the model should know about how the place was found; empty for an ordinary match."""
    said = ""
    if edit.strategy is Strategy.TYPO:
        word = "line" if len(edit.places) == 1 else "lines"
        said += f" Applied fuzzy match at {word} {', '.join(f'{p.first}-{p.last}' for p in edit.places)}."
    if edit.undecorated:
        said += f" Applied without {edit.undecorated} in old_string and new_string."
    return said


def _error(message: str, display: str, kind: ErrorType) -> ToolError:
    return ToolError(message, kind=kind, display=f"Error: {display}")
