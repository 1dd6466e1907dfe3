"""A watch over a running command: when this program dies, whatever killed it, the command is killed, too.

A program that gets SIGKILL can clean up nothing, so another one does it: a small `sh` that waits on a pipe
which only we hold open. The system closes the pipe when we are gone. It leads a session of its own, so that
neither a closed terminal nor a signal to our group ends it before us, and it ends with the command.

It kills the command's process group and, where there is /proc, everything that carries the command's mark
in its environment.
"""

from __future__ import annotations

import subprocess
from contextlib import suppress
from types import TracebackType
from typing import Self

_LOOKS = 5
"""So often nothing must be found: a process that is just becoming another program shows no environment."""
_SCRIPT = f"""
while read -r group; do kill_group=$group; done
[ -z "$kill_group" ] || kill -KILL -- "-$kill_group"
looks={_LOOKS}
while [ -d /proc/self ] && [ $looks -gt 0 ]; do
  looks=$((looks - 1))
  for place in $(grep -ls "$1" /proc/[0-9]*/environ); do
    place=${{place#/proc/}}
    kill -KILL "${{place%/environ}}" && looks={_LOOKS}
  done
  sleep 0.02
done
"""


class Watch:
    """Watches while it is open. A context manager; it ends without killing anything."""

    def __init__(self, mark: str) -> None:
        """`mark` is in the environment of every process of the command. OSError when there is no `sh`."""
        self._process = subprocess.Popen(  # noqa: S603  (nothing in it is foreign)
            ["/bin/sh", "-c", _SCRIPT, "groundwire-watch", mark],
            cwd="/",
            env={"PATH": "/usr/bin:/bin:/usr/local/bin"},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def over(self, group: int) -> None:
        """Watch over a process group as well as over the mark."""
        assert self._process.stdin is not None
        with suppress(OSError):  # it was killed; there is no other
            self._process.stdin.write(f"{group}\n".encode())
            self._process.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
