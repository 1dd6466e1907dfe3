"""Sessions, from the command line, against the emulator on loopback."""

from __future__ import annotations

import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from groundwire.cli import main
from groundwire.emulator import Emulator
from tests.behaviour.conftest import requirement, served, use

TASK = "搜索北京天气并保存到 weather.txt"

KILLED = """
[[step]]
call = [{ name = "write_file", args = { file_path = "log.txt", content = "one\\n" } }]
[[step]]
call = [{ name = "replace", args = { file_path = "log.txt", old_string = "one", new_string = "one more" } }]
[[step]]
text = "This takes long."
wait = 60.0
times = 0
"""
RESUMED = """
[[step]]
when = { result = "replace", result_matches = "one more" }
text = "Both are done."
"""


def wait_for_requests(emulator: Emulator, count: int) -> None:
    """Until another process has asked so often; it does so on its own."""
    deadline = time.monotonic() + 60
    while len(emulator.requests) < count:
        assert time.monotonic() < deadline, "the other process asked for nothing more"
        time.sleep(0.01)


def transcripts(home: Path) -> list[Path]:
    return sorted((home / ".local" / "state" / "groundwire" / "sessions").glob("*.jsonl"))


@requirement("session:kept")
def test_a_run_is_kept_for_its_owner_without_the_key(
    emulator: Emulator, scrubbed_environment: Path, workspace: Path
) -> None:
    assert main(["run", TASK, "--approve", "yolo"]) == 0
    (path,) = transcripts(scrubbed_environment)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text = path.read_text(encoding="utf-8")
    assert emulator.env()["GEMINI_API_KEY"] not in text
    events = [msgspec.json.decode(line) for line in text.splitlines()]
    assert [event["type"] for event in events[:3]] == ["session", "run", "reply"]
    assert (events[0]["root"], events[0]["version"]) == (str(workspace.resolve()), 1)
    assert events[-1]["ending"] == "done"


@requirement("session:kept")
def test_a_run_that_is_not_to_be_kept_leaves_nothing(emulator: Emulator, scrubbed_environment: Path) -> None:
    assert main(["run", TASK, "--approve", "yolo", "--no-session"]) == 0
    assert transcripts(scrubbed_environment) == []


