"""Whether groundwire is in a host, and which groundwire that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from groundwire.errors import CannotInstall
from groundwire.integrations.install import jsonc, toml
from groundwire.integrations.install.host_file import decoded
from groundwire.integrations.install.insertion import CannotEdit
from groundwire.integrations.install.parts import SERVER, Entry, Part, is_ours
from groundwire.integrations.install.plan import Read


@dataclass(frozen=True, slots=True)
class Status:
    """What was found in a host's file. `command` is what the host starts; empty when we are not in it."""

    file: Path
    command: tuple[str, ...] = ()
    problem: str = ""


def status(parts: Sequence[Part], read: Read) -> Status:
    """Look into the first file of a host's parts."""
    first = parts[0]
    try:
        content = read(first.file)
        if content is None:
            return Status(first.file)
        text = decoded(first.file, content)
        is_toml = isinstance(first, Entry) and first.format == "toml"
        document = toml.parse(text) if is_toml else jsonc.parse(text)
    except CannotInstall as refused:
        return Status(first.file, problem=refused.message)
    except CannotEdit as refused:
        place = first.file if refused.line is None else f"{first.file}:{refused.line}"
        return Status(first.file, problem=f"{place}: {refused.reason}")
    path = first.path if isinstance(first, Entry) else ("mcpServers", SERVER)
    return Status(first.file, _command(jsonc.look_up(document, path)))


def _command(entry: object) -> tuple[str, ...]:
    """The words before `mcp`: how this entry starts groundwire."""
    if not is_ours(entry) or not isinstance(entry, Mapping):
        return ()
    command, arguments = entry.get("command"), entry.get("args", [])
    listed = [command] if isinstance(command, str) else list(command or ())
    texts = [str(word) for word in (*listed, *arguments)]
    return tuple(texts[: texts.index("mcp")]) if "mcp" in texts else tuple(texts)
