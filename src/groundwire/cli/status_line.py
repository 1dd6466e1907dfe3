"""The live line below a run on a terminal: which turn, what it has used, how long it takes, what is going on.

It stands on a line of its own and is taken away before anything else is written, so it never becomes part
of what was said. In a pipe there is none.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TextIO

from groundwire.agent.prices import in_dollars
from groundwire.cli.terminal_look import as_wanted, columns, fitting

_CLEAR = "\r\x1b[2K"
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class StatusLine:
    """One line that changes in its place."""

    def __init__(
        self,
        stream: TextIO,
        *,
        clock: Callable[[], float] = time.monotonic,
        width: Callable[[], int] | None = None,
    ) -> None:
        self._stream = stream
        self._clock = clock
        self._width = width or (lambda: columns(stream))
        self._began = clock()
        self._frame = 0
        self._shown = False
        self.turn = 0
        self.tokens = 0
        self.cost: float | None = None
        self.doing = ""
        """What is going on; empty while the model thinks."""

    def show(self) -> None:
        """Write the line, or write it anew."""
        self._frame += 1
        line = f"{_FRAMES[self._frame % len(_FRAMES)]} {self._words()}"
        shown = fitting(line, max(1, self._width() - 1))
        self._stream.write(_CLEAR + as_wanted(f"{_DIM}{shown}{_PLAIN}"))
        self._stream.flush()
        self._shown = True

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._shown = False

    def _words(self) -> str:
        minutes, seconds = divmod(int(self._clock() - self._began), 60)
        said = [f"turn {self.turn}", f"{self.tokens:,} tokens"]
        if self.cost:
            said.append(in_dollars(self.cost))
        said += [f"{minutes}:{seconds:02}", self.doing or "thinking", "Ctrl-C stops"]
        return " · ".join(said)
