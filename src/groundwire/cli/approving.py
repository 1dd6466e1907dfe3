"""Asks the person at the terminal whether something may be done: a coloured diff, the command or the
addresses, then y, n or always.

What it is and the question go to standard error, so that standard output holds only what was asked for.
"""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from groundwire.agent.approval import Ask, Proposal, Verdict
from groundwire.cli.terminal_look import as_wanted

_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_COLOURS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_ANSWERS = {
    "y": Verdict.YES,
    "yes": Verdict.YES,
    "n": Verdict.NO,
    "no": Verdict.NO,
    "": Verdict.NO,
    "a": Verdict.ALWAYS,
    "always": Verdict.ALWAYS,
}


def asking(make_room: Callable[[], None], stop: Callable[[], None]) -> Ask:
    """Asks the person at the terminal, after `make_room`; Ctrl-C denies, and stops what goes on."""

    async def ask(proposal: Proposal) -> Verdict:
        make_room()
        try:
            return ask_on_terminal(proposal)
        except KeyboardInterrupt:
            print(file=sys.stderr)
            stop()
            await asyncio.sleep(0)  # here the run notices that it was stopped
            return Verdict.NO

    return ask


def ask_on_terminal(proposal: Proposal) -> Verdict:
    """What the person says; the end of the input is a no."""
    shown, question = _worded(proposal)
    _forget_what_was_typed()
    print(as_wanted(shown), file=sys.stderr)
    with _interruptible():
        while True:
            print(f"{visible(proposal.name)}: {question}: ", end="", file=sys.stderr)
            sys.stderr.flush()
            line = sys.stdin.readline()
            verdict = _ANSWERS.get(line.strip().lower())
            if verdict is not None:
                return verdict


def _worded(proposal: Proposal) -> tuple[str, str]:
    """What is shown, and the question below it, which says what `always` would allow."""
    if proposal.command:
        place = f" (in {visible(proposal.directory)})" if proposal.directory else ""
        command = "\n  ".join(visible(line) for line in proposal.command.split("\n"))
        return (
            f"{_BOLD}$ {command}{_PLAIN}{place}",
            "run this command? [y]es, [n]o, [a]lways this very command",
        )
    if proposal.pages:
        addresses = "\n".join(f"{_BOLD}{visible(page)}{_PLAIN}" for page in proposal.pages)
        return (
            f"{addresses}\nNeither you nor a search named this.",
            "open it? [y]es, [n]o, [a]lways pages of that host",
        )
    return coloured(proposal.diff), "make this change? [y]es, [n]o, [a]lways all changes of files"


def coloured(diff: str) -> str:
    """The diff with added, removed and place lines in colours, and nothing in it hidden."""
    lines = []
    for line in diff.splitlines():
        colour = "" if line.startswith(("+++", "---")) else _COLOURS.get(line[:1], "")
        lines.append(f"{colour}{visible(line)}{_PLAIN}" if colour else visible(line))
    return "\n".join(lines)


def visible(text: str) -> str:
    """The text with what a terminal would obey or hide written as escapes: it is what gets approved."""
    return _UNSEEN.sub(lambda unseen: f"\\u{ord(unseen.group()):04x}", text)


def _forget_what_was_typed() -> None:
    """A y that was typed before the question was there is no answer to it."""
    with suppress(ImportError, OSError, ValueError):  # Windows, or no terminal
        import termios

        with suppress(termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C while waiting for an answer is an exception; the event loop's handler would not see it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
