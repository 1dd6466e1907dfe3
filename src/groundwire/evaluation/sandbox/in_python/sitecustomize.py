"""Loaded by every Python in the sandbox: notices writes outside the writable folders and ends the process.

The kernel's walls keep such a write from happening; this names it, so that it can be reported. It stands
first on PYTHONPATH, uses the standard library only, and works for any Python from 3.8.
"""

import os
import sys
from typing import Any

LOG = os.environ.get("GROUNDWIRE_OUTSIDE_LOG", "")
WRITABLE = [folder for folder in os.environ.get("GROUNDWIRE_WRITABLE", "").split(os.pathsep) if folder]
EXIT_CODE = 97

# Event of Python's audit hooks: which of its arguments are paths that change.
CHANGED = {
    "os.mkdir": (0,),
    "os.remove": (0,),
    "os.rmdir": (0,),
    "os.rename": (0, 1),
    "os.link": (1,),
    "os.symlink": (1,),
    "os.truncate": (0,),
    "os.chmod": (0,),
    "os.chown": (0,),
    "os.utime": (0,),
    "os.setxattr": (0,),
    "shutil.rmtree": (0,),
    "sqlite3.connect": (0,),
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def _is_inside(path: object) -> bool:
    if not isinstance(path, (str, bytes)) or path in ("", b"", ":memory:", b":memory:"):
        return True
    path = os.fsdecode(path)
    folder, name = os.path.split(os.path.abspath(path))
    real = os.path.join(os.path.realpath(folder), name)
    if real.startswith("/dev/"):
        return True
    return any(real == root or real.startswith(root + os.sep) for root in WRITABLE)


def _watch(event: str, arguments: Any) -> None:
    if event == "open":
        path, mode, flags = arguments
        # A mode or flags that write; opening a file for reading changes nothing.
        if not (flags or 0) & WRITING and not (isinstance(mode, str) and set(mode) & set("wax+")):
            return
        changed = (path,)
    elif event in CHANGED:
        changed = tuple(arguments[at] for at in CHANGED[event] if at < len(arguments))
    else:
        return
    for path in changed:
        if not _is_inside(path):
            _stop(event, path)


def _stop(event: str, path: Any) -> None:
    told = f"{event} {os.path.abspath(os.fsdecode(path))}\n"
    log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(log, told.encode("utf-8", "replace"))
    os.write(2, ("Stopped: a write outside the folder of the tests: " + told).encode("utf-8", "replace"))
    os._exit(EXIT_CODE)


if LOG and WRITABLE:
    WRITABLE = [os.path.realpath(folder) for folder in WRITABLE]
    sys.addaudithook(_watch)
