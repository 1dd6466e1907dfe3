"""The command `groundwire install`: what it shows, asks, does and says."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from groundwire.cli import main
from groundwire.integrations.install.hosts import HOSTS


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    (home / "work").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home / "work")
    monkeypatch.setattr("sys.argv", [_program(home / "bin" / "groundwire")])
    monkeypatch.setenv("PATH", str(home / "bin"))
    return home


def _program(path: Path, version: str = "0.1.0") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho groundwire {version}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_alone_it_lists_every_host_and_where_groundwire_is(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / ".cursor").mkdir()
    assert main(["install", "codex", "--yes"]) == 0
    capsys.readouterr()
    assert main(["install"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in HOSTS)
    assert "codex           yes              installed in ~/.codex/config.toml" in shown
    assert "cursor          yes              not installed" in shown
    assert "zed             no\n" in shown


def test_a_broken_file_shows_in_the_list_with_its_line(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text("{\n,", encoding="utf-8")
    assert main(["install"]) == 0
    assert "problem: ~/.cursor/mcp.json:2: not valid JSON" in capsys.readouterr().out


def test_the_change_is_shown_before_it_is_made(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "cursor", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert '+    "groundwire": {' in shown
    assert f'"command": "{home}/bin/groundwire"' in shown
    assert not (home / ".cursor").exists()


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("", 1)])
def test_it_asks_and_only_a_yes_changes_anything(
    home: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal(answer))
    assert main(["install", "cursor"]) == code
    assert (home / ".cursor" / "mcp.json").exists() is (code == 0)


def test_without_anybody_to_ask_nothing_changes(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["install", "cursor"]) == 2
    assert "Add --yes" in capsys.readouterr().err
    assert not (home / ".cursor").exists()


def test_afterwards_it_says_what_to_type(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "opencode", "--yes"]) == 0
    shown = capsys.readouterr().out
    assert "wrote ~/.config/opencode/opencode.jsonc" in shown
    assert HOSTS["opencode"].sentence in shown


def test_the_file_before_is_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / ".claude.json").write_text('{"numStartups": 3}', encoding="utf-8")
    assert main(["install", "claude-code", "-y"]) == 0
    assert "backup: ~/.local/state/groundwire/backups/claude-code/" in capsys.readouterr().out
    assert main(["install", "claude-code", "-y", "--uninstall"]) == 0
    assert "groundwire is out of Claude Code." in capsys.readouterr().out
    assert (home / ".claude.json").read_text(encoding="utf-8") == '{"numStartups": 3}'


def test_of_two_versions_it_says_which_one_the_host_starts(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _program(home / "old" / "groundwire", "0.0.1")
    monkeypatch.setenv("PATH", str(home / "old"))
    assert main(["install", "cursor", "--yes"]) == 0
    shown = capsys.readouterr().out
    assert "your PATH leads to another groundwire, ~/old/groundwire (0.0.1)" in shown
    assert "the host will start ~/bin/groundwire" in shown
    monkeypatch.setattr("sys.argv", [str(home / "old" / "groundwire")])
    assert main(["install"]) == 0
    assert "for another groundwire: ~/bin/groundwire" in capsys.readouterr().out
    (home / "bin" / "groundwire").unlink()
    assert main(["install"]) == 0
    assert "but ~/bin/groundwire is gone: install again" in capsys.readouterr().out


def test_a_groundwire_in_a_cache_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", [_program(home / ".cache" / "uv" / "x" / "groundwire")])
    assert main(["install", "cursor", "--dry-run"]) == 0
    assert "uv tool install groundwire" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--uninstall"], "Out of which host?"),
        (["cursr"], "There is no host 'cursr'. Did you mean cursor?"),
        (["emacs!"], "The hosts are: opencode, claude-code"),
        (["windsurf", "--project"], "Windsurf reads no file of a project."),
        (["cursor", "--root", "nowhere"], "is not a folder"),
        (["opencode", "--gateway-port", "-1"], "a port is a number up to 65535"),
        (["opencode", "--gateway-port", "65536"], "a port is a number up to 65535"),
    ],
)
def test_wrong_words_are_told(
    home: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert main(["install", *words]) == 2
    assert told in capsys.readouterr().err


def test_a_project_gets_its_own_file(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, host in HOSTS.items():
        if host.for_projects:
            assert main(["install", name, "--project", "--yes", "--command", "groundwire"]) == 0
    found = {str(path.relative_to(home / "work")) for path in (home / "work").rglob("*") if path.is_file()}
    assert found == {
        "opencode.jsonc",
        ".opencode/plugin/groundwire.js",
        ".mcp.json",
        ".codex/config.toml",
        ".gemini/settings.json",
        ".cursor/mcp.json",
        ".vscode/mcp.json",
        ".zed/settings.json",
    }
    for name, host in HOSTS.items():
        if host.for_projects:
            assert main(["install", name, "--project", "--yes", "--uninstall"]) == 0
    assert list((home / "work").iterdir()) == []


def test_the_gateways_key_is_not_shown(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "opencode", "--yes"]) == 0
    key = (home / ".local" / "state" / "groundwire" / "gateway-key").read_text(encoding="utf-8").strip()
    assert main(["install", "opencode", "--yes", "--uninstall"]) == 0
    shown = capsys.readouterr().out
    assert key not in shown
    assert shown.count('"key": "(not shown)"') == 2


def test_looking_at_a_change_makes_no_key(home: Path) -> None:
    assert main(["install", "opencode", "--dry-run"]) == 0
    assert not (home / ".local").exists()


def test_a_key_that_may_not_reach_the_host_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "k")
    assert main(["install", "claude-desktop", "--dry-run"]) == 0
    assert "store the key: groundwire login gemini" in capsys.readouterr().out
    assert main(["install", "claude-code", "--dry-run"]) == 0
    assert "groundwire login" not in capsys.readouterr().out


def test_in_a_folder_that_is_gone_every_command_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for words in (["install"], ["mcp"], ["eval", "list"], ["search", "x"]):
        assert main(words) == 2
        assert "The working directory is gone." in capsys.readouterr().err
