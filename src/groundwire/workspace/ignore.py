"""Which files of a workspace are ignored: the rules of git and of `.geminiignore`, directory by directory.

Git's order, the later one winning: the user's global excludes, `.git/info/exclude`, then every
`.gitignore` from the top of the repository down to the file's own directory; `.git` itself is always
ignored. On top of them the root's `.geminiignore`, which may also take files back. Nothing below an
ignored directory can be taken back, as in git. Without a repository, `.gitignore` files mean nothing.

The rules are read afresh for every call: an ignore file edited a moment ago counts.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass

from groundwire.workspace.boundary import Workspace
from groundwire.workspace.ignore_rules import IgnoreRules

MOST_REMEMBERED = 10_000
"""Directories whose rules one call remembers."""
MOST_INCLUDES = 10
"""Configurations of git that include one another, as in git."""
MOST_RULE_BYTES = 4 * 1024 * 1024
"""An ignore file larger than this is not one."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """The rules of one file, and how a path below the root becomes a path below that file."""

    rules: IgnoreRules
    above: str = ""
    """For a file above the root: the way from it down to the root, with a slash."""
    depth: int = 0
    """For a file below the root: how many characters of a path lead to its directory."""

    def verdict(self, path: str, name: str, is_directory: bool) -> bool | None:
        return self.rules.verdict(self.above + path if self.above else path[self.depth :], name, is_directory)


@dataclass(frozen=True, slots=True)
class DirectoryRules:
    """The rules that hold inside one directory."""

    prefix: str
    """The directory below the root, with a slash at the end; empty for the root."""
    placed: tuple[_Placed, ...]
    """The strongest first."""
    git: bool
    all_ignored: bool = False

    @property
    def says_nothing(self) -> bool:
        """Whether no entry of this directory can be ignored by these rules."""
        return not (self.placed or self.git or self.all_ignored)

    def ignores(self, name: str, is_directory: bool) -> bool:
        """Whether the entry `name` of this directory is ignored."""
        if self.all_ignored:
            return True
        if self.git and name == ".git":
            return True
        path = self.prefix + name
        for placed in self.placed:
            verdict = placed.verdict(path, name, is_directory)
            if verdict is not None:
                return verdict
        return False


class Ignore:
    """The ignore rules of a workspace as they are on disk now."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        git: bool = True,
        gemini: bool = True,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        top = repository_top(workspace.real_root) if git else None
        self._git = top is not None
        self._workspace = workspace
        placed: list[_Placed] = []
        if gemini:
            placed += _placed_at(os.path.join(workspace.real_root, ".geminiignore"))
        self._gemini = tuple(placed)
        placed = []
        if top is not None:
            environment = os.environ if environment is None else environment
            above = _way_down(top, workspace.real_root)
            placed += [rules for folder, way in above for rules in _placed_at(_join(folder), way)]
            way = above[-1][1] if above else ""
            git_folder = _git_folder(top)
            placed += _placed_at(os.path.join(git_folder, "info", "exclude"), way, follow=True)
            excludes = global_excludes(environment, os.path.join(git_folder, "config"))
            placed += _placed_at(excludes, way, follow=True) if excludes else []
        content = _read(_join(workspace.real_root)) if self._git else None
        own = [_Placed(IgnoreRules(content))] if content else []
        self._known: dict[str, DirectoryRules] = {}
        self._root = DirectoryRules("", (*self._gemini, *own, *placed), self._git)

    def inside(self, relative: str) -> DirectoryRules:
        """The rules inside the directory at `relative` below the root (the root: an empty string)."""
        known = self._known.get(relative)
        if known is not None:
            return known
        rules = self._root
        for segment in relative.split("/") if relative else ():
            rules = self.below(rules, segment, hidden=rules.ignores(segment, True))
        if len(self._known) < MOST_REMEMBERED:
            self._known[relative] = rules
        return rules

    def below(
        self, parent: DirectoryRules, name: str, *, hidden: bool, handle: int | None = None
    ) -> DirectoryRules:
        """The rules inside the directory `name` of `parent`'s directory.

        `hidden` says whether that directory is ignored itself; `handle` is the directory, opened.
        """
        prefix = f"{parent.prefix}{name}/"
        if hidden or not self._git:
            return DirectoryRules(prefix, parent.placed, self._git, all_ignored=hidden)
        content = _read(*((".gitignore", handle) if handle is not None else (self._path(prefix), None)))
        own = IgnoreRules(content) if content else None
        if not own:
            return DirectoryRules(prefix, parent.placed, self._git)
        stronger = len(self._gemini)
        placed = (*parent.placed[:stronger], _Placed(own, depth=len(prefix)), *parent.placed[stronger:])
        return DirectoryRules(prefix, placed, self._git)

    def ignores(self, relative: str, is_directory: bool) -> bool:
        """Whether the path below the root is ignored, itself or through a directory above it."""
        folder, _, name = relative.rpartition("/")
        return bool(name) and self.inside(folder).ignores(name, is_directory)

    def _path(self, prefix: str) -> str:
        return _join(self._workspace.real_root, prefix)


