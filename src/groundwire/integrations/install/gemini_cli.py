"""What Gemini CLI gets: an extension folder of its own for a person, an entry in settings.json for a project.

Gemini CLI loads every folder in ~/.gemini/extensions that has a gemini-extension.json; none is read from a
project, so there the server goes into the project's settings.
"""

from __future__ import annotations

import json
from pathlib import Path

from groundwire.integrations.install.machine import Machine
from groundwire.integrations.install.parts import KEY_VARIABLES, SERVER, Entry, OwnFile, Part, Wish
from groundwire.version import __version__

CALL_MILLISECONDS = 130_000
CONTEXT_FILE = "GROUNDWIRE.md"
CONTEXT = """\
# groundwire

The MCP server `groundwire` answers questions from the web with numbered citations.

- `websearch` asks the first provider that is configured; `websearch_gemini`, `websearch_openai_oauth` and
  `websearch_openrouter` ask that one. Each takes `query`, a question in natural language.
- The result is JSON. `llmContent` is the answer; keep its marks like [1], and list their sources.
- When `error` is there, say what its message says: it tells what to do.
"""


def folder(machine: Machine) -> Path:
    """Where Gemini CLI keeps its files."""
    return machine.folder_from("GEMINI_CLI_HOME", machine.home) / ".gemini"


def parts(machine: Machine, wish: Wish) -> list[Part]:
    """The extension, or the project's entry."""
    first, *words = wish.serving()
    # Gemini CLI keeps variables that look like keys from its servers, unless they are named here.
    keys = {name: f"${name}" for name in KEY_VARIABLES}
    server = {"command": first, "args": words, "env": keys, "timeout": CALL_MILLISECONDS}
    if wish.project:
        file = machine.project / ".gemini" / "settings.json"
        return [Entry(file, "json", ("mcpServers", SERVER), server)]
    extension = {
        "name": "groundwire",
        "version": __version__,
        "description": "Cited web search from Gemini, ChatGPT and OpenRouter.",
        "mcpServers": {SERVER: server},
        "contextFileName": CONTEXT_FILE,
    }
    place = folder(machine) / "extensions" / "groundwire"
    manifest = json.dumps(extension, indent=2, ensure_ascii=False) + "\n"
    return [
        OwnFile(place / "gemini-extension.json", manifest, '"name": "groundwire"'),
        OwnFile(place / CONTEXT_FILE, CONTEXT, "# groundwire"),
    ]
