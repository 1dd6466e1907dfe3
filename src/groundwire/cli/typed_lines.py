"""What a person types at the prompt of `groundwire chat`: lines with editing and a history, or plain lines
from a pipe. A line that ends in a backslash goes on in the next one, and lines between two lines of \"\"\"
belong together."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from groundwire.cli.terminal_look import colours_wanted

QUOTES = '"""'
_MOST_REMEMBERED = 1000


def whole_entry(read: Callable[[str], str], prompt: str, more: str) -> str:
    """One entry, however many lines it has. EOFError when there is none any more."""
    line = read(prompt)
    if line.strip() == QUOTES:
        return _quoted(read, more)
    lines = []
    while line.endswith("\\"):
        lines.append(line[:-1])
        try:
            line = read(more)
        except EOFError:
            line = ""
    return "\n".join([*lines, line])


def _quoted(read: Callable[[str], str], more: str) -> str:
    lines: list[str] = []
    with suppress(EOFError):
        while (line := read(more)).strip() != QUOTES:
            lines.append(line)
    return "\n".join(lines)


class TypedLines:
    """Reads entries from standard input. A context manager: the history is kept at its end."""

    def __init__(self, history: Path, words: Iterable[str], *, prompt: str = "› ") -> None:
        """`words` are completed by the Tab key."""
        self._history = history
        self._words = sorted(words)
        self._person = sys.stdin.isatty()
        self._prompt = prompt

    def next(self) -> str:
        """The next entry. EOFError at the end, KeyboardInterrupt when it was given up."""
        if self._person:
            bold = f"\x01\x1b[1m\x02{self._prompt}\x01\x1b[0m\x02"
            return whole_entry(input, bold if colours_wanted() else self._prompt, "… ")
        return whole_entry(_plain_line, "", "")

    def __enter__(self) -> TypedLines:
        if self._person:
            with suppress(ImportError):  # Windows has no readline: the console edits the line itself
                self._prepare()
        return self

    def __exit__(self, *problem: object) -> None:
        if self._person and "readline" in sys.modules:
            self._keep()

    def _prepare(self) -> None:
        import readline

        readline.parse_and_bind("set enable-bracketed-paste on")
        readline.parse_and_bind("tab: complete")
        readline.set_completer_delims(" ")
        readline.set_completer(self._completion)
        readline.set_history_length(_MOST_REMEMBERED)
        with suppress(OSError):
            readline.read_history_file(self._history)

    def _keep(self) -> None:
        import readline

        with suppress(OSError):  # a history that cannot be kept is no reason to fail
            self._history.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._history, os.O_CREAT | os.O_WRONLY, 0o600))
            readline.write_history_file(self._history)

    def _completion(self, typed: str, number: int) -> str | None:
        fitting = [word for word in self._words if typed and word.startswith(typed)]
        return fitting[number] if number < len(fitting) else None


def _plain_line(prompt: str) -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")
