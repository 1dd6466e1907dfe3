"""Real edits for the edit benchmark: hunks from git histories, or from two releases of a package.

Each hunk is one change of one file, with enough unchanged lines around it that the old lines stand in
the file exactly once, even to a reader who sees no blanks: who could tell two such places apart?
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from groundwire.tools.diff import Block, blocks

CONTEXT = 3
MOST_CONTEXT = 9
MOST_CHANGED = 40
MOST_BYTES = 200_000
HUNKS_OF_A_FILE = 3
SKIPPED = (".min.js", ".map", ".lock", ".svg", ".po", ".json", ".d.ts.map", "RECORD", "METADATA")


@dataclass(frozen=True, slots=True)
class Hunk:
    """One change: the file's lines before it, and which of them become which others."""

    path: str
    lines: tuple[str, ...]
    """All lines of the file before the change, without line ends."""
    start: int
    """The first line of the old text."""
    above: tuple[str, ...]
    removed: tuple[str, ...]
    added: tuple[str, ...]
    below: tuple[str, ...]

    @property
    def old(self) -> list[str]:
        """The lines of the old text."""
        return [*self.above, *self.removed, *self.below]

    @property
    def new(self) -> list[str]:
        """The lines of the new text."""
        return [*self.above, *self.added, *self.below]

    @property
    def end(self) -> int:
        """The first line after the old text."""
        return self.start + len(self.old)


def hunks_of(before: str, after: str, path: str, context: int, rng: random.Random) -> Iterator[Hunk]:
    """A few hunks of one file's change, those that can be told by their lines."""
    if "\r" in before + after or "\0" in before or len(before) > MOST_BYTES:
        return
    old, new = before.split("\n"), after.split("\n")
    changes = blocks(old, new)
    for change in rng.sample(changes, min(len(changes), HUNKS_OF_A_FILE)):
        hunk = _hunk(old, new, change, path, context)
        if hunk is not None:
            yield hunk


def _hunk(old: list[str], new: list[str], change: Block, path: str, context: int) -> Hunk | None:
    removed, added = old[change.old_start : change.old_end], new[change.new_start : change.new_end]
    if len(removed) + len(added) > MOST_CHANGED or not "".join(removed + added).strip():
        return None
    if any(line.isspace() for line in added):
        return None  # blanks alone on a new line: nobody can restore them
    squeezed = squeeze("\n".join(old))
    for around in range(context, MOST_CONTEXT + 1):
        start, end = max(0, change.old_start - around), min(len(old), change.old_end + around)
        block = "\n".join(old[start:end])
        if block.strip() and _stands_once(squeezed, squeeze(block)):
            return Hunk(path, tuple(old), start, tuple(old[start : change.old_start]), tuple(removed),
                        tuple(added), tuple(old[change.old_end : end]))  # fmt: skip
    return None


def squeeze(text: str) -> str:
    """`text` without blanks and line ends: what is left when someone gets all of them wrong."""
    return "".join(text.split())


def _stands_once(text: str, block: str) -> bool:
    first = text.find(block)
    return text.find(block, first + 1) == -1


# -- sources --------------------------------------------------------------------------------------------


def from_git(repository: Path, most: int, context: int, rng: random.Random) -> Iterator[Hunk]:
    """Hunks of the commits of a repository, newest first."""
    log = _git(repository, "log", "--no-merges", "--format=%H", "-n", str(most)).split()
    for commit in log:
        changed = _git(
            repository, "diff-tree", "-r", "--no-commit-id", "--diff-filter=M", "--name-only", commit
        )
        for path in changed.splitlines()[:20]:
            if path.endswith(SKIPPED):
                continue
            try:
                before = _git(repository, "show", f"{commit}~1:{path}")
                after = _git(repository, "show", f"{commit}:{path}")
            except (subprocess.CalledProcessError, UnicodeDecodeError):
                continue
            yield from hunks_of(before, after, path, context, rng)


def from_packages(folder: Path, context: int, rng: random.Random) -> Iterator[Hunk]:
    """Hunks between the versions found in `folder/PACKAGE/VERSION`, neighbours in name order."""
    for package in sorted(path for path in folder.iterdir() if path.is_dir()):
        versions = sorted(path for path in package.iterdir() if path.is_dir())
        for older, newer in pairwise(versions):
            for path in sorted(older.rglob("*")):
                other = newer / path.relative_to(older)
                if path.name.endswith(SKIPPED) or not path.is_file() or not other.is_file():
                    continue
                try:
                    before, after = path.read_bytes().decode(), other.read_bytes().decode()
                except UnicodeDecodeError:
                    continue
                yield from hunks_of(before, after, str(path.relative_to(folder)), context, rng)


def _git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8")
