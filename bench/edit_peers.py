"""Other editors for the edit benchmark: Gemini CLI's own `replace`, asked through Node.js."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.edit_mistakes import Case

Editor = Callable[[Case], tuple[str | None, bool]]


@contextmanager
def gemini_cli() -> Iterator[Editor]:
    """Gemini CLI's tool on a file in a folder of its own; installed from npm unless GEMINI_CORE names it."""
    from conformance.gemini_oracle import Oracle

    with Oracle() as oracle, tempfile.TemporaryDirectory(prefix="groundwire-") as folder:
        target = Path(folder, "file.txt")

        def edit(case: Case) -> tuple[str | None, bool]:
            data = case.text.encode()
            target.write_bytes(data)
            arguments = {
                "file_path": str(target),
                "instruction": "edit",
                "old_string": case.old,
                "new_string": case.new,
            }
            answer = oracle.call(Path(folder), "replace", arguments)
            exact = case.old in case.text
            after = target.read_bytes().decode()
            return (None, exact) if answer.get("error") and after == case.text else (after, exact)

        yield edit
        os.unlink(target)
