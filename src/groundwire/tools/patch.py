"""What a person and a model are shown of a change: a unified diff, its numbers, a snippet of the new text.

The forms are those of Gemini CLI: jsdiff's patch with its `Index:` head, the `diffStat` keys of its
displays, and the changed lines with five lines around them that it repeats to the model. Unlike there, one
word changed in a huge file does not make a huge result: see `MOST_REPEATED` and `MOST_LINE_LENGTH`.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from groundwire.tools.diff import Kind, Run, compare, split_lines

PATCH_CONTEXT = 3
SNIPPET_CONTEXT = 5
MOST_REPEATED = 1_000_000
"""Characters of a file up to which a display repeats the whole file, before and after."""
MOST_LINE_LENGTH = 20_000
"""Characters that are shown of one line."""
_NO_NEWLINE = "\\ No newline at end of file"

# Gemini CLI marks edits of files that steer a build.
_BUILD_FILES = frozenset(
    (
        "BUILD",
        "BUILD.bazel",
        "WORKSPACE",
        "WORKSPACE.bazel",
        "MODULE.bazel",
        ".bazelrc",
        ".blazerc",
        "Makefile",
        "makefile",
        "GNUmakefile",
        "CMakeLists.txt",
        "package.json",
        "package",
        "lock.json",
        "pnpm",
        "lock.yaml",
        "yarn.lock",
        "bun.lockb",
        "setup.py",
        "setup.cfg",
        "pyproject.toml",
        "go.mod",
        "go.sum",
        "Cargo.toml",
        "Cargo.lock",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "settings.gradle.kts",
        "Dockerfile",
        "Containerfile",
    )
)
_BUILD_SUFFIXES = (".bzl", ".bazel", ".bzlmod", ".mk", ".cmake")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Changed lines with the unchanged ones around them; line numbers are 1-based."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[str, ...]


class Change:
    """One text turned into another, compared once and shown in several ways."""

    def __init__(self, old: str, new: str) -> None:
        self.old = old
        self.new = new
        self._old_lines = split_lines(old)
        self._new_lines = split_lines(new)
        self.runs = compare(self._old_lines, self._new_lines)

    def hunks(self, context: int = PATCH_CONTEXT) -> list[Hunk]:
        """The changes grouped: two with at most twice `context` unchanged lines between them are one."""
        return [self._hunk(group, context) for group in _groups(self.runs, context)]

    def _hunk(self, group: list[Run], context: int) -> Hunk:
        lines: list[str] = []
        first, last = group[0], group[-1]
        before = min(context, first.old_start, first.new_start)
        lines += (" " + line for line in self._old_lines[first.old_start - before : first.old_start])
        for run in group:
            taken = self._new_lines[run.new_start : run.new_end]
            if run.kind is Kind.REMOVED:
                taken = self._old_lines[run.old_start : run.old_end]
            lines += (run.kind.value + line for line in taken)
        after = self._old_lines[last.old_end : last.old_end + context]
        lines += (" " + line for line in after)
        return Hunk(
            old_start=first.old_start - before + 1,
            old_count=last.old_end - first.old_start + before + len(after),
            new_start=first.new_start - before + 1,
            new_count=last.new_end - first.new_start + before + len(after),
            lines=tuple(_printed(lines)),
        )

    def unified(
        self, name: str, old_label: str = "Current", new_label: str = "Proposed", context: int = PATCH_CONTEXT
    ) -> str:
        """The patch as jsdiff prints it."""
        head = [f"Index: {name}", "=" * 67, f"--- {name}\t{old_label}", f"+++ {name}\t{new_label}"]
        for hunk in self.hunks(context):
            # A side without lines is numbered one lower, as the unified format wants it.
            old_start = hunk.old_start - (hunk.old_count == 0)
            new_start = hunk.new_start - (hunk.new_count == 0)
            head.append(f"@@ -{old_start},{hunk.old_count} +{new_start},{hunk.new_count} @@")
            head += hunk.lines
        return "\n".join(head) + "\n"

    def stat(self) -> dict[str, int]:
        """How much the model added and removed; the `user_` numbers are those of an unmodified proposal."""
        added = [
            line
            for run in self.runs
            if run.kind is Kind.ADDED
            for line in self._new_lines[run.new_start : run.new_end]
        ]
        removed = [
            line
            for run in self.runs
            if run.kind is Kind.REMOVED
            for line in self._old_lines[run.old_start : run.old_end]
        ]
        return {
            "model_added_lines": len(added),
            "model_removed_lines": len(removed),
            "model_added_chars": sum(_units(line.removesuffix("\n")) for line in added),
            "model_removed_chars": sum(_units(line.removesuffix("\n")) for line in removed),
            "user_added_lines": 0,
            "user_removed_lines": 0,
            "user_added_chars": 0,
            "user_removed_chars": 0,
        }

    def snippet(self, context: int = SNIPPET_CONTEXT) -> str:
        """The changed lines of the new text and `context` lines around them, `...` for what is left out."""
        changed = [run for run in self.runs if run.kind is not Kind.KEPT]
        if not self.old or not changed:
            return _shortened(self.new)
        lines = self.new.replace("\r\n", "\n").split("\n")
        pieces: list[tuple[int, int]] = []
        for run in changed:
            start, end = max(0, run.new_start - context), min(len(lines), run.new_end + context)
            if pieces and start <= pieces[-1][1]:
                pieces[-1] = (pieces[-1][0], max(pieces[-1][1], end))
            else:
                pieces.append((start, end))
        shown: list[str] = []
        reached = 0
        for start, end in pieces:
            if start > reached:
                shown.append("...")
            shown.append("\n".join(lines[start:end]))
            reached = end
        if reached < len(lines):
            shown.append("...")
        return _shortened("\n".join(shown))

    def display(
        self, path: str, *, is_new_file: bool, old_label: str = "Current", new_label: str = "Proposed"
    ) -> dict[str, Any]:
        """The file diff a person is shown, under Gemini CLI's keys. `path` is the file's real path."""
        name = os.path.basename(path)
        repeated = max(len(self.old), len(self.new)) <= MOST_REPEATED
        return {
            "fileDiff": _shortened(self.unified(name, old_label, new_label)),
            "fileName": name,
            "filePath": path,
            "originalContent": self.old if repeated else None,
            "newContent": self.new if repeated else None,
            "diffStat": self.stat(),
            "isNewFile": is_new_file,
            "isBuildFile": is_build_file(name),
        }


def is_build_file(name: str) -> bool:
    """Whether Gemini CLI counts a file of this name among those that steer a build."""
    return (
        name in _BUILD_FILES
        or name.startswith(("Dockerfile.", "Containerfile."))
        or os.path.splitext(name)[1].lower() in _BUILD_SUFFIXES
    )


def _groups(runs: list[Run], context: int) -> Iterator[list[Run]]:
    """Changed runs with the short kept runs between them; one list for each hunk."""
    group: list[Run] = []
    for index, run in enumerate(runs):
        if run.kind is not Kind.KEPT:
            group.append(run)
        elif group:
            if run.old_end - run.old_start <= 2 * context and index < len(runs) - 1:
                group.append(run)
            else:
                yield group
                group = []
    if group:
        yield group


def _printed(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield line[:-1]
        else:
            yield line
            yield _NO_NEWLINE


def _shortened(text: str) -> str:
    """The text with no line longer than may be shown."""
    if len(text) <= MOST_LINE_LENGTH:
        return text
    return "\n".join(
        line if len(line) <= MOST_LINE_LENGTH else line[:MOST_LINE_LENGTH] + "... [truncated]"
        for line in text.split("\n")
    )


def _units(line: str) -> int:
    """The length in UTF-16 units, which is what JavaScript counts."""
    return len(line) if line.isascii() else len(line.encode("utf-16-le", "surrogatepass")) // 2
