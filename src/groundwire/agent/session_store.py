"""The folder of sessions: a transcript `ID.jsonl` for each, and beside it `ID.before` with what files held.

An id is the moment a session was opened, `20260314-150926-5f3a`: its last four letters are the part of the
second and one by chance, so ids are in the order of time. Wherever one is asked for, its beginning or its end
is enough when only one session has it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from groundwire.agent.session import Clock, Session
from groundwire.agent.session_kept import KeptBytes
from groundwire.agent.session_past import Past, past_of
from groundwire.agent.transcript import first, read
from groundwire.errors import SessionBusy, SessionError, SessionNotFound, SessionNotWritten
from groundwire.version import __version__

_TRIES = 20


@dataclass(frozen=True, slots=True)
class Listed:
    """A session in a list: what it tells, or why it cannot be read."""

    id: str
    path: Path
    past: Past | None = None
    problem: str = ""


class SessionStore:
    """The sessions of one person on one machine."""

    def __init__(
        self, folder: Path, *, clock: Clock = time.time, random: Callable[[int], bytes] = os.urandom
    ) -> None:
        self.folder = folder
        self._clock = clock
        self._random = random

    def create(self, *, root: str | os.PathLike[str], model: str) -> Session:
        """A new session that works in `root`."""
        now = datetime.fromtimestamp(self._clock(), UTC)
        moment = f"{now:%Y%m%d-%H%M%S}-{now.microsecond * 4096 // 1_000_000:03x}"
        real_root = os.path.realpath(root)
        for _ in range(_TRIES):
            path = self.folder / f"{moment}{self._random(1)[0] % 16:x}.jsonl"
            with suppress(FileExistsError):
                return Session.create(
                    path, root=real_root, model=model, version=__version__, clock=self._clock
                )
        raise SessionNotWritten(f"No free name for a session was found in {self.folder}.")

    def open(self, wanted: str) -> Session:
        """The session of that id, to be gone on with."""
        return Session.open(self.path_of(wanted), clock=self._clock)

    def past(self, wanted: str) -> Past:
        """What the session of that id tells."""
        return past_of(read(self.path_of(wanted)))

    def path_of(self, wanted: str) -> Path:
        """The transcript of the session with this id, or with the only id that begins or ends so."""
        paths = self._paths()
        exact = [path for path in paths if path.stem == wanted]
        found = exact or [path for path in paths if wanted and _fits(path.stem, wanted)]
        if len(found) == 1:
            return found[0]
        if not found:
            raise SessionNotFound(f"There is no session '{wanted}'.")
        raise SessionNotFound(
            f"'{wanted}' could be any of {len(found)} sessions.",
            hint="Give more of its id.",
        )

    def latest(self, *, root: str | os.PathLike[str]) -> Path:
        """The transcript of the newest session that worked in `root`."""
        real_root, elsewhere = os.path.realpath(root), None
        for path in self._paths():
            with suppress(SessionError):
                opened = first(path)
                if opened.root == real_root:
                    return path
                elsewhere = elsewhere or opened
        hint = f"The newest one, {elsewhere.id}, worked in {elsewhere.root}." if elsewhere else ""
        raise SessionNotFound(f"No session has worked in {real_root}.", hint=hint or None)

    def listed(self) -> list[Listed]:
        """Every session, the newest first; one that cannot be read is among them and says why."""
        found = []
        for path in self._paths():
            try:
                found.append(Listed(path.stem, path, past_of(read(path))))
            except SessionError as error:
                found.append(Listed(path.stem, path, problem=error.message))
        return found

    def prune(self, keep: int) -> list[str]:
        """Delete all but the `keep` newest sessions, never one that is being worked on: the ids deleted."""
        return [path.stem for path in self._paths()[keep:] if self._delete(path)]

    def _delete(self, path: Path) -> bool:
        try:
            Session.open(path).close()
        except SessionBusy:
            return False
        except SessionError:
            pass  # nobody can work on what nobody can read
        try:
            path.unlink()
        except OSError:
            return False
        KeptBytes(path).delete()
        return True

    def _paths(self) -> list[Path]:
        try:
            return sorted(self.folder.glob("*.jsonl"), key=lambda path: path.name, reverse=True)
        except OSError:
            return []


def _fits(name: str, wanted: str) -> bool:
    return name.startswith(wanted) or name.endswith(wanted)
