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


MODELS = (
    "gemini-2.5-pro",
    "gemini-2.5-flash",
    "gemini-2.5-flash-lite",
    "gemini-3-pro-preview",
    "gemini-3-flash-preview",
)
# Without these OpenCode sends no thinking, refuses images and does not know when to compact.
CAPABILITIES = {
    "attachment": True,
    "reasoning": True,
    "temperature": True,
    "tool_call": True,
    "limit": {"context": 1_048_576, "output": 65_536},
    "modalities": {"input": ["text", "image", "audio", "video", "pdf"], "output": ["text"]},
}


def parts(machine: Machine, wish: Wish) -> list[Part]:
    """The servers, the plugin, the provider and its key."""
    file = config_file(machine, wish)
    found: list[Part] = []
    if wish.tools != "files":
        found.append(_server(file, "websearch", wish.serving("search", "--names", "bare")))
        found.append(OwnFile(_plugin_file(machine, wish), plugin(wish.command), PLUGIN_MARK))
    if wish.tools != "search":
        found.append(_server(file, SERVER, wish.serving("files")))
    if wish.gateway_port:
        found.append(
            Entry(file, "json", ("provider", "gemini-cli"), provider(wish.gateway_port), optional=True)
        )
    if wish.gateway_port and wish.gateway_key:
        found.append(_key(machine, wish.gateway_key))
    return found


def config_file(machine: Machine, wish: Wish) -> Path:
    """The file OpenCode gives the most weight to, of those that are there; else the one it would make."""
    folder = machine.project if wish.project else machine.config_home / "opencode"
    there = (folder / name for name in _NAMES)
    return next((file for file in there if file.is_file()), folder / _NAMES[0])


def provider(port: int) -> dict[str, object]:
    """OpenCode's own Google client, pointed at the gateway."""
    return {
        "name": "Gemini through groundwire gateway",
        "npm": "@ai-sdk/google",
        "options": {"baseURL": f"http://127.0.0.1:{port}/v1beta"},
        "models": {name: {"name": name, **CAPABILITIES} for name in MODELS},
    }


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


def _key(machine: Machine, key: str) -> Entry:
    """The gateway's key goes where OpenCode keeps keys, not into a file that may be published."""
    file = machine.data_home / "opencode" / "auth.json"
    value = {"type": "api", "key": key}
    return Entry(file, "json", ("gemini-cli",), value, optional=True, secret=key)
