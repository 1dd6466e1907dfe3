"""The hosts, as data: where each keeps its MCP servers on each system, under which key, in which form.

Locations and forms were taken from the programs themselves where they run here (OpenCode 1.18, Gemini CLI
0.61, Codex 0.166, Claude Code 2.1) and from their documentation for the editors and Claude Desktop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from groundwire.integrations.install import gemini_cli, opencode
from groundwire.integrations.install.machine import Machine
from groundwire.integrations.install.parts import NEEDED_VARIABLES, SERVER, Entry, Format, Part, Wish

CALL_SECONDS = 130
"""How long a host should wait for a call: a search gives up by itself after 120 seconds."""


@dataclass(frozen=True, slots=True)
class Host:
    """One program that can use groundwire."""

    name: str
    title: str
    parts: Callable[[Machine, Wish], list[Part]]
    """What to put where."""
    programs: tuple[str, ...]
    """Commands that tell that it is on this machine."""
    folders: Callable[[Machine], tuple[Path, ...]]
    """Folders that tell the same."""
    then: str
    """What to do before it sees the change."""
    sentence: str = "Ask groundwire's websearch what the weather in Beijing is like, and cite the sources."
    """What to type to see it work."""
    for_projects: bool = True
    """Whether it reads a file of the project, too."""
    inherits: bool = True
    """Whether the keys in a person's environment reach what it starts."""
    uses_gateway: bool = False
    """Whether it gets a provider that is our gateway."""

    def is_here(self, machine: Machine) -> bool:
        """Whether it seems to be on this machine."""
        return any(machine.which(name) for name in self.programs) or any(
            folder.is_dir() for folder in self.folders(machine)
        )


Written = Mapping[str, object]
Form = Callable[[str, list[str]], Written]


def plain(command: str, arguments: list[str]) -> Written:
    """The form most hosts share."""
    return {"command": command, "args": arguments}


def stdio(command: str, arguments: list[str]) -> Written:
    """With the kind of transport named."""
    return {"type": "stdio", "command": command, "args": arguments}


def claude_code(command: str, arguments: list[str]) -> Written:
    """What `claude mcp add` writes."""
    return {"type": "stdio", "command": command, "args": arguments, "env": {}}


def zed(command: str, arguments: list[str]) -> Written:
    """Older versions of Zed want the source, newer ones ignore it; both want args."""
    return {"source": "custom", "command": command, "args": arguments, "env": {}}


def codex(command: str, arguments: list[str]) -> Written:
    """Codex passes on no variable and gives up on a call after 60 seconds, unless told otherwise."""
    return {
        "command": command,
        "args": arguments,
        "env_vars": list(NEEDED_VARIABLES),
        "tool_timeout_sec": CALL_SECONDS,
    }


def one_entry(
    holder: str,
    form: Form,
    user: Callable[[Machine], Path],
    project: str | None = None,
    kind: Format = "json",
) -> Callable[[Machine, Wish], list[Part]]:
    """The parts of a host that needs nothing but one entry in one file."""

    def parts(machine: Machine, wish: Wish) -> list[Part]:
        file = machine.project / project if wish.project and project else user(machine)
        first, *words = wish.serving()
        return [Entry(file, kind, (holder, SERVER), form(first, words))]

    return parts


HOSTS: Mapping[str, Host] = {
    host.name: host
    for host in (
        Host(
            "opencode",
            "OpenCode",
            opencode.parts,
            programs=("opencode",),
            folders=lambda machine: (machine.config_home / "opencode", machine.data_home / "opencode"),
            then="Start opencode anew.",
            sentence="Use websearch_gemini: what is the weather in Beijing like? Cite the sources.",
            uses_gateway=True,
        ),
        Host(
            "claude-code",
            "Claude Code",
            one_entry(
                "mcpServers",
                claude_code,
                lambda machine: machine.folder_from("CLAUDE_CONFIG_DIR", machine.home) / ".claude.json",
                ".mcp.json",
            ),
            programs=("claude",),
            folders=lambda machine: (machine.folder_from("CLAUDE_CONFIG_DIR", machine.home / ".claude"),),
            then="Start a new session of claude.",
        ),
        Host(
            "codex",
            "Codex",
            one_entry(
                "mcp_servers",
                codex,
                lambda machine: machine.folder_from("CODEX_HOME", machine.home / ".codex") / "config.toml",
                ".codex/config.toml",
                "toml",
            ),
            programs=("codex",),
            folders=lambda machine: (machine.folder_from("CODEX_HOME", machine.home / ".codex"),),
            then="Start codex anew.",
        ),
        Host(
            "gemini-cli",
            "Gemini CLI",
            gemini_cli.parts,
            programs=("gemini",),
            folders=lambda machine: (gemini_cli.folder(machine),),
            then="Start gemini anew, in a folder that you trust.",
        ),
        Host(
            "cursor",
            "Cursor",
            one_entry(
                "mcpServers", plain, lambda machine: machine.home / ".cursor" / "mcp.json", ".cursor/mcp.json"
            ),
            programs=("cursor", "cursor-agent"),
            folders=lambda machine: (machine.home / ".cursor",),
            then="Open Cursor's settings, MCP, and switch groundwire on.",
            inherits=False,
        ),
        Host(
            "vscode",
            "VS Code",
            one_entry(
                "servers",
                stdio,
                lambda machine: machine.applications / "Code" / "User" / "mcp.json",
                ".vscode/mcp.json",
            ),
            programs=("code",),
            folders=lambda machine: (machine.applications / "Code", machine.home / ".vscode"),
            then="Choose Agent in the chat view, and start the server when VS Code asks.",
        ),
        Host(
            "zed",
            "Zed",
            one_entry(
                "context_servers",
                zed,
                lambda machine: (
                    machine.applications / "Zed" / "settings.json"
                    if machine.platform == "win32"
                    else machine.config_home / "zed" / "settings.json"
                ),
                ".zed/settings.json",
            ),
            programs=("zed", "zeditor"),
            folders=lambda machine: (machine.config_home / "zed", machine.applications / "Zed"),
            then="Zed sees the change at once.",
        ),
        Host(
            "windsurf",
            "Windsurf",
            one_entry(
                "mcpServers",
                plain,
                lambda machine: machine.home / ".codeium" / "windsurf" / "mcp_config.json",
            ),
            programs=("windsurf",),
            folders=lambda machine: (machine.home / ".codeium" / "windsurf",),
            then="Press the refresh button of Cascade's MCP servers.",
            inherits=False,
            for_projects=False,
        ),
        Host(
            "claude-desktop",
            "Claude Desktop",
            one_entry(
                "mcpServers",
                plain,
                lambda machine: machine.applications / "Claude" / "claude_desktop_config.json",
            ),
            programs=("claude-desktop",),
            folders=lambda machine: (machine.applications / "Claude",),
            then="Quit Claude Desktop and open it again.",
            inherits=False,
            for_projects=False,
        ),
    )
}
"""By the word typed."""
