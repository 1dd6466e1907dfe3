"""What `groundwire install` prints: the table of hosts, the diffs, and what to do next."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from groundwire.cli.approving import coloured as in_colours
from groundwire.cli.approving import visible
from groundwire.integrations.install.carrying import Done
from groundwire.integrations.install.disk import read
from groundwire.integrations.install.hosts import HOSTS, Host
from groundwire.integrations.install.machine import Machine, is_passing
from groundwire.integrations.install.parts import Wish
from groundwire.integrations.install.plan import FileChange, Plan
from groundwire.integrations.install.status import Status, status
from groundwire.tools.patch import Change
from groundwire.version import __version__

VERSION_SECONDS = 5.0


def overview(machine: Machine, wish: Wish) -> str:
    """Every host: whether it is on this machine, and whether groundwire is in it."""
    rows: list[tuple[str, str, str]] = []
    for host in HOSTS.values():
        here = "yes" if host.is_here(machine) else "no"
        found = [status(host.parts(machine, wish), read)]
        if host.for_projects:
            in_project = Wish(wish.command, wish.tools, wish.root, project=True)
            found.append(status(host.parts(machine, in_project), read))
        told = [text for one in found if (text := _state(one, wish, machine.home))]
        rows.append((host.name, here, told[0] if told else ("not installed" if here == "yes" else "")))
        rows += [("", "", text) for text in told[1:]]
    lines = [f"groundwire {__version__} ({_short(' '.join(wish.command), machine.home)})", ""]
    lines += [f"note: {line}" for line in warnings(machine, wish)]
    lines += [f"{name:<15} {here:<16} {told}".rstrip() for name, here, told in [_HEADINGS, *rows]]
    return "\n".join([*lines, "", "groundwire install HOST puts it in, --uninstall takes it out."])


_HEADINGS = ("host", "on this machine", "groundwire")


def _state(found: Status, wish: Wish, home: Path) -> str:
    if found.problem:
        return f"problem: {_short(found.problem, home)}"
    if not found.command:
        return ""
    where = f"installed in {_short(str(found.file), home)}"
    if found.command == wish.command:
        return where
    program = found.command[0]
    if os.path.isabs(program) and not os.path.exists(program):
        return f"{where}, but {_short(program, home)} is gone: install again"
    return f"{where}, for another groundwire: {_short(' '.join(found.command), home)}"


def warnings(machine: Machine, wish: Wish) -> list[str]:
    """What a person should know about the groundwire that will be started."""
    told = []
    found = machine.which("groundwire")
    if found and len(wish.command) == 1 and os.path.realpath(found) != os.path.realpath(wish.command[0]):
        told.append(
            f"your PATH leads to another groundwire, {_short(found, machine.home)} ({_version(found)}); "
            f"the host will start {_short(wish.command[0], machine.home)} ({__version__})."
        )
    if is_passing(wish.command, machine.env, machine.home):
        told.append(
            f"{_short(wish.command[0], machine.home)} is in a cache that may be cleaned. To keep it: "
            "uv tool install groundwire, or pipx install groundwire; then install again."
        )
    return told


def shown_diffs(plan: Plan, home: Path, *, coloured: bool) -> str:
    """All changes as unified diffs, secrets left out."""
    texts = [_diff(change, home) for change in plan.changes if change.is_change]
    return "\n".join(in_colours(text) if coloured else visible(text) for text in texts)


def _diff(change: FileChange, home: Path) -> str:
    old, new = (_shown(content, change.secrets) for content in (change.before, change.after))
    name = _short(str(change.file), home)
    lines = [
        f"--- {name if change.before is not None else '/dev/null'}",
        f"+++ {name if change.after is not None else '/dev/null'}",
    ]
    if change.after is None and change.is_as_made:
        return "\n".join([*lines, f"({len(old.splitlines())} lines, as groundwire wrote them)"]) + "\n"
    for hunk in Change(old, new).hunks():
        old_start = hunk.old_start - (hunk.old_count == 0)
        new_start = hunk.new_start - (hunk.new_count == 0)
        lines.append(f"@@ -{old_start},{hunk.old_count} +{new_start},{hunk.new_count} @@")
        lines += hunk.lines
    return "\n".join(lines) + "\n"


def _shown(content: bytes | None, secrets: tuple[str, ...]) -> str:
    # Line ends are not what a person looks for here.
    text = (content or b"").decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
    for secret in secrets:
        text = text.replace(secret, "(not shown)")
    return text


def key_warning(host: Host, machine: Machine) -> list[str]:
    """That a key in the environment may not be there where the host starts us."""
    variables = {"GEMINI_API_KEY": "gemini", "OPENROUTER_API_KEY": "openrouter"}
    return [
        f"{host.title} may not pass {name} on. To be sure, store the key: groundwire login {word}"
        for name, word in variables.items()
        if not host.inherits and machine.env.get(name)
    ]


def after_install(host: Host, done: Done, home: Path) -> list[str]:
    """What was done, and what to do next."""
    told = [f"wrote {_short(str(change.file), home)}" for change in done.changes]
    told += [f"backup: {_short(backup, home)}" for backup in done.backups]
    return [
        *told,
        "",
        f"groundwire {__version__} is in {host.title}. {host.then} Then type:",
        "",
        f"    {host.sentence}",
    ]


def after_uninstall(host: Host, done: Done, home: Path) -> list[str]:
    """What was done."""
    told = [
        f"{'removed' if change.after is None else 'wrote'} {_short(str(change.file), home)}"
        for change in done.changes
    ]
    told += [f"backup: {_short(backup, home)}" for backup in done.backups]
    return [*told, "", f"groundwire is out of {host.title}."]


def _short(text: str, home: Path) -> str:
    return text.replace(f"{home}{os.sep}", f"~{os.sep}")


def _version(program: str) -> str:
    try:
        said = subprocess.run(  # noqa: S603  (the groundwire of the person's own PATH)
            [program, "--version"],
            capture_output=True,
            encoding="utf-8",
            timeout=VERSION_SECONDS,
            check=False,
        ).stdout
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return "which does not start"
    return said.strip().removeprefix("groundwire ") or "of unknown version"
