"""The command line, as a person and a script meet it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from groundwire.cli import main
from tests.behaviour.conftest import requirement, served, use

QUERY = "What is the weather in Beijing?"


@pytest.fixture(autouse=True)
def elsewhere(scrubbed_environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(scrubbed_environment)


def with_emulator(monkeypatch: pytest.MonkeyPatch, words: list[str], scenario: str = "") -> int:
    with served(scenario) as emulator:
        use(emulator, monkeypatch)
        return main(words)


@requirement("cli:json")
def test_json_is_the_only_thing_on_standard_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert with_emulator(monkeypatch, ["search", QUERY, "--json"]) == 0
    printed = capsys.readouterr()
    assert msgspec.json.decode(printed.out)["sources"]
    assert printed.err == ""


@requirement("cli:json", "cli:exit-codes")
@pytest.mark.parametrize(
    ("words", "kind", "code"),
    [
        (["search", "", "--json"], "INVALID_QUERY", 2),
        (["search", "x", "--json"], "MISSING_GEMINI_API_KEY", 3),
        (["search", "", "--json", "--provider", "gemini"], "INVALID_QUERY", 2),
        (["search", "x", "--json", "--provider", "openrouter"], "MISSING_OPENROUTER_API_KEY", 3),
        (["search", "x", "--json", "--provider", "local"], "MISSING_CORPUS", 3),
        (["search", "x", "--json", "--model", "m"], "INVALID_CONFIG", 2),
        (["search", "x", "--json", "--provider", "bing"], "UNKNOWN_PROVIDER", 2),
        (["search", "x", "--json", "--max-sources", "-1"], "INVALID_CONFIG", 2),
    ],
)
def test_a_failure_is_json_too_and_shows_in_the_exit_code(
    capsys: pytest.CaptureFixture[str], words: list[str], kind: str, code: int
) -> None:
    assert main(words) == code
    assert msgspec.json.decode(capsys.readouterr().out)["error"]["type"] == kind


@requirement("cli:exit-codes")
def test_a_failure_without_json_is_one_line_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert with_emulator(monkeypatch, ["search", QUERY, "--provider", "gemini"], "quota") == 4
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("groundwire: Gemini's quota is used up")
    assert printed.err.count("\n") == 1


@requirement("cli:plain-in-a-pipe")
def test_no_escape_sequence_of_an_answer_reaches_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    nasty = "Nasty \x1b[31mred\x1b[0m \x1b]0;title\x07text \x9b2J and \x1b]8;;http://evil.example\x1b\\link\u202e."
    (tmp_path / "nasty.txt").write_text(nasty, encoding="utf-8")
    for words in ([], ["--json"], ["--stream"]):
        assert main(["search", "nasty", "--provider", "local", "--corpus", str(tmp_path), *words]) == 0
        printed = capsys.readouterr().out
        assert "Nasty" in printed
        assert not set(printed) & {"\x1b", "\x9b", "\x07", "\u202e"}


@requirement("cli:plain-in-a-pipe", "stream:text-then-result")
def test_a_streamed_answer_in_a_pipe_ends_with_its_sources(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert with_emulator(monkeypatch, ["search", QUERY, "--stream", "--provider", "gemini"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("The weather in Beijing")
    assert printed.endswith("\n\nSources:\n[1] Weather in Beijing (https://weather.example.org/beijing)\n")


@requirement("cli:all")
def test_everyone_with_a_credential_is_asked_and_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert with_emulator(monkeypatch, ["search", QUERY, "--provider", "all"]) == 0
    printed = capsys.readouterr().out
    for name in ("gemini", "openai_oauth", "openrouter"):
        assert f"== {name} ==\n\nWeb search results for" in printed
    assert with_emulator(monkeypatch, ["search", QUERY, "--provider", "all", "--json"]) == 0
    assert list(msgspec.json.decode(capsys.readouterr().out)) == ["gemini", "openai_oauth", "openrouter"]


@requirement("cli:all")
def test_asking_everyone_without_any_credential_says_what_is_missing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["search", QUERY, "--provider", "all"]) == 3
    assert "groundwire doctor" in capsys.readouterr().err


@requirement("cli:local")
def test_documents_of_ones_own_answer_with_citations(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "deploy.md").write_text(
        "# Deploying\n\nWe deploy on Tuesdays with make release.\n", encoding="utf-8"
    )
    assert main(["search", "when do we deploy?", "--provider", "local", "--corpus", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "We deploy on Tuesdays with make release.[1]" in printed
    assert f"[1] Deploying ({(tmp_path / 'deploy.md').as_uri()})" in printed


@requirement("tool:names", "cli:json")
def test_a_search_tool_can_be_called_as_a_model_would(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["tool", "websearch_openrouter", '{"query": "weather in Beijing"}', "--json"]
    assert with_emulator(monkeypatch, words) == 0
    assert msgspec.json.decode(capsys.readouterr().out)["sources"]
    assert main(["tool", "websearch_gemini", '{"query": "x", "foo": 1}', "--json"]) == 2
    assert msgspec.json.decode(capsys.readouterr().out)["error"]["type"] == "INVALID_TOOL_ARGUMENTS"
    assert main(["tool", "--list"]) == 0
    assert "websearch_openai_oauth" in capsys.readouterr().out


@requirement("cli:reports-broken-files")
def test_a_broken_file_is_reported_and_the_search_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], scrubbed_environment: Path
) -> None:
    (scrubbed_environment / "opencode.json").write_text('{\n  "provider": {,}\n}\n', encoding="utf-8")
    assert with_emulator(monkeypatch, ["search", QUERY, "--provider", "gemini"]) == 0
    printed = capsys.readouterr()
    assert "opencode.json:2" in printed.err
    assert printed.out.startswith("Web search results")


@requirement("cli:exit-codes")
def test_ctrl_c_before_a_command_has_begun_is_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("importlib.import_module", interrupted)
    assert main(["run", "x"]) == 130
