"""A model that replays a task's reference fix through whichever toolset it is given.

It looks at the files, reads each one it must change, makes the edits and says that it is done. In a variant
with a mistake, the first call of each edit has that mistake. When a call is refused it does what a model
does: reads the file again, then calls again, this time with the exact text. It never looks at anything but
the answers of the tools, so a toolset that reports success for a wrong edit is believed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import msgspec

from groundwire.agent.model import Hear, Prompt
from groundwire.agent.reply import Reply, ReplyReader
from groundwire.errors import UsageError
from groundwire.evaluation.edits import Edit, by_path, whole_file
from groundwire.evaluation.mistakes import EXACT, STRING_MISTAKES, VARIANTS, Strings
from groundwire.evaluation.reference import Reference

FAMILY = "replay"
CHARACTERS_PER_TOKEN = 4
"""Tokens are estimated, not counted: this model has none."""
DONE = "The change is made."

Call = tuple[str, dict[str, Any]]


def is_replay(model: str) -> bool:
    """Whether a model's name means this one."""
    return model.partition(":")[0] == FAMILY


def variants_of(model: str) -> list[str]:
    """The models behind a name: `replay` is every variant, `replay:typo` one. Raises UsageError."""
    _, _, variant = model.partition(":")
    if not variant:
        return [f"{FAMILY}:{name}" for name in VARIANTS]
    if variant not in VARIANTS:
        known = ", ".join(VARIANTS)
        raise UsageError(
            f"There is no variant '{variant}' of the replay model.", hint=f"The variants are: {known}."
        )
    return [model]


def applies(model: str, reference: Reference) -> bool:
    """Whether a variant can be played on a fix: at least one edit must be able to have the mistake."""
    variant = model.partition(":")[2] or EXACT
    mistake = STRING_MISTAKES.get(variant)
    edits = [edit for edit in reference.edits if not edit.creates]
    if mistake is not None:
        return any(mistake(edit) for edit in edits)
    return bool(reference.edits if variant == EXACT else edits)


class ReplayModel:
    """The reference fix of one task, replayed once."""

    def __init__(self, reference: Reference, model: str) -> None:
        self.name = model
        self._variant = model.partition(":")[2] or EXACT
        self._reference = reference
        self._calls: Iterator[Call] | None = None
        self._refused = False

    async def reply(self, prompt: Prompt, hear: Hear) -> Reply:
        """The next call, or the last words."""
        if self._calls is None:
            dialect = dialect_among(prompt.declarations)
            self._calls = self._played(dialect)
        self._refused = _was_refused(prompt)
        call = next(self._calls, None)
        part = {"text": DONE} if call is None else {"functionCall": {"name": call[0], "args": call[1]}}
        if call is None:
            hear(DONE)
        reader = ReplyReader()
        reader.add(_response(part, prompt))
        return reader.finish()

    def _played(self, tools: Dialect) -> Iterator[Call]:
        """All calls in order; after each, `_refused` tells how it went."""
        yield tools.look_around()
        for path, edits in by_path(self._reference.edits):
            if edits[0].creates:
                yield tools.create(path, edits[0].content)
                continue
            yield tools.read(path)
            if self._variant == "whole-file":
                yield tools.create(path, whole_file(edits, self._reference.before[path]))
                if not self._refused:
                    continue
            for edit in edits:
                yield self._first_try(edit, tools)
                if self._refused:
                    yield tools.read(path)
                    yield tools.edit(edit, Strings(edit.old, edit.new))

    def _first_try(self, edit: Edit, tools: Dialect) -> Call:
        right = Strings(edit.old, edit.new)
        mistake = STRING_MISTAKES.get(self._variant)
        if self._variant == "line-numbers" and not tools.shows_line_numbers:
            return tools.edit(edit, right)  # there are no numbers to copy
        if mistake is not None:
            return tools.edit(edit, mistake(edit) or right)
        if self._variant == "wrong-path":
            stem, dot, suffix = edit.path.rpartition(".")
            return tools.edit(edit, right, path=f"{stem}s{dot}{suffix}" if dot else f"{edit.path}s")
        if self._variant == "other-dialect":
            return tools.edit_in_other_dialect(edit, right)
        return tools.edit(edit, right)


