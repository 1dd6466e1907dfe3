"""One holder at a time: across tasks, threads and processes, without blocking the event loop."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from groundwire.credentials.lock import FileLock
from groundwire.errors import CredentialError
from groundwire.testing import ManualClock

OTHER_PROCESS = """
import sys
from pathlib import Path
from groundwire.credentials.lock import FileLock
print(FileLock(Path(sys.argv[1])).try_acquire())
"""


def taken_by_another_process(path: Path) -> bool:
    command = [sys.executable, "-c", OTHER_PROCESS, str(path)]
    return subprocess.run(command, capture_output=True, check=True).stdout.strip() == b"True"


def test_a_second_holder_waits_until_the_first_lets_go(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "x.lock"), FileLock(tmp_path / "x.lock")
    assert first.try_acquire()
    assert not second.try_acquire()
    second.release()
    assert not FileLock(tmp_path / "x.lock").try_acquire()
    first.release()
    assert second.try_acquire()
    second.release()


def test_another_process_is_kept_out_too(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "deep/er/x.lock")
    assert lock.try_acquire()
    assert not taken_by_another_process(lock.path)
    lock.release()
    assert taken_by_another_process(lock.path)


@pytest.mark.skipif(sys.platform == "win32", reason="Codex uses flock where there is flock")
def test_the_lock_is_the_flock_that_codex_takes(tmp_path: Path) -> None:
    import fcntl

    with (tmp_path / "auth.lock").open("w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert not FileLock(tmp_path / "auth.lock").try_acquire()
    ours = FileLock(tmp_path / "auth.lock")
    assert ours.try_acquire()
    ours.release()


async def test_waiting_lets_other_tasks_run_and_gives_up_in_the_end(tmp_path: Path) -> None:
    holder, clock = FileLock(tmp_path / "x.lock"), ManualClock()
    holder.try_acquire()
    assert not await FileLock(holder.path).acquire(patience=3.0, sleep=clock.sleep)
    assert 3.0 <= sum(clock.slept) < 3.2
    assert max(clock.slept) <= 0.1
    holder.release()


async def test_waiting_stops_when_the_lock_is_no_longer_needed(tmp_path: Path) -> None:
    holder, clock = FileLock(tmp_path / "x.lock"), ManualClock()
    holder.try_acquire()
    waiter = FileLock(holder.path)
    assert not await waiter.acquire(patience=60, unless=lambda: True, sleep=clock.sleep)
    assert len(clock.slept) == 1
    holder.release()


async def test_a_cancelled_waiter_leaves_the_lock_free(tmp_path: Path) -> None:
    holder = FileLock(tmp_path / "x.lock")
    holder.try_acquire()
    waiting = asyncio.Event()

    async def sleep(seconds: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(FileLock(holder.path).acquire(patience=60, sleep=sleep))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    holder.release()
    assert holder.try_acquire()
    holder.release()


def test_a_lock_file_that_cannot_be_made_is_an_error_that_leaves_nothing_held(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    lock = FileLock(blocked / "x.lock")
    for _ in range(2):
        with pytest.raises(CredentialError, match="cannot be made"):
            lock.try_acquire()
