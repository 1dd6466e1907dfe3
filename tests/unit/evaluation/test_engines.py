"""Where attempts are made: in processes of this machine, or on Ray, with the same results."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from groundwire.errors import EvaluationFailed, MissingPackage
from groundwire.evaluation.attempt import Attempt, Done, Settings
from groundwire.evaluation.engines import KILLED, PoolEngine, RayEngine, _not_interrupted, engine_named
from groundwire.evaluation.results import Key, Result, Status, read_results
from groundwire.evaluation.run import Wanted, evaluate
from tests.unit.evaluation.conftest import Bench


class Silent:
    """Hears nothing, except what a test wants to do when an attempt is finished."""

    def __init__(self, on_finish: object = None) -> None:
        self._on_finish = on_finish

    def planned(self, attempts: int, done: Sequence[Result]) -> None:
        pass

    def started(self, attempt: Attempt) -> None:
        pass

    def finished(self, result: Result) -> None:
        if callable(self._on_finish):
            self._on_finish()


def wanted(bench: Bench) -> Wanted:
    return Wanted(str(bench.written()), ("gemini", "legacy"), ("replay:exact", "replay:typo-in-change"))


def test_a_pool_makes_every_attempt(bench: Bench, tmp_path: Path) -> None:
    results = evaluate(wanted(bench), tmp_path / "out", PoolEngine(2), Silent())
    assert [result.status for result in results] == [Status.RESOLVED] * 4


def test_what_is_finished_is_kept_when_the_run_is_interrupted(bench: Bench, tmp_path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(wanted(bench), tmp_path / "out", PoolEngine(1), Silent(interrupt))
    assert len(read_results(tmp_path / "out")) == 1
    assert len(evaluate(wanted(bench), tmp_path / "out", PoolEngine(1), Silent())) == 4


class Deadly:
    """Kills the process it is handed to."""

    def __init__(self, name: str) -> None:
        self.key = Key(name, "gemini", "replay:exact")

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return os._exit, (1,)


class Harmless:
    """An attempt without a task: it comes to nothing, but in a process that lives on."""

    def __init__(self, name: str) -> None:
        self.key = Key(name, "gemini", "replay:exact")


def test_an_attempt_that_kills_its_process_costs_itself_and_not_the_run(tmp_path: Path) -> None:
    attempts = cast("list[Attempt]", [Harmless("a"), Deadly("b"), Harmless("c"), Harmless("d")])
    made = list(PoolEngine(2).run(attempts, Settings(), tmp_path, lambda attempt: None))
    assert sorted(done.result.key.task for done in made) == ["a", "b", "c", "d"]
    reasons = {done.result.key.task: done.result.reason for done in made}
    assert reasons.pop("b") == KILLED
    assert all("no attribute 'task'" in reason for reason in reasons.values())


def test_a_run_all_of_whose_processes_are_killed_gives_up(tmp_path: Path) -> None:
    attempts = cast("list[Attempt]", [Deadly(name) for name in "abcdef"])
    told: list[Done] = []
    with pytest.raises(EvaluationFailed, match=r"Process after process was killed.* is kept"):
        told.extend(PoolEngine(2).run(attempts, Settings(), tmp_path, lambda attempt: None))
    assert [done.result.reason for done in told] == [KILLED] * 3


def test_a_run_that_is_killed_loses_no_finished_attempt(bench: Bench, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = [
        sys.executable,
        "-m",
        "groundwire",
        "eval",
        "run",
        "--tasks",
        str(bench.written()),
        "--out",
        str(out),
    ]
    words += [
        "--workers",
        "1",
        "--model",
        "replay:exact",
        "--model",
        "replay:typo-in-change",
        "--model",
        "replay:crlf",
    ]
    with subprocess.Popen(
        words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, encoding="utf-8"
    ) as run:
        assert run.stderr is not None
        for line in run.stderr:
            if line.startswith("[2/6]"):
                run.send_signal(signal.SIGKILL)
                break
    finished = read_results(out)
    assert len(finished) >= 2
    again = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", check=True)
    assert f"6 attempts, {len(finished)} of them finished before" in again.stderr
    everything = read_results(out)
    assert len(everything) == 6
    assert {key: everything[key] for key in finished} == finished


TELL = (
    "import signal, sys; "
    "print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.getsignal(2), flush=True)"
)
BEGIN_AND_START = f"""
import signal, subprocess, sys
from groundwire.evaluation.engines import _leave_interrupts_to_the_parent
_leave_interrupts_to_the_parent()
signal.raise_signal(signal.SIGINT)
subprocess.run([sys.executable, "-c", {TELL!r}])
"""


@pytest.mark.parametrize(
    ("program", "told"),
    [(TELL, "True <built-in function default"), (BEGIN_AND_START, "False <built-in function default")],
)
def test_a_worker_is_deaf_to_ctrl_c_until_it_has_begun_and_what_it_starts_is_not(
    program: str, told: str
) -> None:
    """A worker that heard it in the middle of its imports would tell of it in a trace."""
    with _not_interrupted():
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True
        )
    assert done.stdout.startswith(told)


@pytest.mark.parametrize("line", [" attempts", "[1/"])
def test_an_interrupted_run_says_so_and_nothing_else(bench: Bench, tmp_path: Path, line: str) -> None:
    """Ctrl-C reaches every process of a terminal: before its workers have begun, and while they work."""
    words = ["--tasks", str(bench.written()), "--out", str(tmp_path / "out"), "--model", "replay"]
    with subprocess.Popen(
        [sys.executable, "-m", "groundwire", "eval", "run", "--workers", "1", *words],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    ) as run:
        assert run.stderr is not None
        said = iter(run.stderr.readline, "")
        assert any(line in heard for heard in said)
        os.killpg(run.pid, signal.SIGINT)
        rest = [heard for heard in said if not heard.startswith("[")]
        assert run.wait(30) == 130
    assert len(rest) == 1
    assert rest[0].startswith("Interrupted. The same command goes on where this ended: ")


class BrokenRay:
    """A cluster whose machines die at work."""

    class exceptions:  # noqa: N801  (Ray's own name)
        class RayError(Exception):
            pass

    def __init__(self) -> None:
        self.is_up = False

    def init(self, **_: object) -> None:
        self.is_up = True

    def remote(self, **_: object) -> object:
        return lambda _: SimpleNamespace(remote=lambda *words: words)

    def wait(self, running: list[object], num_returns: int) -> tuple[list[object], list[object]]:
        return running[:num_returns], running[num_returns:]

    def get(self, finished: object) -> object:
        raise self.exceptions.RayError("The node died.")

    def cancel(self, reference: object, force: bool) -> None:
        pass

    def shutdown(self) -> None:
        self.is_up = False


def test_a_cluster_that_breaks_is_told_and_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ray = BrokenRay()
    monkeypatch.setattr("groundwire.evaluation.engines._ray", lambda: ray)
    attempts = [cast(Attempt, SimpleNamespace(key=Key(name, "gemini", "m"))) for name in "ab"]
    with pytest.raises(EvaluationFailed, match=r"could not make an attempt: The node died\..* is kept"):
        list(RayEngine(2).run(attempts, Settings(), tmp_path, lambda attempt: None))
    assert not ray.is_up


def test_ray_says_how_to_install_it() -> None:
    if importlib.util.find_spec("ray") is not None:
        pytest.skip("Ray is installed here")
    with pytest.raises(MissingPackage, match=r"pip install 'groundwire\[ray\]'"):
        engine_named("ray", 2)


def test_ray_gives_the_same_results(bench: Bench, tmp_path: Path) -> None:
    pytest.importorskip(
        "ray", reason="Ray is an extra; make conformance PEER=ray runs this with the real one"
    )
    here = evaluate(wanted(bench), tmp_path / "pool", PoolEngine(2), Silent())
    there = evaluate(wanted(bench), tmp_path / "ray", RayEngine(2), Silent())
    told = [[result.told_apart_from_time() for result in results] for results in (here, there)]
    assert told[0] == told[1]
