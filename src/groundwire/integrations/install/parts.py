"""What can be put into a host: an entry in one of its files, or a file of our own in one of its folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Format = Literal["json", "toml"]
Tools = Literal["search", "files", "all"]

SERVER = "groundwire"
"""The name of our server in every host that lets us choose."""

KEY_VARIABLES = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY", "CODEX_ACCESS_TOKEN")
"""Variables that hold credentials, which some hosts keep from the servers they start."""

NEEDED_VARIABLES = (
    *KEY_VARIABLES,
    *("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_FILE"),
    *("GOOGLE_GEMINI_BASE_URL", "OPENROUTER_BASE_URL", "GROUNDWIRE_CODEX_BASE_URL"),
    *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"),
)
"""What a server needs of a person's environment, for hosts that pass on nothing unless told."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A value in a host's file. `start` is the text a new file begins with."""

    file: Path
    format: Format
    path: tuple[str, ...]
    value: Mapping[str, object]
    start: str = ""
    optional: bool = False
    """Left out, with a note, when something of that name is there that is not ours."""
    secret: str = ""
    """A part of the value that is not shown."""


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A whole file that is ours. `mark` is in every version of it and tells it from a file of others."""

    file: Path
    content: str
    mark: str


Part = Entry | OwnFile


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person wants installed: which tools, for which folder, started by which command."""

    command: tuple[str, ...]
    tools: Tools = "search"
    root: Path | None = None
    project: bool = False
    gateway_port: int = 0
    """Where the gateway listens, for hosts that get a provider; 0 for none."""
    gateway_key: str = ""

    def serving(self, tools: Tools | None = None, *more: str) -> list[str]:
        """The words that start our MCP server."""
        words = [*self.command, "mcp", "--tools", tools or self.tools, *more]
        return [*words, "--root", str(self.root)] if self.root and tools != "search" else words


def is_ours(value: object) -> bool:
    """Whether an entry found in a file starts groundwire, or leads to its gateway."""
    if not isinstance(value, Mapping):
        return False
    command, arguments = value.get("command"), value.get("args", [])
    if isinstance(command, Sequence):
        words = [command] if isinstance(command, str) else [*command]
        words += arguments if isinstance(arguments, list) else []
        names = [str(word).replace("\\", "/").rpartition("/")[2].removesuffix(".exe") for word in words]
        return "groundwire" in names[:3] and "mcp" in names
    return "groundwire" in str(value.get("name", ""))
