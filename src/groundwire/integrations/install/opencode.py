"""What OpenCode gets: the search tools under their exact names, and the provider `gemini-cli`.

OpenCode puts a server's key before each tool of it. The server `websearch` therefore lists bare names, and
the model sees websearch_gemini, websearch_openai_oauth and websearch_openrouter. A tool without an
underscore is not possible that way, so `geminisearch` comes from a plugin file.
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from groundwire.integrations.install.machine import Machine
from groundwire.integrations.install.parts import SERVER, Entry, OwnFile, Part, Wish

SCHEMA = "https://opencode.ai/config.json"
# OpenCode writes the schema into a file that has none, so a new file has it from the start.
START = f'{{\n  "$schema": "{SCHEMA}"\n}}\n'
CALL_MILLISECONDS = 130_000
PLUGIN_MARK = "groundwire for OpenCode"
_NAMES = ("opencode.jsonc", "opencode.json")


def parts(machine: Machine, wish: Wish) -> list[Part]:
    """The servers, and the plugin."""
    file = config_file(machine, wish)
    found: list[Part] = []
    if wish.tools != "files":
        found.append(_server(file, "websearch", wish.serving("search", "--names", "bare")))
        found.append(OwnFile(_plugin_file(machine, wish), plugin(wish.command), PLUGIN_MARK))
    if wish.tools != "search":
        found.append(_server(file, SERVER, wish.serving("files")))
    return found


def config_file(machine: Machine, wish: Wish) -> Path:
    """The file OpenCode gives the most weight to, of those that are there; else the one it would make."""
    folder = machine.project if wish.project else machine.config_home / "opencode"
    there = (folder / name for name in _NAMES)
    return next((file for file in there if file.is_file()), folder / _NAMES[0])


def plugin(command: tuple[str, ...]) -> str:
    """The plugin file, with the command it starts."""
    text = resources.files(__package__).joinpath("opencode_plugin.js").read_text(encoding="utf-8")
    return text.replace('["groundwire"]', json.dumps(command, ensure_ascii=False), 1)


def _plugin_file(machine: Machine, wish: Wish) -> Path:
    folder = machine.project / ".opencode" if wish.project else machine.config_home / "opencode"
    return folder / "plugin" / "groundwire.js"


def _server(file: Path, key: str, command: list[str]) -> Entry:
    value = {"type": "local", "command": command, "enabled": True, "timeout": CALL_MILLISECONDS}
    return Entry(file, "json", ("mcp", key), value, start=START)
