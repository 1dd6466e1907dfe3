"""Commands with a time limit, environments without secrets, and programs that judge for themselves."""

from __future__ import annotations

import fcntl
import sys
from pathlib import Path

import pytest

from conformance.commands import Finished, run_bounded
from conformance.environments import scrubbed
from conformance.told import checks_in
from conformance.trial import Check, Trial


def run(tmp_path: Path, program: str, seconds: float = 30.0) -> Finished:
    return run_bounded(
        [sys.executable, "-c", program],
        environment={},
        folder=tmp_path,
        log=tmp_path / "log",
        seconds=seconds,
    )


def test_output_and_exit_code_are_kept(tmp_path: Path) -> None:
    done = run(tmp_path, "import sys; print('said'); print('complained', file=sys.stderr); sys.exit(3)")
    assert (done.code, done.out.strip(), done.err.strip()) == (3, "said", "complained")
    assert done.brief == "exit code 3: complained"


def test_a_command_that_does_not_end_is_killed_at_its_limit(tmp_path: Path) -> None:
    done = run(tmp_path, "import threading; threading.Event().wait()", seconds=0.2)
    assert done.timed_out
    assert done.brief == "ran out of time"


HOLDS_A_LOCK = """
import fcntl, threading
lock = open("lock", "wb")
fcntl.flock(lock, fcntl.LOCK_EX)
print("held", flush=True)
threading.Event().wait()
"""
LEAVES_A_CHILD = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {HOLDS_A_LOCK!r}], stdout=subprocess.PIPE)
print(child.stdout.readline().decode())
"""


def test_a_child_that_a_command_leaves_behind_is_killed_with_it(tmp_path: Path) -> None:
    assert run(tmp_path, LEAVES_A_CHILD).out.strip() == "held"
    with (tmp_path / "lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # waits for the end of the child, which would otherwise never come


def test_the_environment_holds_nothing_of_the_person_who_runs_this(tmp_path: Path) -> None:
    mine = {"PATH": "/usr/bin", "GEMINI_API_KEY": "secret", "HTTPS_PROXY": "http://proxy:3128"}
    environment = scrubbed(mine, tmp_path, (Path("/opt/peer/bin"),))
    assert environment["PATH"] == "/opt/peer/bin:/usr/bin"
    assert environment["HOME"] == str(tmp_path)
    assert environment["HTTPS_PROXY"] == "http://127.0.0.1:9"
    assert "secret" not in environment.values()


def test_the_checks_a_program_tells_of_are_taken_over() -> None:
    told = "starting\nok    It signs in.\nFAIL  It answers. -- AssertionError: 'a: b' -- c\n"
    assert checks_in(Finished(1, told, "")) == [
        Check("It signs in.", "passed"),
        Check("It answers.", "failed", "AssertionError: 'a: b' -- c"),
    ]


@pytest.mark.parametrize(
    "done",
    [
        Finished(0, "", ""),
        Finished(1, "ok    It signs in.\n", "Traceback"),
        Finished(-9, "ok    It signs in.\n", "", timed_out=True),
    ],
)
def test_a_program_that_breaks_off_is_a_failed_check(done: Finished) -> None:
    assert checks_in(done)[-1].outcome == "failed"


def test_a_check_that_does_not_hold_keeps_what_was_seen_in_one_line(tmp_path: Path) -> None:
    trial = Trial("peer", tmp_path, tmp_path, tmp_path)
    trial.check("It answers.", [], "first\nsecond")
    trial.check("It streams.", "text")
    assert trial.checks == [Check("It answers.", "failed", "first second"), Check("It streams.", "passed")]
