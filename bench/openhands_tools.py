"""OpenHands' tools as a process of its own, run by a Python that has `openhands-tools`.

    python bench/openhands_tools.py DIRECTORY

Reads one call per line, `{"tool": ..., "args": {...}}`, and answers each with the seconds that it took and
whether it was an error. `bench/openhands_peer.py` starts it; it imports nothing of ours, because that Python
need not have it.
"""

from __future__ import annotations

import json
import sys
import time

from openhands.tools.file_editor.definition import FileEditorAction
from openhands.tools.file_editor.impl import FileEditorExecutor
from openhands.tools.gemini.edit.definition import EditAction
from openhands.tools.gemini.edit.impl import EditExecutor
from openhands.tools.gemini.list_directory.definition import ListDirectoryAction
from openhands.tools.gemini.list_directory.impl import ListDirectoryExecutor
from openhands.tools.gemini.read_file.definition import ReadFileAction
from openhands.tools.gemini.read_file.impl import ReadFileExecutor
from openhands.tools.glob.definition import GlobAction
from openhands.tools.glob.impl import GlobExecutor
from openhands.tools.grep.definition import GrepAction
from openhands.tools.grep.impl import GrepExecutor


def main() -> None:
    """Answer calls until there are no more."""
    root = sys.argv[1]
    tools = {
        "grep": (GrepExecutor(working_dir=root), GrepAction),
        "glob": (GlobExecutor(working_dir=root), GlobAction),
        "list_directory": (ListDirectoryExecutor(workspace_root=root), ListDirectoryAction),
        "read_file": (ReadFileExecutor(workspace_root=root), ReadFileAction),
        "edit": (EditExecutor(workspace_root=root), EditAction),
        "file_editor": (FileEditorExecutor(workspace_root=root), FileEditorAction),
    }
    for line in sys.stdin:
        call = json.loads(line)
        execute, action = tools[call["tool"]]
        began, worked = time.perf_counter(), time.process_time()
        observation = execute(action(**call["args"]))
        seconds, worked = time.perf_counter() - began, time.process_time() - worked
        answer = {"seconds": seconds, "processor": worked, "error": observation.is_error}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
