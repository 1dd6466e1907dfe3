"""A host's file that holds entries of ours among its owner's: what it says with them, and without them.

What goes wrong is told with the file and the line, once, here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from groundwire.characters import sendable
from groundwire.errors import CannotInstall
from groundwire.integrations.install import jsonc, toml
from groundwire.integrations.install.insertion import CannotEdit
from groundwire.integrations.install.parts import Entry, is_ours
from groundwire.integrations.install.record import EntryRecord

_EDITORS: Mapping[str, ModuleType] = {"json": jsonc, "toml": toml}


def decoded(file: Path, content: bytes) -> str:
    """The text of a file, byte order mark and line ends included."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CannotInstall(f"{file}:{line}: not valid UTF-8 text, so it was left alone") from None


def _can_be_written(value: Mapping[str, object]) -> bool:
    """Whether the value is text throughout; an escape in a host's file may stand for half a character."""
    words = json.dumps(value, ensure_ascii=False, default=str)
    return sendable(words) == words


@dataclass(frozen=True, slots=True)
class HostFile:
    """The file, and how its texts are read and edited. Every method takes a text and gives another."""

    file: Path
    format: str

    def says(self, text: str) -> dict[str, object]:
        """What the text says."""
        try:
            document: dict[str, object] = _EDITORS[self.format].parse(text)
        except CannotEdit as refused:
            raise self._cannot(refused) from None
        return document

    def holds(self, text: str, entry: Entry) -> bool:
        """Whether all that an entry wants is there; what the owner put beside it does not count."""
        found = jsonc.look_up(self.says(text), entry.path)
        return isinstance(found, Mapping) and all(found.get(key) == one for key, one in entry.value.items())

    def holds_of_others(self, text: str, entry: Entry, known: Sequence[EntryRecord]) -> bool:
        """Whether something is in an entry's place that is not ours: neither by its look nor remembered."""
        found = jsonc.look_up(self.says(text), entry.path)
        ours = is_ours(found) or any(one.path == entry.path and one.value == found for one in known)
        return found is not None and not ours

    def kept_beside(self, text: str, entry: Entry) -> Mapping[str, object]:
        """The entry's value, and what the owner has put beside it in an entry of ours."""
        found = jsonc.look_up(self.says(text), entry.path)
        return {**found, **entry.value} if isinstance(found, Mapping) and is_ours(found) else entry.value

    def with_entry(self, text: str, entry: Entry, value: Mapping[str, object]) -> tuple[str, EntryRecord]:
        """The text with the entry, and what to remember of it."""
        try:
            if not _can_be_written(value):
                line = _EDITORS[self.format].line_of(text, entry.path)
                raise CannotEdit("what you put beside our entry holds half a character", line)
            added = _EDITORS[self.format].add(text, entry.path, value)
        except CannotEdit as refused:
            raise self._cannot(refused) from None
        return added.text, EntryRecord(entry.path, dict(value), added.insertions, added.made, entry.secret)

    def without_remembered(self, text: str, entries: Sequence[EntryRecord]) -> str:
        """The text without entries that we remember, unless their owner made something else of them.

        The last one that was added goes first, so that the places of the others still hold.
        """
        for entry in reversed(entries):
            found = jsonc.look_up(self.says(text), entry.path)
            if not is_ours(found) and found != entry.value:
                continue
            try:
                text = _EDITORS[self.format].remove(text, entry.path, entry.pieces, entry.made)
            except CannotEdit as refused:
                raise self._cannot(refused) from None
        return text

    def without_ours(self, text: str, entries: Sequence[Entry]) -> str:
        """The text without entries that are ours though we do not remember putting them there."""
        for entry in entries:
            if not is_ours(jsonc.look_up(self.says(text), entry.path)):
                continue
            try:
                text = _EDITORS[self.format].remove(text, entry.path)
            except CannotEdit as refused:
                raise self._cannot(refused) from None
        return text

    def place_of(self, text: str, entry: Entry) -> str:
        """Where an entry stands, for a message."""
        return f"{self.file}:{_EDITORS[self.format].line_of(text, entry.path)}"

    def _cannot(self, refused: CannotEdit) -> CannotInstall:
        place = self.file if refused.line is None else f"{self.file}:{refused.line}"
        return CannotInstall(
            f"{place}: {refused.reason}", hint="The file was left alone. Mend it, then run this again."
        )
