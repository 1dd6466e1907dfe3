"""What a plan needs to know of the machine it is for: folders, variables, programs, and our own command."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from groundwire.config.worktree import worktree_root


@dataclass(frozen=True, slots=True)
class Machine:
    """One person's machine. `platform` is Python's word for the system: linux, darwin, win32."""

    home: Path
    cwd: Path
    env: Mapping[str, str]
    platform: str
    state_dir: Path
    which: Callable[[str], str | None]

    @property
    def config_home(self) -> Path:
        """Where programs that follow the XDG rules keep their settings."""
        named = Path(self.env.get("XDG_CONFIG_HOME") or "")
        return named if named.is_absolute() else self.home / ".config"

    @property
    def data_home(self) -> Path:
        """Where programs that follow the XDG rules keep their data."""
        named = Path(self.env.get("XDG_DATA_HOME") or "")
        return named if named.is_absolute() else self.home / ".local" / "share"

    @property
    def applications(self) -> Path:
        """Where desktop applications keep their settings on this system."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return Path(self.env.get("APPDATA") or self.home / "AppData" / "Roaming")
        return self.config_home

    @property
    def project(self) -> Path:
        """The project we stand in: the root of the worktree, or the working directory."""
        return worktree_root(self.cwd) or self.cwd

    def folder_from(self, variable: str, default: Path) -> Path:
        """The folder an environment variable names, or the default."""
        named = self.env.get(variable)
        return self.cwd / named if named else default


def this_machine(state_dir: Path) -> Machine:
    """The machine this process runs on."""
    return Machine(Path.home(), Path.cwd(), os.environ, sys.platform, state_dir, shutil.which)


def own_command(argv: str, python: str) -> tuple[str, ...]:
    """The words that start the groundwire which is running: its script, or Python with the module.

    Links are not followed: the link of a tool installer outlives the folder it points to.
    """
    name = os.path.basename(argv)
    if name in ("groundwire", "groundwire.exe") and os.path.isfile(argv):
        return (os.path.abspath(argv),)
    return (os.path.abspath(python), "-m", "groundwire")


def is_passing(command: tuple[str, ...], env: Mapping[str, str], home: Path) -> bool:
    """Whether the command lives in a cache that is cleaned now and then, as that of `uvx` and `pipx run`."""
    caches = [env.get("UV_CACHE_DIR"), home / ".cache" / "uv", home / ".cache" / "pipx"]
    caches += [home / "Library" / "Caches" / "uv", home / ".local" / "pipx" / ".cache"]
    return any(cache and Path(command[0]).is_relative_to(cache) for cache in caches)
