"""One peer being tried: the checks so far, its scratch home, its commands, and the time it has left."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from conformance.commands import Finished, run_bounded
from conformance.environments import scrubbed

PEER_SECONDS = 600.0
COMMAND_SECONDS = 120.0
ROOT = Path(__file__).parent.parent
CLIENTS = Path(__file__).parent / "clients"
SCRIPTS = Path(__file__).parent / "scripts"
PROGRAMS = Path(__file__).parent

Outcome = Literal["passed", "failed", "skipped"]


class ClientBroke(Exception):
    """A client's program did not get as far as telling what it saw."""


@dataclass(frozen=True, slots=True)
class Check:
    """One sentence about a peer, whether it was true, and what was seen where it was not."""

    sentence: str
    outcome: Outcome
    seen: str = ""


@dataclass(slots=True)
class Trial:
    """What a peer's `run` works with."""

    peer: str
    place: Path
    """Where its packages are installed."""
    scratch: Path
    """An empty folder for its homes and its work, outside of any project."""
    logs: Path
    """Where the output of its commands is kept."""
    version: str = ""
    records: bool = False
    """Whether what it prints becomes the recording in the documentation."""
    deadline: float = field(default_factory=lambda: time.monotonic() + PEER_SECONDS)
    checks: list[Check] = field(default_factory=list)
    _commands: int = 0
    _subject: str = ""

    @contextmanager
    def about(self, subject: str) -> Iterator[None]:
        """Sentences written down inside begin with these words."""
        before, self._subject = self._subject, subject
        try:
            yield
        finally:
            self._subject = before

    def check(self, sentence: str, holds: object, seen: object = "") -> None:
        """Write down a sentence and whether it holds."""
        sentence = self._subject + sentence
        self.checks.append(
            Check(sentence, "passed")
            if holds
            else Check(sentence, "failed", " ".join(str(seen).split())[:600])
        )

    def new_folder(self, name: str) -> Path:
        """A fresh folder in the scratch space: a home, or a place to work in."""
        folder = self.scratch / f"{name}-{self._commands + 1}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "tmp").mkdir(exist_ok=True)
        return folder

    async def command(
        self,
        words: Sequence[str],
        variables: Mapping[str, str] | None = None,
        *,
        home: Path | None = None,
        folder: Path | None = None,
        seconds: float = COMMAND_SECONDS,
    ) -> Finished:
        """Run a program of the peer with a scratch HOME, no network, and these variables on top."""
        home = home or self.new_folder("home")
        self._commands += 1
        environment = scrubbed(os.environ, home, self.programs())
        return await asyncio.to_thread(
            run_bounded,
            words,
            environment=environment | dict(variables or {}),
            folder=folder or home,
            log=self.logs / f"{self._commands:02d}-{Path(words[0]).name}",
            seconds=min(seconds, self.deadline - time.monotonic()),
        )

    def programs(self) -> tuple[Path, ...]:
        """The folders with the peer's own programs."""
        return tuple(
            folder for folder in (self.place / "node_modules" / ".bin", self.place / "bin") if folder.is_dir()
        )

    async def sighting(self, client: str, variables: Mapping[str, str]) -> dict[str, Any]:
        """Run one of our small client programs; what it saw, which it prints as one JSON object."""
        if client.endswith(".mjs"):
            # node looks for packages next to the program that imports them
            shutil.copy(CLIENTS / client, self.place / client)
            words = ["node", str(self.place / client)]
        else:
            words = [str(self.place / "bin" / "python"), "-I", str(CLIENTS / client)]
        done = await self.command(words, variables)
        try:
            seen = msgspec.json.decode(done.out)
        except msgspec.DecodeError:
            raise ClientBroke(f"{client} ended with {done.brief}") from None
        if not isinstance(seen, dict):
            raise ClientBroke(f"{client} printed something else than an object: {done.out[:200]}")
        return seen
