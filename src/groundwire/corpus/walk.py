"""A folder to the files in it that may be documents, and a count of what is left out and why.

Hidden files, hidden folders and those of package managers are left out. Symbolic links are never followed:
a link out of the folder would show files nobody offered, a link within it would show a document twice or
lead round in a circle.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from groundwire.corpus.reading import SUFFIXES
from groundwire.errors import MissingCorpus

DEPENDENCY_FOLDERS = frozenset({"node_modules", "__pycache__"})
_ANOTHER = "Name a folder of documents that can be read."


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
        if entry.name not in DEPENDENCY_FOLDERS:
            return True
        found.left_out["dependency folder"] += 1
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


def checked_folder(folder: str | os.PathLike[str] | None) -> Path:
    """The folder's real path, or MissingCorpus with what is wrong about it."""
    if folder is None or not os.fspath(folder):
        raise MissingCorpus("No folder of documents was given.")
    path = Path(folder).expanduser()
    try:
        root = path.resolve(strict=True)
    except (
        OSError,
        RuntimeError,
        ValueError,
    ):  # links in a circle; a NUL in the name
        raise MissingCorpus(f"The folder of documents does not exist: {path}", hint=_ANOTHER) from None
    if not root.is_dir():
        raise MissingCorpus(
            f"The corpus must be a folder of documents, and this is a file: {path}", hint=_ANOTHER
        )
    if not os.access(root, os.R_OK | os.X_OK):
        raise MissingCorpus(f"The folder of documents cannot be read: {path}", hint=_ANOTHER)
    return root
