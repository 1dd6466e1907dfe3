"""`groundwire emulator`: starts, says what to paste, logs without secrets, stops when told."""

from __future__ import annotations

import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from groundwire.cli import main
from groundwire.emulator.scenarios import catalogue

Running = subprocess.Popen[str]


@contextmanager
def emulator(*words: str) -> Iterator[tuple[Running, str, list[str]]]:
    """A running `groundwire emulator`, its address and what it printed before it was ready."""
    command = [sys.executable, "-m", "groundwire", "emulator", "--port", "0", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as running:
        assert running.stdout is not None
        lines: list[str] = []
        for line in running.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith("# Listening on "):
                break
        try:
            yield running, lines[-1].split()[3].rstrip(".,"), lines
        finally:
            if running.poll() is None:
                running.kill()


def stop(running: Running, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
    running.send_signal(number)
    _, complaints = running.communicate(timeout=20)
    return running.returncode, complaints


def ask(base: str, key: str = "a-key-of-some-length") -> bytes:
    request = urllib.request.Request(
        f"{base}/v1beta/models/gemini-2.5-flash:generateContent",
        data=b'{"contents":[{"parts":[{"text":"hi"}]}]}',
        headers={"content-type": "application/json", "x-goog-api-key": key},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=20) as response:
        content: bytes = response.read()
    return content


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_answers_until_it_is_told_to_stop(number: signal.Signals, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with emulator("--log", str(log)) as (running, base, lines):
        assert b"You said: hi" in ask(base)
        assert stop(running, number) == (0, "Stopped after 1 requests.\n")
    assert f"export GOOGLE_GEMINI_BASE_URL={base}" in lines
    written = log.read_text(encoding="utf-8")
    assert "a-key-of-some-length" not in written
    assert msgspec.json.decode(written)["status"] == 200


def test_a_script_that_was_not_followed_is_reported_at_the_end(tmp_path: Path) -> None:
    script = tmp_path / "s.toml"
    script.write_text('[[step]]\ntext = "never said"\n', encoding="utf-8")
    with emulator("--script", str(script)) as (running, _, _):
        code, complaints = stop(running)
    assert code == 1
    assert "step 1 of 1 was never asked for: say 'never said'" in complaints


def test_a_sticky_scenario_is_played_and_announced() -> None:
    with emulator("--scenario", "overloaded") as (running, base, lines):
        assert "playing overloaded" in lines[-1]
        with pytest.raises(urllib.error.HTTPError, match="503"):
            ask(base)
        stop(running)


def test_listening_beyond_this_machine_is_said_loudly() -> None:
    with emulator("--host", "0.0.0.0") as (running, _, _):  # the warning is what is tested
        _, complaints = stop(running)
    assert "WARNING: listening on 0.0.0.0" in complaints


def test_a_folder_of_documents_is_indexed_before_it_listens(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Quince\n\nQuince is a fruit.\n", encoding="utf-8")
    with emulator("--corpus", str(tmp_path)) as (running, _, _):
        _, complaints = stop(running)
    assert "1 documents can be searched." in complaints


def test_scenarios_are_listed_with_what_they_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["emulator", "--list-scenarios"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.split()[0] for line in lines if line.startswith("  ")) == sorted(catalogue())
    assert any(line.startswith("  quota ") and "QUOTA_EXHAUSTED" in line for line in lines)
    assert lines[0] == "gemini, vertex, code-assist:"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--scenario", "nothing-like-it"], "There is no scenario"),
        (["--script", "nothing.toml"], "cannot be read"),
        (["--corpus", "/nowhere/at/all"], "does not exist"),
        (["--log", "/nowhere/at/all/log"], "cannot be written"),
        (["--host", "192.0.2.1"], "cannot listen"),
    ],
)
def test_wrong_words_are_explained(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["emulator", "--port", "0", *words]) in (2, 3)
    assert complaint in capsys.readouterr().err


def test_the_blocks_it_prints_are_valid_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with emulator() as (running, base, lines):
        stop(running)
    blocks = "\n".join(lines).split("\n\n")[1:-1]
    assert [block.splitlines()[0] for block in blocks] == [
        "# groundwire",
        "# Gemini CLI with an API key",
        "# Gemini CLI signed in with Google (Code Assist)",
        "# OpenCode",
        "# Codex",
        "# google-genai (Python and JavaScript)",
        "# openai (Python and JavaScript)",
    ]
    for block in blocks:
        settings = block.rpartition("\n")[0]
        subprocess.run(["sh", "-eu", "-c", settings], check=True)
    config = next(tmp_path.glob("*/config.toml")).read_text(encoding="utf-8")
    assert f'base_url = "{base}/backend-api/codex"' in config
