"""The command line with streams that are closed, full, or cannot say everything."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.behaviour.conftest import served

pytestmark = pytest.mark.skipif(os.name != "posix", reason="descriptors as a POSIX shell gives them")

SCRIPT = """
[[step]]
text = "完成 é 🙂"
"""


def with_streams(
    folder: Path, redirected: str, *words: str, **more: str
) -> subprocess.CompletedProcess[bytes]:
    """`groundwire run`, started by a shell that redirects its streams."""
    script = folder / "script.toml"
    script.write_text(SCRIPT, encoding="utf-8")
    with served(script=str(script)) as emulator:
        command = [sys.executable, "-m", "groundwire", "run", "hello", *words]
        return subprocess.run(
            ["sh", "-c", f'exec "$@" {redirected}', "sh", *command],
            cwd=folder,
            env={**os.environ, **emulator.env(), **more},
            capture_output=True,
            check=False,
        )


def test_what_an_encoding_cannot_say_becomes_a_question_mark(tmp_path: Path) -> None:
    done = with_streams(tmp_path, "", PYTHONIOENCODING="latin-1")
    assert (done.returncode, done.stdout) == (0, b"?? \xe9 ?\n"), done.stderr


def test_events_say_everything_in_every_encoding(tmp_path: Path) -> None:
    done = with_streams(tmp_path, "", "--json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout.splitlines()[-1])["text"] == "完成 é 🙂"


@pytest.mark.parametrize("redirected", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_reason_to_fail(tmp_path: Path, redirected: str) -> None:
    done = with_streams(tmp_path, redirected)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_closed_stream_is_not_replaced_by_a_file_of_ours(tmp_path: Path) -> None:
    with_streams(tmp_path, ">&-")
    sessions = list(Path.home().glob(".local/state/groundwire/sessions/*.jsonl"))
    assert len(sessions) == 1
    for line in sessions[0].read_text(encoding="utf-8").splitlines():
        json.loads(line)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a disk that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_told_in_one_line(tmp_path: Path, unbuffered: str) -> None:
    done = with_streams(tmp_path, ">/dev/full", PYTHONUNBUFFERED=unbuffered)
    told = b"groundwire: standard output cannot be written: No space left on device.\n"
    assert (done.returncode, done.stderr) == (1, told)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a disk that is always full")
def test_a_full_disk_is_told_by_commands_that_print_little(tmp_path: Path) -> None:
    command = f"exec {shlex.quote(sys.executable)} -m groundwire tool --list >/dev/full"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, check=False)
    told = b"groundwire: standard output cannot be written: No space left on device.\n"
    assert (done.returncode, done.stderr) == (1, told)
