"""The state of one running emulator, handed to every handler: clock, ids, documents, script, memory.

Nothing here is global, so two emulators in one process never meet. Identifiers count from one and
the clock is a parameter, so the same requests give the same answers.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from groundwire.emulator.composing import Documents
from groundwire.emulator.script import ScriptRun
from groundwire.emulator.wire import Call

Kept = TypeVar("Kept")


@dataclass(slots=True)
class World:
    """What handlers share. An API keeps its own state in a class of its own, fetched with `of`."""

    documents: Documents
    base_url: str = "http://127.0.0.1"
    clock: Callable[[], float] = time.time
    script: ScriptRun | None = None
    scenarios: tuple[str, ...] = ()
    """The sticky scenarios, played by every request that names none of its own."""
    requests: list[Call] = field(default_factory=list)
    keep: int | None = None
    """How many requests are remembered, the newest ones; None means all."""
    counts: Counter[str] = field(default_factory=Counter)
    _kept: dict[type, Any] = field(default_factory=dict)

    def note(self, call: Call) -> None:
        """Remember a request and count it."""
        self.count("requests")
        self.requests.append(call)
        if self.keep is not None and len(self.requests) > self.keep:
            del self.requests[0]

    def of(self, kind: type[Kept]) -> Kept:
        """This emulator's one instance of a state class, made (without arguments) when first asked for."""
        if kind not in self._kept:
            self._kept[kind] = kind()
        kept: Kept = self._kept[kind]
        return kept

    def next_id(self, prefix: str) -> str:
        """A new identifier: the prefix and a number that counts up."""
        return f"{prefix}{self.count(prefix):06d}"

    def count(self, what: str) -> int:
        """How often this was counted, this time included."""
        self.counts[what] += 1
        return self.counts[what]
