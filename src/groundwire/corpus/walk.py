"""A folder to the files in it that may be documents, and a count of what is left out and why.

Hidden files and folders are left out, and symbolic links are never followed: a link out of the folder would
show files nobody offered, a link within it would show a document twice or lead round in a circle.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from groundwire.corpus.reading import SUFFIXES

UNREAD_FOLDERS = frozenset({"node_modules", "__pycache__"})


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that may be a document, with what tells whether it changed."""

    path: Path
    size: int
    modified_ns: int


@dataclass(slots=True)
class Walk:
    """The files of a folder in a stable order, and how many entries were left out, by reason."""

    files: list[FoundFile] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def walk(folder: Path) -> Walk:
    """Everything in the folder and below it."""
    found = Walk()
    waiting = [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            found.left_out["unreadable folder"] += 1
            continue
        waiting += reversed([entry.path for entry in listed if _take(entry, found)])
    return found


def _take(entry: os.DirEntry[str], found: Walk) -> bool:
    """Note the entry; True when it is a folder to look into."""
    if entry.name.startswith("."):
        found.left_out["hidden"] += 1
    elif entry.is_symlink():
        found.left_out["symbolic link"] += 1
    elif entry.is_dir(follow_symlinks=False):
        if entry.name not in UNREAD_FOLDERS:
            return True
        found.left_out["hidden"] += 1
    elif not entry.is_file(follow_symlinks=False):
        found.left_out["not a file"] += 1
    elif os.path.splitext(entry.name)[1].lower() not in SUFFIXES:
        found.left_out["other kind of file"] += 1
    else:
        _take_file(entry, found)
    return False


def _take_file(entry: os.DirEntry[str], found: Walk) -> None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        found.left_out["unreadable file"] += 1
    else:
        found.files.append(FoundFile(Path(entry.path), status.st_size, status.st_mtime_ns))
