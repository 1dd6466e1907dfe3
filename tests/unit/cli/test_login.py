"""Storing a key: from a prompt or a pipe, into our own store, never onto the screen."""

from __future__ import annotations

import io
import json
import os
import stat
from pathlib import Path

import pytest

from groundwire.cli import main


@pytest.fixture
def store(scrubbed_environment: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(scrubbed_environment)
    return scrubbed_environment / ".local/share/groundwire/credentials.json"


def pipe(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_a_key_from_a_pipe_is_stored_next_to_the_others(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe(monkeypatch, "K-gemini\n")
    assert main(["login", "gemini"]) == 0
    pipe(monkeypatch, "  K-router  ")
    assert main(["login", "openrouter"]) == 0
    assert json.loads(store.read_text(encoding="utf-8")) == {
        "gemini": {"type": "api", "key": "K-gemini"},
        "openrouter": {"type": "api", "key": "K-router"},
    }
    if os.name != "nt":
        assert stat.S_IMODE(store.stat().st_mode) == 0o600
        assert stat.S_IMODE(store.parent.stat().st_mode) == 0o700
    shown = capsys.readouterr()
    assert str(store) in shown.out
    assert "K-" not in shown.out + shown.err


def test_a_person_is_asked_without_showing_what_is_typed(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("getpass.getpass", lambda prompt: "K-typed")
    assert main(["login", "gemini"]) == 0
    assert "https://aistudio.google.com/apikey" in capsys.readouterr().out
    assert "K-typed" in store.read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["", "\n", "   \n", "two words\n", "ключ\n", "a\tb\n", "x" * 10_001])
def test_what_cannot_be_a_key_is_not_stored(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    pipe(monkeypatch, text)
    assert main(["login", "gemini"]) == 2
    assert "nothing was stored" in capsys.readouterr().err
    assert not store.exists()


def test_a_credential_that_comes_first_is_mentioned(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "other")
    pipe(monkeypatch, "K\n")
    assert main(["login", "gemini"]) == 0
    assert "Note: environment variable GEMINI_API_KEY comes first" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["gemini", "--device"],
        ["gemini", "--yes"],
        ["google", "--device"],
        ["openai", "--use-gemini-cli-client"],
        ["openrouter", "--no-browser"],
        ["openai", "--project", "p"],
    ],
)
def test_an_option_that_means_nothing_there_is_refused(
    store: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert main(["login", *words]) == 2
    assert "has no meaning for" in capsys.readouterr().err
    assert not store.exists()


def test_a_broken_store_is_left_alone(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.parent.mkdir(parents=True)
    store.write_text("{broken", encoding="utf-8")
    pipe(monkeypatch, "K\n")
    assert main(["login", "gemini"]) == 3
    assert store.read_text(encoding="utf-8") == "{broken"
