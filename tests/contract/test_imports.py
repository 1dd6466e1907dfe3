"""Importing is free: what starts fast does so because it loads little. Each case is a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys

import pytest

from groundwire.cli import COMMANDS

LIBRARIES = {"sqlite3", "rich", "pyqwest", "uvicorn"}
"""Loaded only where they are used."""

HEAVY = LIBRARIES | {"asyncio", "argparse", "msgspec", "importlib.metadata"}
"""Modules that cost tens of milliseconds, or that most runs do not need."""

GOOGLES = {"google.auth", "google.genai", "httpx", "httpx2", "cryptography"}
"""Of optional packages, loaded only by who uses them."""

MCP_READY = """
from groundwire.mcp.calls import Calls
from groundwire.mcp.declarations import Offer, offered
from groundwire.mcp.stdio import Connection
offered(Offer())
"""
"""What `groundwire mcp` needs until a host has its list of tools."""

CASES = {
    "import groundwire": HEAVY,
    "from groundwire.cli import main; main(['--version'])": HEAVY,
    "from groundwire.cli import main; main(['--help'])": HEAVY,
    **{f"from groundwire.cli import main; main(['{word}', '--help'])": LIBRARIES for word in COMMANDS},
    "from groundwire.cli import main; main(['search', '--help'])": HEAVY - {"argparse"},
    "from groundwire.cli import main; main(['tool', '--help'])": HEAVY - {"argparse"},
    MCP_READY: HEAVY | {"dataclasses", "inspect", "concurrent.futures"},
    "import groundwire; groundwire.search": LIBRARIES,
    "from groundwire.providers.local import Local": LIBRARIES,
    "from groundwire.integrations.google_genai import code_assist_client": LIBRARIES | GOOGLES,
    "from groundwire.credentials.resolve import resolve": LIBRARIES | GOOGLES,
}
"""What is done: what it must not load."""

PROGRAM = """
import sys
before = set(sys.modules)
try:
    exec(sys.argv[1])
except SystemExit:
    pass
print("loaded:", *sorted(set(sys.modules) - before))
"""


@pytest.mark.parametrize("action", CASES)
def test_nothing_heavy_is_loaded(action: str) -> None:
    told = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM, action], capture_output=True, check=True, encoding="utf-8"
    )
    _, _, loaded = told.stdout.rpartition("loaded: ")
    assert CASES[action].isdisjoint(loaded.split())
