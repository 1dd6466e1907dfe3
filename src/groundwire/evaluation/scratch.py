"""A folder of results is worked on by one run at a time, which has a scratch folder of its own for that time.

The scratch folder is where temporary files are, so that nothing above it (a pyproject.toml, a conftest.py)
takes part in the tests. What a killed run left there is taken away when the folder is worked on again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from groundwire.errors import EvaluationFailed

PREFIX = "groundwire-eval-"
_LOCK = ".lock"


@contextmanager
def scratch_for(folder: Path) -> Iterator[Path]:
    """A scratch folder for a run in `folder`. EvaluationFailed when another run is under way there."""
    import fcntl  # noqa: PLC0415  (lazy: there is none on Windows, where no tests can be run anyway)

    make_folder(folder)
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise EvaluationFailed(
                f"Another run is under way in {folder}.", hint="Wait for it, or choose another --out DIR."
            ) from None
        _forget(Path(os.fsdecode(os.read(descriptor, 4096))))
        scratch = Path(tempfile.mkdtemp(prefix=PREFIX))
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, os.fsencode(scratch), 0)
        try:
            yield scratch
        finally:
            _forget(scratch)
            os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make a folder that a person named, if it is missing. EvaluationFailed when it cannot be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise EvaluationFailed(
            f"{folder} cannot be written to: {error.strerror}.", hint="Name another folder."
        ) from None


def place_for_attempt(repositories: Path) -> Path:
    """A folder for one attempt: in the run's scratch folder, or on another machine among temporary files."""
    run = repositories.parent
    return Path(tempfile.mkdtemp(prefix=PREFIX, dir=run if run.is_dir() else None))


def _forget(left: Path) -> None:
    """Take a scratch folder away, and nothing that is none."""
    if left.name.startswith(PREFIX) and left.parent == Path(tempfile.gettempdir()):
        with contextlib.suppress(OSError):
            shutil.rmtree(left, ignore_errors=True)
