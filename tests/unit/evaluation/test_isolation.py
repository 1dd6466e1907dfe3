"""A command in isolation: what hangs, floods, hoards or writes outside is stopped, and said to be."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from groundwire.evaluation.sandbox.isolated import Bounds, Run, Stopped, run_isolated

SHORT = Bounds(seconds=20, processes=30, memory=300 << 20)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox watches processes through /proc")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    return place


def run(program: str, folder: Path, bounds: Bounds = SHORT, *, walls: bool = True) -> Run:
    command = [sys.executable, "-c", program]
    return run_isolated(command, folder, folder.parent / "scratch", bounds, walls=walls)


def processes_with(word: str) -> list[str]:
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = Path(f"/proc/{name}/cmdline").read_bytes()
        except OSError:
            continue
        if word.encode() in command and int(name) != os.getpid():
            found.append(name)
    return found


@pytest.mark.parametrize("walls", [True, False])
def test_what_behaves_is_left_alone(folder: Path, walls: bool) -> None:
    done = run("open('made.txt', 'w').write('x'); print('fine'); raise SystemExit(3)", folder, walls=walls)
    assert (done.code, done.stopped, done.output) == (3, None, "fine\n")
    assert (folder / "made.txt").read_text(encoding="utf-8") == "x"


@pytest.mark.parametrize("program", ["import time; time.sleep(600)", "while True: pass"])
def test_what_hangs_is_stopped(folder: Path, program: str) -> None:
    done = run(program, folder, Bounds(seconds=0.5))
    assert done.stopped is Stopped.TIME
    assert "0.5 s" in done.detail


@pytest.mark.parametrize("walls", [True, False])
def test_too_many_processes_are_stopped_and_none_is_left(folder: Path, walls: bool) -> None:
    marker = f"flood-{os.getpid()}-{walls}"
    program = (
        "import os, time\n"
        "for _ in range(500):\n"
        "    try:\n"
        "        if os.fork() == 0: os.setsid(); time.sleep(600)\n"
        "    except OSError: time.sleep(0.01)\n"
        f"time.sleep(600)  # {marker}"
    )
    done = run(program, folder, walls=walls)
    assert done.stopped is Stopped.PROCESSES
    assert not processes_with(marker)


def test_a_fork_bomb_is_stopped(folder: Path) -> None:
    done = run("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", folder)
    if "processes" not in done.isolation and os.getuid() == 0:
        pytest.skip("root without namespaces: the kernel does not limit its processes")
    assert done.stopped is Stopped.PROCESSES


def test_what_a_test_leaves_running_dies_with_it(folder: Path) -> None:
    marker = f"daemon-{os.getpid()}"
    done = run(f"import os, time\nif os.fork() == 0: os.setsid(); time.sleep(600)  # {marker}", folder)
    assert (done.code, done.stopped) == (0, None)
    assert not processes_with(marker)


def test_what_hoards_memory_is_stopped(folder: Path) -> None:
    done = run("hoard = []\nwhile True: hoard.append(bytearray(5_000_000))", folder)
    assert done.stopped is Stopped.MEMORY
    assert "300 MiB" in done.detail


def test_a_huge_file_is_not_written(folder: Path) -> None:
    done = run("open('huge', 'wb').write(bytes(3_000_000))", folder, Bounds(file_size=1_000_000))
    assert done.code != 0
    assert (folder / "huge").stat().st_size <= 1_000_000


@pytest.mark.parametrize(
    "program",
    [
        "open({outside!r}, 'w')",
        "import os; os.mkdir({outside!r})",
        "import pathlib; pathlib.Path({outside!r}).symlink_to('x')",
        "import os; os.symlink({folder!r}, 'link'); open('link/outside', 'w')",
        "import subprocess, sys; subprocess.call([sys.executable, '-c', 'open(\"{outside}\", \"w\")'])",
    ],
)
def test_writing_outside_is_stopped_and_named(folder: Path, program: str) -> None:
    outside = folder.parent / "outside"
    done = run(program.format(outside=str(outside), folder=str(folder.parent)), folder)
    assert done.stopped is Stopped.OUTSIDE
    assert not os.path.lexists(outside)


def test_the_kernel_stops_programs_that_are_not_python(folder: Path) -> None:
    outside = folder.parent / "outside"
    done = run(f"import os, sys; sys.exit(os.system('touch {outside}') != 0)", folder)
    if not {"files", "landlock"} & set(done.isolation):
        pytest.skip("this kernel has neither mount namespaces nor Landlock for us")
    assert not outside.exists()
    assert done.code == 1


def test_deleting_and_changing_modes_outside_is_stopped(folder: Path) -> None:
    victim = folder.parent / "victim"
    victim.write_text("keep", encoding="utf-8")
    victim.chmod(0o600)
    assert run(f"import os; os.remove({str(victim)!r})", folder).stopped is Stopped.OUTSIDE
    assert run(f"import os; os.chmod({str(victim)!r}, 0o777)", folder).stopped is Stopped.OUTSIDE
    assert victim.stat().st_mode & 0o777 == 0o600


def test_reading_anything_and_temporary_files_are_allowed(folder: Path) -> None:
    program = (
        "import tempfile, sqlite3, multiprocessing, os\n"
        "tempfile.mkdtemp(); open(os.devnull, 'w').write('x'); open(os.path.expanduser('~/.cache'), 'w')\n"
        "sqlite3.connect('data.db').execute('create table t (x)'); print(open('/etc/hostname').closed)"
    )
    done = run(program, folder)
    assert (done.code, done.stopped) == (0, None), done.output


def test_the_environment_of_the_person_is_not_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "secret")
    done = run("import os; print(os.environ.get('GEMINI_API_KEY'), os.environ['HOME'])", folder)
    assert done.output.startswith("None ")
    assert str(folder.parent / "scratch") in done.output


def test_there_is_no_network_where_the_kernel_can_take_it_away(folder: Path) -> None:
    program = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=5)"
    done = run(program, folder)
    if "network" not in done.isolation:
        pytest.skip("no network namespace for us on this machine")
    assert "unreachable" in done.output


def test_a_missing_program_is_said(folder: Path) -> None:
    done = run_isolated(["no-such-program"], folder, folder.parent / "scratch", SHORT)
    assert done.code == 127
    assert "no-such-program" in done.output


def test_the_time_is_measured(folder: Path) -> None:
    began = time.monotonic()
    done = run("pass", folder)
    assert 0 < done.seconds <= time.monotonic() - began
