"""The end of a process whose HTTP library still has a thread inside Python."""

from __future__ import annotations

import _thread
import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from groundwire.transport import http


class ForeignThread:
    """A thread that `threading` knows nothing of, as a Rust library's are, kept inside Python by a lock."""

    def __init__(self) -> None:
        self._gate = threading.Lock()
        self._gate.acquire()
        self._entered = threading.Event()
        self._left = threading.Event()
        self.ident = _thread.start_new_thread(self._stay, ())
        assert self._entered.wait(10)

    def _stay(self) -> None:
        self._entered.set()
        with self._gate:
            self._left.set()

    def leave(self) -> None:
        """Let it out; returns when Python knows it no more."""
        if not self._left.is_set():
            self._gate.release()
            assert self._left.wait(10)
        while self.ident in sys._current_exceptions():
            threading.Event().wait(0.001)


@pytest.fixture
def foreign_thread() -> Iterator[ForeignThread]:
    thread = ForeignThread()
    yield thread
    thread.leave()


def sleeping_with(action: Callable[[], None]) -> SimpleNamespace:
    """A stand-in for the module `time` that acts instead of sleeping."""
    return SimpleNamespace(sleep=lambda seconds: action())


def test_the_end_waits_until_a_foreign_thread_has_left_python(
    foreign_thread: ForeignThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "time", sleeping_with(foreign_thread.leave))
    http.wait_for_foreign_threads()
    assert foreign_thread.ident not in sys._current_exceptions()


def test_a_foreign_thread_that_never_leaves_does_not_hold_up_the_end_for_ever(
    foreign_thread: ForeignThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    naps: list[None] = []
    monkeypatch.setattr(http, "time", sleeping_with(lambda: naps.append(None)))
    http.wait_for_foreign_threads(seconds=http.STEP * 5)
    assert 1 <= len(naps) <= 6
