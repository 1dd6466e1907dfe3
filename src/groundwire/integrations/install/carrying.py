"""Installing from end to end: the plan for a host, its changes carried out, and what is remembered of them.

When a file in the middle cannot be written, those before it stay changed and are remembered, so that running
the command again goes on from there and --uninstall takes everything back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from groundwire.errors import CannotInstall
from groundwire.integrations.install import disk
from groundwire.integrations.install.hosts import Host
from groundwire.integrations.install.machine import Machine
from groundwire.integrations.install.parts import Wish
from groundwire.integrations.install.plan import FileChange, Plan, Read, plan_install, plan_uninstall
from groundwire.integrations.install.record import FileRecord, Installation, decode, encode, record_path
from groundwire.version import __version__


@dataclass(frozen=True, slots=True)
class Done:
    """What was carried out: the changes, and the copies of what was there before."""

    changes: tuple[FileChange, ...]
    backups: tuple[str, ...]


def remembered(host: Host, machine: Machine, wish: Wish) -> Installation | None:
    """The installation in this host (and project) that we remember."""
    return decode(disk.read(_record(host, machine, wish)))


def planned(
    host: Host, machine: Machine, wish: Wish, known: Installation | None, *, uninstall: bool, read: Read
) -> Plan:
    """What changes."""
    parts = host.parts(machine, wish)
    return (plan_uninstall if uninstall else plan_install)(parts, known, read)


def carry_out(
    host: Host,
    machine: Machine,
    wish: Wish,
    plan: Plan,
    known: Installation | None,
    *,
    uninstall: bool,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Done:
    """Make the changes, one file after another, and remember them."""
    backups = machine.state_dir / "backups" / host.name
    records: dict[str, FileRecord] = {one.file: one for one in (known.files if known else ())}
    kept: list[str] = []
    folders: list[str] = []
    try:
        for change in plan.changes:
            record = disk.carry_out(change, backups, now())
            is_out = uninstall or change.after is None
            if is_out:
                records.pop(str(change.file), None)
                kept += disk.forget_backups(record, change.file) if record else ()
                folders += record.folders if record else ()
            elif record is not None:
                records[str(change.file)] = record
                kept += record.backups if change.is_change else ()
    finally:
        _remember(host, machine, wish, tuple(records.values()))
        state = machine.state_dir
        disk.remove_empty([*folders, backups, backups.parent, state / "installed", state])
    return Done(tuple(change for change in plan.changes if change.is_change), tuple(kept))


def _record(host: Host, machine: Machine, wish: Wish) -> Path:
    return record_path(machine.state_dir, host.name, machine.project if wish.project else None)


def _remember(host: Host, machine: Machine, wish: Wish, files: tuple[FileRecord, ...]) -> None:
    path = _record(host, machine, wish)
    try:
        if not files:
            path.unlink(missing_ok=True)
            return
        project = str(machine.project) if wish.project else None
        installation = Installation(host.name, project, wish.command, __version__, files)
        disk.write_privately(path, encode(installation))
    except OSError as error:
        raise CannotInstall(f"{path} cannot be written: {error.strerror or error}.") from None
