"""Every host's file, as its owner may have written it: in, in again, out, and byte for byte the same."""

from __future__ import annotations

from pathlib import Path

from conformance.installed import install
from conformance.trial import Trial
from groundwire.integrations.install.hosts import HOSTS
from groundwire.integrations.install.machine import Machine
from groundwire.integrations.install.parts import Entry, Wish

JSON = {
    "no file": None,
    "an empty file": b"",
    "one line": b'{"a":{"b":1}}',
    "comments, tabs, trailing commas": b'// mine\n{\n\t"a": 1, // why\n\t/* and */ "b": [1, 2,],\n}\n',
    "CRLF and a byte order mark": b'\xef\xbb\xbf{\r\n  "a": 1\r\n}',
}
TOML = {
    "no file": None,
    "an empty file": b"",
    "one line": b"a = 1",
    "comments, tabs, trailing commas": b"# mine\n\ta = [1, 2,] # why\n\n[b]\nc = 'd'\n",
    "CRLF and a byte order mark": b"\xef\xbb\xbfa = 1\r\n[b]\r\nc = 2",
}


async def run(trial: Trial) -> None:
    """One check per host: all situations in both scopes."""
    for name, host in HOSTS.items():
        wrong: list[str] = []
        for situation in JSON:
            for project in sorted({False, host.for_projects}):
                wrong += await _situation(trial, name, situation, project)
        trial.check(
            f"{host.title}: in, in again and out leaves every byte, in every situation.", not wrong, wrong
        )


async def _situation(trial: Trial, name: str, situation: str, project: bool) -> list[str]:
    home = trial.new_folder(f"{name}-{project}")
    work = home / "work"
    work.mkdir()
    machine = Machine(home, work, {}, "linux", home / "state", lambda program: None)
    for part in HOSTS[name].parts(machine, Wish(("groundwire",), project=project)):
        if isinstance(part, Entry):
            text = (TOML if part.format == "toml" else JSON)[situation]
            if text is not None:
                part.file.parent.mkdir(parents=True, exist_ok=True)
                part.file.write_bytes(text)
    words = ["--project"] if project else []
    before = _everything(home)
    first = await install(trial, name, home, work, *words)
    middle = _everything(home)
    again = await install(trial, name, home, work, *words)
    is_same = _everything(home) == middle and middle != before
    out = await install(trial, name, home, work, *words, "--uninstall")
    after = {path: content for path, content in _everything(home).items() if path not in OWN}
    where = f"{situation}{' in a project' if project else ''}"
    if {first.code, again.code, out.code} != {0}:
        return [f"{where}: {first.brief} {again.brief} {out.brief}"]
    return [] if is_same and after == before else [f"{where}: {sorted(set(after) ^ set(before))}"]


# Our own state: the folders of the XDG rules, and the gateway's key.
OWN = {".local", ".local/state", ".local/state/groundwire", ".local/state/groundwire/gateway-key"}


def _everything(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if path.name != "tmp"
    }
