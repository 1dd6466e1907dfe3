"""Other editors for the edit benchmark: Gemini CLI's `replace`, OpenHands' `edit` and `file_editor`.

Each is asked in its own process, for an edit of a file in a folder of its own.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench.edit_mistakes import Case
from bench.openhands_peer import openhands
from bench.peers import Peers

Editor = Callable[[Case], tuple[str | None, bool]]
"""A case to the text after the edit (None when refused), and whether it was an exact match."""


@contextmanager
def other_editors(peers: Peers) -> Iterator[dict[str, Editor]]:
    """The editors that can be installed, by name."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="groundwire-"))).resolve()
        target = folder / "file.txt"
        found: dict[str, Editor] = {}
        if core := peers.place("gemini-cli-core", "Gemini CLI"):
            from conformance.gemini_oracle import Oracle

            oracle = stack.enter_context(Oracle(core / "node_modules" / "@google" / "gemini-cli-core"))

            def replace(old: str, new: str) -> bool:
                arguments = {"instruction": "edit", "old_string": old, "new_string": new}
                return not oracle.call(folder, "replace", {"file_path": str(target), **arguments})["error"]

            found["Gemini CLI replace"] = editor(target, replace)
        if other := stack.enter_context(openhands(peers, folder)):

            def edit(old: str, new: str) -> bool:
                arguments: dict[str, Any] = {"old_string": old, "new_string": new}
                return not other.call("edit", {"file_path": str(target), **arguments})["error"]

            def file_editor(old: str, new: str) -> bool:
                arguments = {"command": "str_replace", "old_str": old, "new_str": new}
                return not other.call("file_editor", {"path": str(target), **arguments})["error"]

            found["OpenHands edit"] = editor(target, edit)
            found["OpenHands file_editor"] = editor(target, file_editor)
        yield found


def editor(target: Path, replace: Callable[[str, str], bool]) -> Editor:
    """An editor of texts made of a tool that edits `target` and says whether it did."""

    def edited(case: Case) -> tuple[str | None, bool]:
        target.write_bytes(case.text.encode())
        done = replace(case.old, case.new)
        after, exact = target.read_bytes().decode("utf-8", "replace"), case.old in case.text
        return (after, exact) if done or after != case.text else (None, exact)

    return edited
