"""Something that moves on standard error while a person waits, and says what is going on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.status import Status


class Waiting:
    """A spinner with words; silent when nobody is looking. A context manager."""

    def __init__(self, words: str, *, quiet: bool = False) -> None:
        self._status: Status | None = None
        if not quiet and sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status(f"{words}…", spinner="dots", spinner_style="dim")

    def say(self, words: str) -> None:
        """Change the words."""
        if self._status is not None:
            self._status.update(f"{words}…")

    def __enter__(self) -> Waiting:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *problem: object) -> None:
        if self._status is not None:
            self._status.stop()
