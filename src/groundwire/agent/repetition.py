"""Notices an agent that turns in circles: the same call with the same result, again and again.

Reading the same thing again is progress only when something was written in between, so a change of the
workspace forgets what was read before it. The same holds for commands, which mostly look (does it build
now?), but only a change of a file forgets them. Writes are never forgotten: writing the same thing over and
over is a circle, too.
"""

from __future__ import annotations

import re
from collections import Counter

import msgspec

from groundwire.agent.functions import Given
from groundwire.agent.reply import Call
from groundwire.tools.run_shell_command import NAME as SHELL

_PROCESS = re.compile(rb"Process Group PGID: \d+")
"""Another one each time, and no other result."""
_encode = msgspec.json.Encoder(order="sorted", enc_hook=repr).encode


class Repetitions:
    """Counts calls that had the same result."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._reads: Counter[int] = Counter()
        self._commands: Counter[int] = Counter()
        self._writes: Counter[int] = Counter()
        self.circle: Call | None = None
        """The call that was repeated too often, once there is one."""

    def note(self, call: Call, given: Given, *, writes: bool) -> None:
        """Take note of a call and what it gave."""
        is_command = call.name == SHELL
        counted = self._commands if is_command else self._writes if writes else self._reads
        key = hash(_PROCESS.sub(b"", _encode([call.name, call.arguments, given.response])))
        counted[key] += 1
        if counted[key] >= self._limit:
            self.circle = call
        if writes and given.ok:
            self._reads.clear()
            if not is_command:
                self._commands.clear()
