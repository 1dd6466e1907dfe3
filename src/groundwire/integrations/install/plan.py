"""Deciding what installing or uninstalling changes: texts before and after, file by file. Nothing is written.

Installing starts from the file without what is remembered of us, and adds what is wanted now; so installing
twice changes nothing, and a new version or another path replaces the old one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from groundwire.errors import CannotInstall
from groundwire.integrations.install.host_file import HostFile, decoded
from groundwire.integrations.install.parts import Entry, OwnFile, Part
from groundwire.integrations.install.record import EntryRecord, FileRecord, Installation

Read = Callable[[Path], bytes | None]
"""The bytes of a file, or None when there is none."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after; None means that there is no such file."""

    file: Path
    before: bytes | None
    after: bytes | None
    record: FileRecord | None
    """What to remember of it, or was remembered of what goes."""
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
    changes = [
        _with_entries(entries, known.of(file) if known else None, read(file), notes)
        for file, entries in _by_file(part for part in parts if isinstance(part, Entry))
    ]
    changes += [
        _with_own_file(part, known.of(part.file) if known else None, read(part.file))
        for part in parts
        if isinstance(part, OwnFile)
    ]
    wanted = {str(change.file) for change in changes}
    leftover = [one for one in (known.files if known else ()) if one.file not in wanted]
    changes += [_without(one, read(Path(one.file))) for one in leftover]
    return Plan(tuple(changes), tuple(notes))


def plan_uninstall(parts: Sequence[Part], known: Installation | None, read: Read) -> Plan:
    """What has to change so that nothing of ours is left. Without a memory, what looks like ours goes."""
    if known is not None:
        return Plan(tuple(_without(one, read(Path(one.file))) for one in known.files))
    changes: list[FileChange] = []
    for file, entries in _by_file(part for part in parts if isinstance(part, Entry)):
        if (content := read(file)) is not None:
            left = HostFile(file, entries[0].format).without_ours(decoded(file, content), entries)
            changes.append(FileChange(file, content, left.encode("utf-8"), None))
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


def _with_entries(
    entries: list[Entry], known: FileRecord | None, content: bytes | None, notes: list[str]
) -> FileChange:
    """A host's file with our entries in it, as they are wanted now."""
    first = entries[0]
    host_file = HostFile(first.file, first.format)
    secrets = tuple(entry.secret for entry in entries if entry.secret)
    text = first.start if content is None else decoded(first.file, content)
    remembered = known.entries if known else ()
    wanted = [
        entry for entry in entries if not _is_left_to_its_owner(host_file, text, entry, remembered, notes)
    ]
    if content is not None and known is not None and _is_in_place(host_file, text, wanted, known):
        return FileChange(first.file, content, content, known, secrets)
    values = [host_file.kept_beside(text, entry) for entry in wanted]
    text = host_file.without_ours(host_file.without_remembered(text, remembered), wanted)
    records: list[EntryRecord] = []
    for entry, value in zip(wanted, values, strict=True):
        text, record = host_file.with_entry(text, entry, value)
        records.append(record)
    created = content is None or (known is not None and known.created)
    return FileChange(
        first.file,
        content,
        text.encode("utf-8"),
        FileRecord(
            file=str(first.file),
            format=first.format,
            created=created,
            folders=known.folders if known else (),
            entries=tuple(records),
            start=first.start if created else "",
            backups=known.backups if known else (),
        ),
        secrets,
    )


def _is_left_to_its_owner(
    host_file: HostFile, text: str, entry: Entry, remembered: Sequence[EntryRecord], notes: list[str]
) -> bool:
    """Whether something else is in the entry's place: noted where we can do without, else refused.

    What says just what we want (put there by the installation in another project) is left without a word.
    """
    if not host_file.holds_of_others(text, entry, remembered):
        return False
    if entry.optional and host_file.holds(text, entry):
        return True
    told = f"{host_file.place_of(text, entry)}: {'.'.join(entry.path)} is there already and"
    if not entry.optional:
        raise CannotInstall(
            f"{told} does not start groundwire", hint="Rename or remove it, then run this again."
        )
    notes.append(f"{told} was left alone.")
    return True


def _is_in_place(host_file: HostFile, text: str, wanted: list[Entry], known: FileRecord) -> bool:
    """Whether the file says all that is wanted already, and we know how to take it out."""
    return {one.path for one in known.entries} == {entry.path for entry in wanted} and all(
        host_file.holds(text, entry) for entry in wanted
    )


def _without(known: FileRecord, content: bytes | None) -> FileChange:
    """The file without what is remembered of us; gone when it was made for us and holds nothing else."""
    file = Path(known.file)
    if content is None:
        return FileChange(file, None, None, None)
    if known.format == "own":
        return FileChange(file, content, None, known, is_as_made=known.start.encode() == content)
    host_file = HostFile(file, known.format)
    left = host_file.without_remembered(decoded(file, content), known.entries)
    is_bare = host_file.says(left) in ({}, host_file.says(known.start))
    after = None if known.created and is_bare else left.encode("utf-8")
    secrets = tuple(entry.secret for entry in known.entries if entry.secret)
    return FileChange(file, content, after, known, secrets)


def _with_own_file(part: OwnFile, known: FileRecord | None, content: bytes | None) -> FileChange:
    """A whole file of ours, in place of an older one of ours."""
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
