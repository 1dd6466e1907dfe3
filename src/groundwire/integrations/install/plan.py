"""Deciding what installing or uninstalling changes: texts before and after, file by file. Nothing is written.

Installing starts from the file without what is remembered of us, and adds what is wanted now; so installing
twice changes nothing, and a new version or another path replaces the old one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from groundwire.errors import CannotInstall
from groundwire.integrations.install import jsonc, toml
from groundwire.integrations.install.insertion import CannotEdit
from groundwire.integrations.install.parts import Entry, OwnFile, Part, is_ours
from groundwire.integrations.install.record import EntryRecord, FileRecord, Installation

Read = Callable[[Path], bytes | None]
"""The bytes of a file, or None when there is none."""

_EDITORS: Mapping[str, ModuleType] = {"json": jsonc, "toml": toml}


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after; None means that there is no such file."""

    file: Path
    before: bytes | None
    after: bytes | None
    record: FileRecord | None
    """What to remember of it; nothing once we are out of it."""
    secrets: tuple[str, ...] = ()
    is_as_made: bool = False
    """Whether it is a whole file of ours, just as we wrote it."""

    @property
    def is_change(self) -> bool:
        """Whether anything is different."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Plan:
    """All changes of one command, and what the person should know besides."""

    changes: tuple[FileChange, ...]
    notes: tuple[str, ...] = ()

    @property
    def is_change(self) -> bool:
        """Whether anything is different."""
        return any(change.is_change for change in self.changes)


def plan_install(parts: Sequence[Part], known: Installation | None, read: Read) -> Plan:
    """What has to change so that all parts are in place, and nothing older of ours is."""
    notes: list[str] = []
    changes: list[FileChange] = []
    for file, entries in _by_file(part for part in parts if isinstance(part, Entry)):
        changes.append(_with_entries(file, entries, known.of(file) if known else None, read(file), notes))
    changes += [
        _with_own_file(part, known.of(part.file) if known else None, read(part.file))
        for part in parts
        if isinstance(part, OwnFile)
    ]
    wanted = {change.file for change in changes}
    leftover = [one for one in (known.files if known else ()) if Path(one.file) not in wanted]
    changes += [_without(one, read(Path(one.file))) for one in leftover]
    return Plan(tuple(changes), tuple(notes))


def plan_uninstall(parts: Sequence[Part], known: Installation | None, read: Read) -> Plan:
    """What has to change so that nothing of ours is left. Without a memory, what looks like ours goes."""
    if known is not None:
        return Plan(tuple(_without(one, read(Path(one.file))) for one in known.files))
    changes: list[FileChange] = []
    for file, entries in _by_file(part for part in parts if isinstance(part, Entry)):
        paths = [entry.path for entry in entries]
        changes.append(_without_unremembered(file, entries[0].format, paths, read(file)))
    for part in parts:
        if isinstance(part, OwnFile) and (content := read(part.file)) is not None:
            mine = part.mark.encode() in content
            changes.append(FileChange(part.file, content, None if mine else content, None))
    return Plan(tuple(changes))


def _by_file(entries: Iterable[Entry]) -> list[tuple[Path, list[Entry]]]:
    found: dict[Path, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.file, []).append(entry)
    return list(found.items())


# Entries in a host's file


def _with_entries(
    file: Path, entries: list[Entry], known: FileRecord | None, content: bytes | None, notes: list[str]
) -> FileChange:
    editor = _EDITORS[entries[0].format]
    secrets = tuple(entry.secret for entry in entries if entry.secret)
    text = None if content is None else decoded(file, content)
    if known is not None and text is not None and _is_in_place(file, editor, entries, known, text):
        return FileChange(file, content, content, known, secrets)
    created = text is None or (known is not None and known.created)
    start = entries[0].start
    values = {entry.path: entry.value for entry in entries}
    if text is None:
        text = start
    else:
        document = _parsed(file, editor, text)
        for entry in entries:
            found = jsonc.look_up(document, entry.path)
            if isinstance(found, Mapping) and is_ours(found):
                values[entry.path] = {**found, **entry.value}  # what the owner put beside it stays
        if known is not None:
            text = _stripped(file, editor, known.entries, text)
        text = _stripped_of_ours(file, editor, entries, text)
    records: list[EntryRecord] = []
    for entry in entries:
        if jsonc.look_up(_parsed(file, editor, text), entry.path) is not None:
            _refuse_or_note(file, editor, entry, text, notes)
            continue
        try:
            added = editor.add(text, entry.path, values[entry.path])
        except CannotEdit as refused:
            raise _cannot(file, refused) from None
        text = added.text
        value = dict(values[entry.path])
        records.append(EntryRecord(entry.path, value, added.insertions, added.made, entry.secret))
    record = FileRecord(
        file=str(file),
        format=entries[0].format,
        created=created,
        folders=known.folders if known else (),
        entries=tuple(records),
        start=start if created else "",
        backups=known.backups if known else (),
    )
    return FileChange(file, content, text.encode("utf-8"), record, secrets)


def _is_in_place(file: Path, editor: ModuleType, entries: list[Entry], known: FileRecord, text: str) -> bool:
    """Whether the file says all that is wanted already, and we know how to take it out."""
    document = _parsed(file, editor, text)
    for entry in entries:
        found = jsonc.look_up(document, entry.path)
        if not isinstance(found, Mapping) or any(found.get(key) != entry.value[key] for key in entry.value):
            return entry.optional and found is not None and not is_ours(found)
    return {one.path for one in known.entries} == {entry.path for entry in entries}


def _refuse_or_note(file: Path, editor: ModuleType, entry: Entry, text: str, notes: list[str]) -> None:
    place = f"{file}:{editor.line_of(text, entry.path)}"
    name = ".".join(entry.path)
    if not entry.optional:
        raise CannotInstall(
            f"{place}: {name} is there already and does not start groundwire",
            hint="Rename or remove it, then run this again.",
        )
    notes.append(f"{place}: {name} is there already and was left alone.")


def _stripped(file: Path, editor: ModuleType, entries: Sequence[EntryRecord], text: str) -> str:
    for entry in reversed(entries):
        try:
            text = editor.remove(text, entry.path, entry.pieces, entry.made)
        except CannotEdit as refused:
            raise _cannot(file, refused) from None
    return text


def _stripped_of_ours(file: Path, editor: ModuleType, entries: list[Entry], text: str) -> str:
    """The text without entries that start groundwire though we do not remember putting them there."""
    for entry in entries:
        found = jsonc.look_up(_parsed(file, editor, text), entry.path)
        if is_ours(found) or found == entry.value:
            try:
                text = editor.remove(text, entry.path)
            except CannotEdit as refused:
                raise _cannot(file, refused) from None
    return text


def _without(known: FileRecord, content: bytes | None) -> FileChange:
    """The file without what is remembered of us; gone when it was made for us and holds nothing else."""
    file = Path(known.file)
    if content is None:
        return FileChange(file, None, None, None)
    if known.format == "own":
        return FileChange(file, content, None, known, is_as_made=known.start.encode() == content)
    editor = _EDITORS[known.format]
    text = decoded(file, content)
    _parsed(file, editor, text)
    left = _stripped(file, editor, known.entries, text)
    secrets = tuple(entry.secret for entry in known.entries if entry.secret)
    document = _parsed(file, editor, left)
    is_bare = not document or document == _parsed(file, editor, known.start)
    if known.created and is_bare:
        return FileChange(file, content, None, known, secrets)
    return FileChange(file, content, left.encode("utf-8"), known, secrets)


def _without_unremembered(
    file: Path, kind: str, paths: Sequence[tuple[str, ...]], content: bytes | None
) -> FileChange:
    if content is None:
        return FileChange(file, None, None, None)
    editor = _EDITORS[kind]
    text = decoded(file, content)
    for path in paths:
        if is_ours(jsonc.look_up(_parsed(file, editor, text), path)):
            text = editor.remove(text, path)
    return FileChange(file, content, text.encode("utf-8"), None)


# Whole files of ours


def _with_own_file(part: OwnFile, known: FileRecord | None, content: bytes | None) -> FileChange:
    if content is not None and known is None and part.mark.encode() not in content:
        raise CannotInstall(
            f"{part.file} is there already and is not groundwire's.",
            hint="Rename or remove it, then run this again.",
        )
    record = FileRecord(
        file=str(part.file),
        format="own",
        created=True,
        folders=known.folders if known else (),
        start=part.content,
        backups=known.backups if known else (),
    )
    is_as_made = known is not None and known.start.encode() == content
    return FileChange(part.file, content, part.content.encode("utf-8"), record, is_as_made=is_as_made)


# Texts


def decoded(file: Path, content: bytes) -> str:
    """The text of a file, byte order mark and line ends included."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CannotInstall(f"{file}:{line}: not valid UTF-8 text, so it was left alone") from None


def _parsed(file: Path, editor: ModuleType, text: str) -> dict[str, object]:
    try:
        document: dict[str, object] = editor.parse(text)
    except CannotEdit as refused:
        raise _cannot(file, refused) from None
    return document


def _cannot(file: Path, refused: CannotEdit) -> CannotInstall:
    place = file if refused.line is None else f"{file}:{refused.line}"
    return CannotInstall(
        f"{place}: {refused.reason}", hint="The file was left alone. Mend it, then run this again."
    )
