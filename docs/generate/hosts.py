"""The pictures of docs/hosts: what the host printed where it was recorded, what we print where it was not."""

from __future__ import annotations

import io
import tempfile
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.text import Text

from docs.generate.picture import drawn
from groundwire.cli.install_overview import after_install, shown_diffs
from groundwire.integrations.install.carrying import Done, planned
from groundwire.integrations.install.hosts import HOSTS
from groundwire.integrations.install.machine import Machine
from groundwire.integrations.install.parts import Wish

RECORDINGS = Path(__file__).parents[1] / "recordings"
WIDTH = 90
COMMAND = ("/usr/local/bin/groundwire",)


def svg(name: str) -> str:
    """The picture of one host, the same bytes every time."""
    recording = RECORDINGS / f"{name}.txt"
    text = recording.read_text(encoding="utf-8") if recording.is_file() else installed(name)
    console = Console(
        file=io.StringIO(),
        record=True,
        width=WIDTH,
        highlight=False,
        force_terminal=True,
        color_system="truecolor",
    )
    for line in text.splitlines():
        console.print(Text(line, style="bold") if line.startswith("$ ") else Text.from_ansi(line))
    console.print()
    return drawn(console, f"groundwire in {HOSTS[name].title}", name)


def installed(name: str) -> str:
    """What `groundwire install NAME` prints on a machine where the host has no file yet."""
    host = HOSTS[name]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        machine = Machine(home, home, {}, "linux", home / "state", lambda program: None)
        plan = planned(host, machine, Wish(COMMAND), None, uninstall=False, read=lambda file: None)
        done = Done(plan.changes, ())
        told = [shown_diffs(plan, home, coloured=True), *after_install(host, done, home)]
    return "\n".join([f"$ groundwire install {name} --yes", *told])


GENERATED = {f"docs/images/hosts/{name}.svg": partial(svg, name) for name in HOSTS}
