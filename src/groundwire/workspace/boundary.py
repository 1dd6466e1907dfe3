"""The boundary of a workspace: the one door through which tools reach the disk.

`Workspace.resolve` turns what a caller wrote into a `WorkspacePath` inside the root, or refuses. The
verbs of the door (`open_file`, `open_directory`, `stat`, …) then walk from the root's own handle, one
segment at a time, and follow no symbolic link: what `resolve` found must still be there. A link put in
place between the two is therefore an error, never a way out. Only regular files are ever opened, so
a FIFO, a device or a socket cannot make a call hang.

Where the system offers no directory handles (Windows), each verb resolves the path again and compares
what it opened with what is there.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal

from groundwire.characters import is_sayable
from groundwire.errors import ToolError
from groundwire.workspace.spelling import complaint, is_protected

HANDLES = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_COMMON = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _COMMON
# O_PATH passes through directories that may be entered but not listed.
_PASSAGE = _DIRECTORY | getattr(os, "O_PATH", 0)
_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | _COMMON


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What tells one state of a file from another without reading it again."""

    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> Fingerprint:
        """The fingerprint in a file's status."""
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@dataclass(frozen=True, slots=True)
class WorkspacePath:
    """A place inside the root; the file itself may or may not exist."""

    given: str
    """What the caller wrote."""
    lexical: str
    """Absolute and normalised, links not followed."""
    absolute: str
    """Absolute, links followed: the path Gemini CLI's texts show."""
    relative: str
    """`absolute` below the real root, with `/`; the root itself is the empty string."""

    @property
    def name(self) -> str:
        """The last name of the path; empty for the root."""
        return self.relative.rpartition("/")[2]

    @property
    def segments(self) -> list[str]:
        """The names on the way from the root."""
        return self.relative.split("/") if self.relative else []


