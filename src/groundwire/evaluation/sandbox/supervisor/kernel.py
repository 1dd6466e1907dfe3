"""Calls of the system that Python has no words for."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 36, 38


def libc() -> Any:
    """The C library."""
    return ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int) -> None:
    """Change something about this process; nothing happens where there is no such call."""
    if sys.platform == "linux":
        libc().prctl(option, ctypes.c_ulong(value), 0, 0, 0)
