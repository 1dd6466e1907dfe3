"""Where attempts are made: in processes of this machine, or on a Ray cluster. The results are the same."""

from __future__ import annotations

import contextlib
import importlib.util
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Protocol

from groundwire.errors import EvaluationFailed, MissingPackage
from groundwire.evaluation.attempt import Attempt, Done, Settings, make_attempt, not_made
from groundwire.evaluation.results import Key

MOST_DEATHS = 3
"""How many attempts in a row may each kill a process of their own before the run gives up."""
KILLED = "Its process was killed, most likely for lack of memory."
INSTALL_RAY = "pip install 'groundwire[ray]'"

Started = Callable[[Attempt], None]
"""Is told of each attempt when it is handed to a worker."""


class Engine(Protocol):
    """Someone who makes attempts."""

    def run(
        self, attempts: Sequence[Attempt], settings: Settings, repositories: Path, started: Started
    ) -> Iterator[Done]:
        """What came of each attempt, in the order they are finished."""
        ...


def engine_named(name: str, workers: int, address: str | None = None) -> Engine:
    """The engine of that name."""
    if name == "ray":
        return RayEngine(workers, address)
    return PoolEngine(workers)


class PoolEngine:
    """Processes of this machine."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def run(
        self, attempts: Sequence[Attempt], settings: Settings, repositories: Path, started: Started
    ) -> Iterator[Done]:
        """Make the attempts; one that kills its process costs itself, not the run."""
        left = {attempt.key: attempt for attempt in attempts}
        deaths = 0
        while left:
            under_way: dict[Key, Attempt] = {}
            with contextlib.suppress(BrokenProcessPool):
                for done in self._round(list(left.values()), settings, repositories, started, under_way):
                    del left[done.result.key]
                    yield done
                return
            # Which one killed its process cannot be known, so each of them is made once more, alone.
            for attempt in under_way.values():
                alone = _made_alone(attempt, settings, repositories)
                del left[attempt.key]
                yield alone or not_made(attempt, KILLED)
                deaths = deaths + 1 if alone is None else 0
                if deaths == MOST_DEATHS:
                    raise EvaluationFailed(
                        "Process after process was killed, most likely for lack of memory.",
                        hint="Start the same command when there is more of it; what is finished is kept.",
                    )

    def _round(
        self,
        attempts: Sequence[Attempt],
        settings: Settings,
        repositories: Path,
        started: Started,
        under_way: dict[Key, Attempt],
    ) -> Iterator[Done]:
        """Make attempts until all are made or a process dies; `under_way` holds those that were begun."""
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self._workers, context, initializer=_begin_work)
        waiting = iter(attempts)
        running: set[Future[Done]] = set()
        try:
            while True:
                # One more than there are workers, so that none waits for the next attempt to arrive.
                while len(running) <= self._workers and (attempt := next(waiting, None)) is not None:
                    under_way[attempt.key] = attempt
                    with _not_interrupted():  # submitting may start a worker
                        running.add(pool.submit(make_attempt, attempt, settings, repositories))
                    started(attempt)
                if not running:
                    return
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    done = future.result()
                    del under_way[done.result.key]
                    yield done
        finally:
            pool.shutdown(wait=not running, cancel_futures=True)
            if running:
                _end(pool)


def _made_alone(attempt: Attempt, settings: Settings, repositories: Path) -> Done | None:
    """One attempt in a process of its own; None when that process was killed."""
    with contextlib.suppress(BrokenProcessPool):
        (done,) = PoolEngine(1)._round([attempt], settings, repositories, lambda _: None, {})
        return done
    return None


def _end(pool: ProcessPoolExecutor) -> None:
    """End the workers of a pool that is given up; what they run dies with them."""
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        with contextlib.suppress(OSError):
            process.kill()


@contextlib.contextmanager
def _not_interrupted() -> Iterator[None]:
    """Ctrl-C waits until the block is over; a process that is started in it begins deaf to it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_work() -> None:
    """In a worker, before anything else."""
    _leave_interrupts_to_the_parent()
    _die_with_parent()


def _leave_interrupts_to_the_parent() -> None:
    """Hear Ctrl-C and do nothing. Deafness would be handed down to git and to the tests, a handler is not."""
    signal.signal(signal.SIGINT, lambda *_: None)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _die_with_parent() -> None:
    """End when the process that started us is gone, even when it was killed."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class RayEngine:
    """A Ray cluster: the one at `address` (or RAY_ADDRESS), or one started on this machine for the run."""

    def __init__(self, workers: int, address: str | None = None) -> None:
        self._workers = workers
        self._address = address
        self._ray = _ray()

    def run(
        self, attempts: Sequence[Attempt], settings: Settings, repositories: Path, started: Started
    ) -> Iterator[Done]:
        """Make the attempts as Ray tasks of one processor each."""
        ray = self._ray
        self._connect()
        remote = ray.remote(num_cpus=1, max_retries=2)(make_attempt)
        waiting = iter(attempts)
        running: list[Any] = []
        try:
            while True:
                while len(running) < self._workers and (attempt := next(waiting, None)) is not None:
                    running.append(remote.remote(attempt, settings, repositories))
                    started(attempt)
                if not running:
                    return
                finished, running = ray.wait(running, num_returns=1)
                try:
                    made = ray.get(finished)
                except ray.exceptions.RayError as error:
                    raise EvaluationFailed(
                        f"A machine of the Ray cluster could not make an attempt: {error}",
                        hint="Start the same command again; what is finished is kept.",
                    ) from error
                yield from made
        finally:
            for reference in running:
                ray.cancel(reference, force=True)
            ray.shutdown()

    def _connect(self) -> None:
        address = self._address or os.environ.get("RAY_ADDRESS")
        keywords: dict[str, Any] = {
            "include_dashboard": False,
            "log_to_driver": False,
            "logging_level": "ERROR",
        }
        try:
            if address:
                self._ray.init(address=address, log_to_driver=False, logging_level="ERROR")
            else:
                # On loopback: a cluster for one run is nobody else's business.
                self._ray.init(
                    address="local", num_cpus=self._workers, _node_ip_address="127.0.0.1", **keywords
                )
        except (ConnectionError, RuntimeError, ValueError) as error:
            where = address or "on this machine"
            raise EvaluationFailed(f"There is no Ray cluster {where}: {error}") from error


def _ray() -> Any:
    if importlib.util.find_spec("ray") is None:
        version = ".".join(map(str, sys.version_info[:2]))
        raise MissingPackage(f"Ray is not installed for Python {version}.", hint=f"Run: {INSTALL_RAY}")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray  # noqa: PLC0415  (lazy: an extra, and heavy)

    return ray