def repository_top(folder: str) -> str | None:
    """The nearest directory at or above `folder` that holds `.git`."""
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def _git_folder(top: str) -> str:
    """The repository's own folder; a `.git` file (worktree, submodule) says where the common one is."""
    path = os.path.join(top, ".git")
    if os.path.isdir(path):
        return path
    content = _read(path) or b""
    folder = os.path.join(top, os.fsdecode(content.removeprefix(b"gitdir:").strip()))
    common = _read(os.path.join(folder, "commondir"))
    return os.path.normpath(os.path.join(folder, os.fsdecode(common.strip()))) if common else folder


def _way_down(top: str, root: str) -> list[tuple[str, str]]:
    """Each directory from just above the root up to `top`, with the way from it down to the root."""
    found = []
    way = ""
    while root != top:
        way = f"{os.path.basename(root)}/{way}"
        root = os.path.dirname(root)
        found.append((root, way))
    return found


def global_excludes(environment: Mapping[str, str], repository_config: str | None = None) -> str | None:
    """The user's own ignore file: core.excludesFile, or git's default place for it."""
    home = environment.get("HOME") or environment.get("USERPROFILE") or ""
    configured = environment.get("XDG_CONFIG_HOME") or (os.path.join(home, ".config") if home else "")
    files = [repository_config] if repository_config else []
    files += [os.path.join(home, ".gitconfig")] if home else []
    files += [os.path.join(configured, "git", "config")] if configured else []
    files += [] if environment.get("GIT_CONFIG_NOSYSTEM") else ["/etc/gitconfig"]
    for path in files:
        value = _excludes_setting(path, home)
        if value is not None:
            return _at_home(value, home)
    return os.path.join(configured, "git", "ignore") if configured else None


def _excludes_setting(path: str, home: str, depth: int = 0) -> str | None:
    """The last value of core.excludesFile in a configuration of git and those it includes."""
    section = ""
    value = None
    for line in os.fsdecode(_read(path, follow=True) or b"").splitlines():
        text = line.strip()
        if text.startswith("["):
            section = text.partition("]")[0][1:].strip().lower()
            continue
        key, _, setting = text.partition("=")
        name = f"{section}.{key.strip().lower()}"
        if name == "core.excludesfile":
            value = _unquoted(setting)
        elif name == "include.path" and depth < MOST_INCLUDES:
            included = os.path.join(os.path.dirname(path), _at_home(_unquoted(setting), home))
            value = _excludes_setting(included, home, depth + 1) or value
    return value


def _unquoted(setting: str) -> str:
    """A value without its quotes, or without the comment behind it."""
    setting = setting.strip()
    if setting.startswith('"'):
        return setting[1:].partition('"')[0]
    return re.split(r"\s[#;]", setting)[0].strip()


def _at_home(path: str, home: str) -> str:
    return os.path.join(home, path[2:]) if path.startswith("~/") else path


def _join(folder: str, prefix: str = "") -> str:
    return os.path.join(folder, prefix, ".gitignore")


def _placed_at(path: str, above: str = "", *, follow: bool = False) -> list[_Placed]:
    content = _read(path, follow=follow)
    rules = IgnoreRules(content) if content else None
    return [_Placed(rules, above=above)] if rules else []


def _read(path: str, handle: int | None = None, *, follow: bool = False) -> bytes | None:
    """The bytes of a regular file, or None. As in git, links are followed (`follow`) to what a person keeps
    outside of the files of a repository, and not from a `.gitignore`."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | (0 if follow else getattr(os, "O_NOFOLLOW", 0))
    try:
        descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0), dir_fd=handle)
    except OSError:
        return None
    with open(descriptor, "rb", buffering=0) as stream:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_RULE_BYTES:
            return None
        return stream.read()