class Workspace:
    """One directory that tools may read and write, and nothing else."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = os.path.abspath(root)
        """The root as it was given, made absolute; links not followed."""
        self.real_root = os.path.realpath(self.root)
        """The root with links followed."""
        if not os.path.isdir(self.real_root):
            raise ToolError(f"The workspace is not a directory: {self.root}", kind="path_is_not_a_directory")

    def __repr__(self) -> str:
        return f"Workspace({self.root!r})"

    # -- finding ------------------------------------------------------------------------------------

    def resolve(self, path: str, *, kind: str = "invalid_tool_params") -> WorkspacePath:
        """The place `path` names, existing or not.

        A ToolError of `kind` when it lies outside or is protected; OSError when links run in a circle.
        """
        if not is_sayable(path):
            raise ToolError(f"Invalid path: {complaint(path)}", kind=kind)
        lexical = os.path.normpath(os.path.join(self.root, path))
        absolute = os.path.realpath(lexical)
        wrong = complaint(absolute)
        if wrong is not None:
            raise ToolError(f"Invalid path: {wrong}", kind=kind)
        relative = self.relative_to_root(absolute)
        if relative is None or is_protected(relative):
            raise ToolError(
                f'Path not in workspace: Attempted path "{absolute}" resolves outside the allowed '
                f"workspace directories: {self.real_root}",
                kind=kind,
                display="Path not in workspace.",
            )
        _refuse_circle(absolute)
        return WorkspacePath(given=path, lexical=lexical, absolute=absolute, relative=relative)

    def found(self, relative: str) -> WorkspacePath:
        """The place of a file that a walk came to. No link is on the way; opening it makes sure of that."""
        prefix = "" if self.root == os.sep else self.root
        real = "" if self.real_root == os.sep else self.real_root
        return WorkspacePath(
            given=relative, lexical=f"{prefix}/{relative}", absolute=f"{real}/{relative}", relative=relative
        )

    def relative_to_root(self, absolute: str) -> str | None:
        """`absolute` (links followed) below the real root with `/`, or None when it is outside."""
        if absolute == self.real_root:
            return ""
        prefix = self.real_root if self.real_root.endswith(os.sep) else self.real_root + os.sep
        return absolute[len(prefix) :].replace(os.sep, "/") if absolute.startswith(prefix) else None

    # -- looking ------------------------------------------------------------------------------------

    def stat(self, place: WorkspacePath) -> os.stat_result:
        """The status of what is at `place`, following no link."""
        with self._parent(place) as (handle, name):
            return os.stat(name, dir_fd=handle, follow_symlinks=False)

    def exists(self, place: WorkspacePath) -> bool:
        """Whether anything is at `place`."""
        try:
            self.stat(place)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    # -- opening ------------------------------------------------------------------------------------

    def open_file(self, place: WorkspacePath) -> int:
        """A descriptor for reading the regular file at `place`. Raises OSError otherwise."""
        with self._parent(place) as (handle, name):
            # Looked at before it is opened: opening a device can already do something.
            require_regular(os.stat(name, dir_fd=handle, follow_symlinks=False), place.absolute)
            descriptor = os.open(name, _FILE, dir_fd=handle)
        try:
            require_regular(os.fstat(descriptor), place.absolute)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def open_directory(self, place: WorkspacePath) -> int:
        """A descriptor for listing the directory at `place`. Needs directory handles (not on Windows)."""
        with self._parent(place) as (handle, name):
            return os.open(name, _DIRECTORY, dir_fd=handle)

    @contextmanager
    def directory_of(self, place: WorkspacePath, *, create: bool = False) -> Iterator[tuple[int | None, str]]:
        """The handle of the directory that holds `place`, and the name of `place` in it.

        Missing directories are made when `create` is true. Without directory handles the first
        element is None and the second an absolute path.
        """
        with self._parent(place, create=create) as found:
            yield found

    @contextmanager
    def _parent(self, place: WorkspacePath, *, create: bool = False) -> Iterator[tuple[int | None, str]]:
        if not HANDLES:
            yield None, self._checked_again(place, create=create)
            return
        handle = os.open(self.real_root, _PASSAGE & ~_COMMON | getattr(os, "O_CLOEXEC", 0))
        try:
            *above, name = place.segments or ["."]
            for segment in above:
                below = _enter(handle, segment, create=create)
                os.close(handle)
                handle = below
            yield handle, name
        finally:
            os.close(handle)

    def _checked_again(self, place: WorkspacePath, *, create: bool) -> str:
        if create:
            os.makedirs(os.path.dirname(place.absolute), exist_ok=True)
        if os.path.realpath(place.absolute) != place.absolute:
            raise OSError(errno.ELOOP, "a symbolic link appeared on the way", place.absolute)
        return place.absolute


def _refuse_circle(absolute: str) -> None:
    """`realpath` leaves a path alone when its links run in a circle; say so here."""
    try:
        circular = stat.S_ISLNK(os.lstat(absolute).st_mode)
    except OSError as error:
        circular = error.errno == errno.ELOOP
    if circular:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), absolute)


def _enter(handle: int, segment: str, *, create: bool) -> int:
    try:
        return os.open(segment, _PASSAGE, dir_fd=handle)
    except FileNotFoundError:
        if not create:
            raise
    with suppress(FileExistsError):  # someone else made it meanwhile
        os.mkdir(segment, dir_fd=handle)
    return os.open(segment, _PASSAGE, dir_fd=handle)


Special = Literal["FIFO", "socket", "device", "symbolic link", "special file"]


def special_kind(mode: int) -> Special | None:
    """What a file is when it is neither a regular file nor a directory; None when it is one of them."""
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    if stat.S_ISFIFO(mode):
        return "FIFO"
    if stat.S_ISSOCK(mode):
        return "socket"
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        return "device"
    return "symbolic link" if stat.S_ISLNK(mode) else "special file"


def require_regular(status: os.stat_result, path: str) -> None:
    """Raise the OSError that fits when `status` is not that of a regular file."""
    if stat.S_ISREG(status.st_mode):
        return
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, f"not a regular file but a {special_kind(status.st_mode)}", path)
