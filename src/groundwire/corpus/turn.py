"""One process at a time indexes a folder; the others wait for it and find the work done.

SQLite lets writers wait too, but a process that commits batch after batch hardly ever leaves a gap for
another one. So a whole refresh is one turn. The lock is a transaction on a small SQLite file of its own:
it works on every system, and a process that dies lets go of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

ATTEMPT_SECONDS = 0.5
ATTEMPTS = 1200


@contextmanager
def turn(lock_file: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the turn. While another process has it, `waiting` is called every now and then; it may raise."""
    with closing(sqlite3.connect(lock_file, timeout=ATTEMPT_SECONDS, isolation_level=None)) as connection:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                connection.execute("BEGIN EXCLUSIVE")
                break
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or attempt == ATTEMPTS:
                    raise
            waiting()
        yield
        connection.execute("ROLLBACK")
