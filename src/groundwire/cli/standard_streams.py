"""Standard input, output and error, whatever they are when the program starts.

closed          is /dev/null: otherwise the next file that is opened would take its number
not UTF-8       what cannot be written in its encoding becomes a question mark, as `print` does on stderr
full, or gone   is told in one line, once, and by the exit code
"""

from __future__ import annotations

import errno
import io
import os
import sys

GONE = 141
"""The reader of our pipe left (`| head`), as the shell tells it of other programs."""
NOT_WRITTEN = 1
closed_at_start: set[int] = set()
"""Which of the three nobody gave us; a command that talks through them must know."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def prepare() -> None:
    """Make the three streams usable."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            _occupy(number)
            setattr(sys, name, open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")


def _occupy(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        closed_at_start.add(number)
        nothing = os.open(os.devnull, os.O_RDWR)
        if nothing != number:
            os.dup2(nothing, number)
            os.close(nothing)


def exit_code_of(error: OSError) -> int | None:
    """The exit code when the error is about writing to standard output; None when it is about something else.

    Python would write what is left once more at its end and complain again, so it is given nothing to write
    to.
    """
    if isinstance(error, BrokenPipeError):
        _give_up_output()
        return GONE
    if error.errno not in _FULL or error.filename is not None:
        return None
    _give_up_output()
    print(f"groundwire: standard output cannot be written: {error.strerror}.", file=sys.stderr)
    return NOT_WRITTEN


def _give_up_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
