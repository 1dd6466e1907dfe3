"""A machine in a temporary folder, and every host on it with a file its owner has written."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.integrations.install.machine import Machine
from groundwire.integrations.install.parts import Wish


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    home = tmp_path / "home"
    project = home / "project"
    (project / ".git").mkdir(parents=True)
    state = home / ".local" / "state"
    state.mkdir(parents=True)
    return Machine(home, project, {}, "linux", state / "groundwire", lambda name: None)


@pytest.fixture
def wish() -> Wish:
    return Wish(("/opt/groundwire/bin/groundwire",), gateway_port=8766, gateway_key="gw-key-of-the-gateway")
