"""What we remember about sign-ins without touching the stores of others: which have ended, which project was
found for them, and that the person has read what Google's terms say.

It is a small file of our own. A sign-in is named there by a fingerprint of its refresh token, so that a new
sign-in is a new name and nothing secret stands in the file. Two programs that write at the same moment may
lose one note, which costs one more question to the server and nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from groundwire.credentials.records import header_text
from groundwire.credentials.store import FileStore
from groundwire.secret import Secret

_ENDED, _PROJECTS, _TERMS = "ended", "projects", "termsConfirmed"


@dataclass(frozen=True, slots=True)
class Memory:
    """The notes in one state folder."""

    state_dir: Path

    def has_ended(self, refresh: Secret | None) -> bool:
        """Whether a server refused this sign-in for good."""
        return refresh is not None and fingerprint(refresh) in self._section(_ENDED)

    def note_ended(self, refresh: Secret, reason: str) -> None:
        """Do not use this sign-in again."""
        self._store().put({(_ENDED, fingerprint(refresh)): reason})

    def projects(self, refresh: Secret | None) -> tuple[str | None, str | None]:
        """The project that was asked for and the one that was found."""
        note = self._section(_PROJECTS).get(fingerprint(refresh)) if refresh is not None else None
        if not isinstance(note, dict):
            return None, None
        return header_text(note.get("asked")), header_text(note.get("found"))

    def note_projects(self, refresh: Secret, asked: str | None, found: str) -> None:
        """Keep the project with the sign-in."""
        self._store().put({(_PROJECTS, fingerprint(refresh)): {"asked": asked, "found": found}})

    @property
    def terms_confirmed(self) -> bool:
        """Whether the person has read what Google's terms say, and went on."""
        return self._store().read().document.get(_TERMS) is not None

    def confirm_terms(self, now: float) -> None:
        """The person has read it and goes on."""
        self._store().put({(_TERMS,): int(now)})

    def _section(self, name: str) -> Mapping[str, object]:
        section = self._store().read().document.get(name)
        return section if isinstance(section, dict) else {}

    def _store(self) -> FileStore:
        return FileStore(self.state_dir / "sign-ins.json", "groundwire's notes on sign-ins")


def fingerprint(refresh: Secret) -> str:
    """A name for a refresh token that does not give it away."""
    return hashlib.sha256(refresh.reveal().encode("utf-8", "replace")).hexdigest()[:32]