class Dialect(ABC):
    """How one toolset is called."""

    shows_line_numbers = False

    @abstractmethod
    def look_around(self) -> Call:
        """List the files."""

    @abstractmethod
    def read(self, path: str) -> Call:
        """Read a file."""

    @abstractmethod
    def create(self, path: str, content: str) -> Call:
        """Write a whole file."""

    @abstractmethod
    def edit(self, edit: Edit, strings: Strings, path: str | None = None) -> Call:
        """Replace a text."""

    @abstractmethod
    def edit_in_other_dialect(self, edit: Edit, strings: Strings) -> Call:
        """Replace a text, with the parameters of the other toolset."""


class GeminiDialect(Dialect):
    """The tools of Gemini CLI, classic or current."""

    def __init__(self, *, current: bool) -> None:
        self._current = current

    def look_around(self) -> Call:
        """List the files."""
        return "glob", {"pattern": "**/*"}

    def read(self, path: str) -> Call:
        """Read a file."""
        return "read_file", {"file_path" if self._current else "path": path}

    def create(self, path: str, content: str) -> Call:
        """Write a whole file."""
        return "write_file", {"file_path": path, "content": content}

    def edit(self, edit: Edit, strings: Strings, path: str | None = None) -> Call:
        """Replace a text."""
        why = {"instruction": "Apply the fix."} if self._current else {}
        return "replace", {
            "file_path": path or edit.path, **why, "old_string": strings.old, "new_string": strings.new
        }  # fmt: skip

    def edit_in_other_dialect(self, edit: Edit, strings: Strings) -> Call:
        """Replace a text, with the parameters of the other toolset."""
        return "replace", {"path": edit.path, "old_str": strings.old, "new_str": strings.new}


class LegacyDialect(Dialect):
    """The one tool with commands."""

    shows_line_numbers = True

    def look_around(self) -> Call:
        """List the files."""
        return "str_replace_editor", {"command": "view", "path": "."}

    def read(self, path: str) -> Call:
        """Read a file."""
        return "str_replace_editor", {"command": "view", "path": path}

    def create(self, path: str, content: str) -> Call:
        """Write a whole file."""
        return "str_replace_editor", {"command": "create", "path": path, "file_text": content}

    def edit(self, edit: Edit, strings: Strings, path: str | None = None) -> Call:
        """Replace a text."""
        return "str_replace_editor", {
            "command": "str_replace", "path": path or edit.path,
            "old_str": strings.old, "new_str": strings.new,
        }  # fmt: skip

    def edit_in_other_dialect(self, edit: Edit, strings: Strings) -> Call:
        """Replace a text, with the parameters of the other toolset."""
        return "str_replace_editor", {
            "command": "str_replace", "file_path": edit.path,
            "old_string": strings.old, "new_string": strings.new,
        }  # fmt: skip


def dialect_among(declarations: object) -> Dialect:
    """The toolset a model was given, told by its declarations."""
    assert isinstance(declarations, list | tuple)
    by_name = {declaration["name"]: declaration for declaration in declarations}
    if "replace" not in by_name:
        return LegacyDialect()
    return GeminiDialect(current="instruction" in by_name["replace"]["parameters"]["properties"])


def _was_refused(prompt: Prompt) -> bool:
    """Whether the newest answer of a tool is an error."""
    parts = prompt.history[-1]["parts"]
    return any(
        "error" in part["functionResponse"]["response"] for part in parts if "functionResponse" in part
    )


def _response(part: dict[str, Any], prompt: Prompt) -> dict[str, Any]:
    """The reply as Gemini would send it, with the tokens that its texts come to, roughly."""
    size = len(prompt.instructions) + len(msgspec.json.encode([prompt.history, prompt.declarations]))
    given, made = size // CHARACTERS_PER_TOKEN, len(msgspec.json.encode(part)) // CHARACTERS_PER_TOKEN
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": given, "totalTokenCount": given + made},
    }
