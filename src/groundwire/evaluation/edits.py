"""The edits that lead from one text to another, as an agent would make them, with the lines around each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

import msgspec

CONTEXT = 3
"""How many unchanged lines stand above and below a change."""
_FILE = re.compile(r'^diff --git (?:"?a/.*?"? )"?b/(?P<path>.*?)"?$')


class Edit(msgspec.Struct, frozen=True):
    """One place of one file that changes. Lines are without their endings, which are the file's business."""

    path: str
    above: tuple[str, ...] = ()
    """Lines before the change that stay."""
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    """Lines after the change that stay."""
    first_line: int = 1
    """The number of the first line of `above` in the file before any edit."""
    creates: bool = False

    @property
    def old(self) -> str:
        """The text to replace."""
        return "\n".join((*self.above, *self.removed, *self.below))

    @property
    def new(self) -> str:
        """The text to put there."""
        return "\n".join((*self.above, *self.added, *self.below))

    @property
    def content(self) -> str:
        """The whole content, for a file that is created."""
        return "\n".join(self.added)


def paths_in(patch: str) -> set[str]:
    """The files a patch touches."""
    return {match["path"] for line in patch.split("\n") if (match := _FILE.match(line.removesuffix("\r")))}


def edits_between(path: str, before: str | None, after: str) -> list[Edit]:
    """The edits of one file; a file that was not there is created whole."""
    new = _lines(after)
    if before is None:
        return [Edit(path, added=tuple(new), creates=True)]
    old = _lines(before)
    groups = SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(CONTEXT)
    return [_edit(path, old, new, group) for group in groups]


def whole_file(edits: list[Edit], before: str) -> str:
    """A file's text with all of its edits."""
    lines, shift = _lines(before), 0
    for edit in edits:
        at = edit.first_line - 1 + len(edit.above) + shift
        lines[at : at + len(edit.removed)] = edit.added
        shift += len(edit.added) - len(edit.removed)
    return "\n".join(lines)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _edit(path: str, old: list[str], new: list[str], group: list[tuple[str, int, int, int, int]]) -> Edit:
    """One group of differences, from the first changed line to the last as the change."""
    changed = [(i, j, k, m) for kind, i, j, k, m in group if kind != "equal"]
    (first_old, _, first_new, _), (_, end_old, _, end_new) = changed[0], changed[-1]
    start, end = group[0][1], group[-1][2]
    return Edit(
        path,
        above=tuple(old[start:first_old]),
        removed=tuple(old[first_old:end_old]),
        added=tuple(new[first_new:end_new]),
        below=tuple(old[end_old:end]),
        first_line=start + 1,
    )


def by_path(edits: tuple[Edit, ...]) -> Iterator[tuple[str, list[Edit]]]:
    """The edits of each file, files in the order of their first edit."""
    grouped: dict[str, list[Edit]] = {}
    for edit in edits:
        grouped.setdefault(edit.path, []).append(edit)
    yield from grouped.items()
