"""A person at a terminal: runs a program in a real pty, types when something appears, and sees what a
screen shows."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

CTRL_C, CTRL_D = "\x03", "\x04"
SECONDS = 30.0
"""How long anything is waited for before the test fails."""


class Terminal:
    """A program in a pty. A context manager; the program is gone at its end."""

    def __init__(self, words: list[str], *, env: Mapping[str, str], folder: Path) -> None:
        command = [sys.executable, "-m", "groundwire", *words]
        environment = {**env, "TERM": "xterm", "COLUMNS": "100", "LINES": "40"}
        self._pid, self._handle = pty.fork()
        if self._pid == 0:  # pragma: no cover  (the other process)
            os.chdir(folder)
            os.execve(sys.executable, command, environment)
        self.output = ""
        """Everything that came, control sequences included."""
        self._seen = 0
        self._raw = b""
        self.code: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.code is None:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._handle)

    def expect(self, words: str) -> None:
        """Wait until the words appear, after those that were waited for before."""
        self._until(lambda: words in self.output[self._seen :], f"{words!r} did not appear")
        self._seen = self.output.index(words, self._seen) + len(words)

    def type(self, words: str) -> None:
        """Type the words; a line ends with Enter."""
        os.write(self._handle, words.encode())

    def press_until(self, key: str, words: str) -> None:
        """Press a key until the words appear, as a person does.

        Python's readline looks for a signal only while it waits: one that comes while it draws a letter
        is seen at the next.
        """
        pressed = float("-inf")

        def appeared() -> bool:
            nonlocal pressed
            if words in self.output[self._seen :]:
                return True
            if time.monotonic() - pressed > 1:
                self.type(key)
                pressed = time.monotonic()
            return False

        self._until(appeared, f"{words!r} did not appear")
        self.expect(words)

    def say(self, line: str) -> None:
        """Wait for the prompt and type a line."""
        self.expect("› ")
        self.type(f"{line}\r")

    def leave(self) -> int:
        """Wait for the program to end: its exit code."""
        self._until(self._has_ended, "the program did not end")
        assert self.code is not None
        return self.code

    def screen(self) -> list[str]:
        """The lines a person sees in the end, without colours."""
        return screen_of(self.output)

    def _has_ended(self) -> bool:
        if self.code is None:
            ended, status = os.waitpid(self._pid, os.WNOHANG)
            if ended:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code is not None

    def _until(self, true: Callable[[], bool], otherwise: str) -> None:
        deadline = time.monotonic() + SECONDS
        while not true():
            if time.monotonic() > deadline:
                raise AssertionError(f"{otherwise}; the terminal shows:\n" + "\n".join(self.screen()))
            if select.select([self._handle], [], [], 0.02)[0]:
                try:
                    self._raw += os.read(self._handle, 65536)
                except OSError:  # the other side is closed
                    self._has_ended()
                self.output = self._raw.decode("utf-8", "ignore")


def screen_of(output: str) -> list[str]:
    """What a terminal shows after this output; it knows what our programs use."""
    lines = [""]
    column = 0
    for token in re.findall(r"\x1b\[[?\d;]*[a-zA-Z]|[\s\S]", output):
        if token == "\r":
            column = 0
        elif token == "\n":
            lines.append("")
            column = 0
        elif token == "\b":
            column = max(0, column - 1)
        elif token in ("\x1b[2K", "\x1b[K"):
            lines[-1] = "" if token == "\x1b[2K" else lines[-1][:column]
        elif not token.startswith("\x1b") and token.isprintable():
            lines[-1] = lines[-1][:column].ljust(column) + token + lines[-1][column + 1 :]
            column += 1
    return [line.rstrip() for line in lines]