@requirement("session:listed")
def test_sessions_are_listed_and_broken_ones_named(
    emulator: Emulator, scrubbed_environment: Path, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", TASK, "--approve", "yolo"])
    (path,) = transcripts(scrubbed_environment)
    (path.parent / "20200101-000000-aaaa.jsonl").write_bytes(b'{"type":"session","version":7}\n')
    capsys.readouterr()
    assert main(["sessions"]) == 0
    printed = capsys.readouterr()
    heading, row = printed.out.splitlines()
    assert heading.split() == ["id", "when", "turns", "outcome", "folder", "task"]
    assert row.split()[0] == path.stem
    assert row.split()[3:] == ["3", "done", "~/workspace", *TASK.split()]
    assert "has version 7" in printed.err
    assert main(["sessions", "--json"]) == 0
    listed = [msgspec.json.decode(line) for line in capsys.readouterr().out.splitlines()]
    assert (listed[0]["outcome"], listed[0]["turns"], listed[0]["root"]) == ("done", 3, str(workspace))
    assert "has version 7" in listed[1]["problem"]
    assert main(["sessions", "--prune", "--keep", "1"]) == 0
    assert transcripts(scrubbed_environment) == [path]


@requirement("session:listed")
def test_without_sessions_the_list_says_so(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions"]) == 0
    assert "There are no sessions" in capsys.readouterr().out
    assert main(["show"]) == 2
    assert main(["undo"]) == 2
    assert main(["run", "--resume"]) == 2


@requirement("session:resumed", "session:busy")
def test_a_killed_run_goes_on_where_it_was(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scripts = {}
    for name, content in {"killed": KILLED, "resumed": RESUMED}.items():
        scripts[name] = workspace.parent / f"{name}.toml"
        scripts[name].write_text(content, encoding="utf-8")
    with served(script=str(scripts["killed"])) as emulator:
        use(emulator, monkeypatch)
        command = [sys.executable, "-m", "groundwire", "run", "log", "--approve", "edits"]
        running = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8")
        assert running.stderr is not None
        try:
            assert any("replace" in line for line in running.stderr)  # it has done two turns
            wait_for_requests(emulator, 3)
            assert main(["run", "--resume"]) == 9
            assert "Another process is working on the session" in capsys.readouterr().err
        finally:
            running.send_signal(signal.SIGKILL)
            running.communicate()
    with served(script=str(scripts["resumed"])) as emulator:
        use(emulator, monkeypatch)
        assert main(["run", "--resume"]) == 0
        history = emulator.requests[-1].json["contents"]
    assert [content["role"] for content in history] == ["user", "model", "user", "model", "user"]
    assert (workspace / "log.txt").read_text(encoding="utf-8") == "one more\n"
    printed = capsys.readouterr()
    assert "going on with session" in printed.err
    assert "Both are done." in printed.out


@requirement("session:resumed")
def test_a_finished_session_takes_another_task(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with served() as emulator:  # the default model says back what it is told
        use(emulator, monkeypatch)
        assert main(["run", "hello"]) == 0
        assert main(["run", "--resume"]) == 2
        assert "has come to its end" in capsys.readouterr().err
        assert main(["run", "--resume", "--no-session", "and again"]) == 2
        assert main(["run", "--resume", "and again"]) == 0
        history = emulator.requests[-1].json["contents"]
    assert [content["parts"][0]["text"] for content in history] == ["hello", "You said: hello", "and again"]
    assert "You said: and again" in capsys.readouterr().out


@requirement("session:shown")
def test_a_session_is_shown_with_diff_and_sources(
    emulator: Emulator, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", TASK, "--approve", "yolo"])
    capsys.readouterr()
    assert main(["show"]) == 0
    text = capsys.readouterr().out
    assert f"> {TASK}\n" in text
    assert '    +Web search results for "北京天气":\n' in text
    assert "\nSources\n[1] 北京天气 (https://weather.example.org/zh/beijing)\n" in text
    assert main(["show", "--html", "run.html"]) == 0
    html = (workspace / "run.html").read_text(encoding="utf-8")
    assert '<a href="https://weather.example.org/zh/beijing" rel="noreferrer">北京天气</a>' in html
    capsys.readouterr()
    assert main(["show", "--json"]) == 0
    assert msgspec.json.decode(capsys.readouterr().out)["runs"][0]["task"] == TASK
    assert main(["show", "--json", "--html", "x"]) == 2
    assert main(["show", "--html", "no/such/folder/x"]) == 2


@requirement("session:undone")
def test_a_run_is_undone_unless_someone_changed_its_files(
    emulator: Emulator, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", TASK, "--approve", "yolo"])
    saved = workspace / "weather.txt"
    saved.write_text("mine", encoding="utf-8")
    capsys.readouterr()
    assert main(["undo"]) == 1
    printed = capsys.readouterr()
    assert "  left alone  weather.txt  someone changed it since\n" in printed.out
    assert "--force" in printed.err
    assert saved.read_text(encoding="utf-8") == "mine"
    assert main(["undo", "--dry-run", "--force"]) == 0
    assert saved.exists()
    assert main(["undo", "--force", "--json"]) == 0
    told = msgspec.json.decode(capsys.readouterr().out.splitlines()[-1])
    assert told["files"] == [{"path": "weather.txt", "fate": "removed", "added": 0, "removed": 1}]
    assert not saved.exists()
    assert main(["undo"]) == 9
    assert "undone already" in capsys.readouterr().err


@requirement("session:undone")
def test_who_asks_to_undo_a_run_without_changes_is_told_which_one_had_some(
    emulator: Emulator, workspace: Path, scrubbed_environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", TASK, "--approve", "yolo"])
    (wrote,) = transcripts(scrubbed_environment)
    main(["run", TASK, "--approve", "plan"])
    capsys.readouterr()
    assert main(["undo"]) == 9
    assert (
        f"changed no file. Another one here can be: groundwire undo {wrote.stem}" in capsys.readouterr().err
    )
    assert main(["undo", wrote.stem]) == 0
    assert main(["undo"]) == 9
    assert "Another one" not in capsys.readouterr().err


@requirement("session:kept")
def test_a_run_that_could_not_begin_leaves_no_session_in_the_way(
    emulator: Emulator, scrubbed_environment: Path, workspace: Path
) -> None:
    assert main(["run", TASK, "--model", "gemini-99", "--max-cost", "1"]) == 2
    assert transcripts(scrubbed_environment) == []


@requirement("session:resumed")
@pytest.mark.parametrize("mistyped", ["3f9", "3f9a1", "2026111", "20260101-000000-5f3a"])
def test_an_id_that_is_mistyped_is_not_taken_for_a_task(
    emulator: Emulator, workspace: Path, capsys: pytest.CaptureFixture[str], mistyped: str
) -> None:
    main(["run", TASK, "--approve", "yolo"])
    capsys.readouterr()
    assert main(["run", "--resume", f"f{mistyped}"]) == 2
    assert f"no session 'f{mistyped}'" in capsys.readouterr().err
