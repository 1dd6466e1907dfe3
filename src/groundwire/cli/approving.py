"""Asks the person at the terminal whether a change may be made: a coloured diff, then y, n or always.

The diff and the question go to standard error, so that standard output holds only what was asked for.
"""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from groundwire.agent.approval import Proposal, Verdict

_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_COLOURS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_PLAIN = "\x1b[0m"
_ANSWERS = {
    "y": Verdict.YES,
    "yes": Verdict.YES,
    "n": Verdict.NO,
    "no": Verdict.NO,
    "": Verdict.NO,
    "a": Verdict.ALWAYS,
    "always": Verdict.ALWAYS,
}


def ask_on_terminal(proposal: Proposal) -> Verdict:
    """What the person says; the end of the input is a no."""
    print(coloured(proposal.diff), file=sys.stderr)
    with _interruptible():
        while True:
            print(
                f"{visible(proposal.name)}: make this change? [y]es, [n]o, [a]lways: ",
                end="",
                file=sys.stderr,
            )
            sys.stderr.flush()
            line = sys.stdin.readline()
            verdict = _ANSWERS.get(line.strip().lower())
            if verdict is not None:
                return verdict


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


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C while waiting for an answer ends the program; the event loop's handler would not see it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
