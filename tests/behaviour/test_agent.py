"""The agent, from the command line, against the emulator on loopback."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundwire.cli import main
from groundwire.emulator import Emulator
from tests.behaviour.conftest import requirement, served, use

TASK = "搜索北京天气并保存到 weather.txt"


def bodies(emulator: Emulator) -> list[Any]:
    return [request.json for request in emulator.requests if "enerateContent" in request.path]


@requirement("agent:task")
def test_the_weather_is_searched_and_saved_with_its_citations(
    emulator: Emulator, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", TASK, "--approve", "yolo"]) == 0
    saved = (workspace / "weather.txt").read_text(encoding="utf-8")
    assert saved.startswith('Web search results for "北京天气":\n\n今天北京天气晴朗')
    assert "空气质量良好。[1]" in saved
    assert saved.endswith("Sources:\n[1] 北京天气 (https://weather.example.org/zh/beijing)\n")
    printed = capsys.readouterr()
    assert "saved it to weather.txt.\n\nSources:\n[1] 北京天气" in printed.out
    assert printed.err.splitlines() == [
        '✓ google_web_search(query: "北京天气") → 1 source',
        '✓ write_file(file_path: "weather.txt", content: …) → created, +6 -0 lines',
    ]


@requirement("agent:search-alone")
def test_a_search_is_a_request_of_its_own(emulator: Emulator) -> None:
    main(["run", TASK, "--approve", "yolo"])
    searches = [body for body in bodies(emulator) if "googleSearch" in str(body["tools"])]
    assert [body["tools"] for body in searches] == [[{"googleSearch": {}}]]
    assert searches[0]["contents"] == [{"role": "user", "parts": [{"text": "北京天气"}]}]
    declared = [one["name"] for one in bodies(emulator)[0]["tools"][0]["functionDeclarations"]]
    assert {"google_web_search", "write_file", "read_file"} <= set(declared)


@requirement("agent:signatures", "agent:task")
def test_a_model_that_insists_on_signatures_gets_them_back(emulator: Emulator, workspace: Path) -> None:
    assert main(["run", TASK, "--approve", "edits", "--model", "gemini-3-flash-preview"]) == 0
    assert (workspace / "weather.txt").is_file()
    history = bodies(emulator)[-1]["contents"]
    assert [content["role"] for content in history] == ["user", "model", "user", "model", "user"]
    assert history[1]["parts"][0]["thought"] is True
    assert history[1]["parts"][1]["thoughtSignature"]


@requirement("agent:approval")
@pytest.mark.parametrize("mode", ["ask", "plan"])
def test_without_a_terminal_nothing_is_changed(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], mode: str
) -> None:
    script = workspace.parent / "write.toml"
    script.write_text(
        '[[step]]\ncall = [{ name = "write_file", args = { file_path = "a.txt", content = "a" } }]\n'
        '[[step]]\nwhen = { result_matches = "nothing was changed|not found" }\ntext = "I could not."\n',
        encoding="utf-8",
    )
    with served(script=str(script)) as emulator:
        use(emulator, monkeypatch)
        code = main(["run", "write", "--approve", mode])
    assert list(workspace.iterdir()) == []
    assert code == (7 if mode == "ask" else 0)
    assert ("--approve edits allows" in capsys.readouterr().err) is (mode == "ask")


@requirement("agent:shell")
@pytest.mark.parametrize(
    ("words", "code", "ran"),
    [
        (["--shell", "--approve", "yolo"], 0, True),
        (["--shell", "--approve", "edits"], 7, False),
        (["--shell"], 7, False),
        (["--approve", "yolo"], 0, False),
        (["--shell", "--approve", "plan"], 0, False),
    ],
)
def test_a_command_runs_only_when_it_was_allowed(
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    code: int,
    ran: bool,
) -> None:
    script = workspace.parent / "command.toml"
    script.write_text(
        '[[step]]\ncall = [{ name = "run_shell_command", args = { command = "env >env.txt" } }]\n'
        '[[step]]\ntext = "That is all."\n',
        encoding="utf-8",
    )
    with served(script=str(script)) as emulator:
        use(emulator, monkeypatch)
        assert main(["run", "look", *words]) == code
    assert (workspace / "env.txt").exists() is ran
    if ran:
        assert "GEMINI_API_KEY" not in (workspace / "env.txt").read_text(encoding="utf-8")
    assert ("--approve yolo also commands" in capsys.readouterr().err) is (code == 7)


@requirement("agent:events")
def test_json_events_come_one_per_line_and_the_outcome_last(
    emulator: Emulator, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", TASK, "--approve", "yolo", "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    events = [msgspec.json.decode(line) for line in printed.out.splitlines()]
    assert [event["type"] for event in events][:5] == ["turn", "call", "result", "turn", "call"]
    assert events[1]["arguments"] == {"query": "北京天气"}
    outcome = events[-1]
    assert (outcome["type"], outcome["ending"], outcome["turns"]) == ("outcome", "done", 3)
    assert outcome["searches"][0]["sources"][0]["web"]["uri"] == "https://weather.example.org/zh/beijing"
    assert outcome["tokens"]["given"] > 0
    assert outcome["cost"] > 0


@requirement("agent:failure")
def test_a_missing_key_ends_the_run_before_anything_is_sent(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", TASK]) == 3
    assert "GEMINI_API_KEY" in capsys.readouterr().err


@requirement("agent:failure")
@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["--max-turns", "1", "--approve", "yolo"], 8, "limit of 1 turns"),
        (["--max-tokens", "1", "--approve", "yolo"], 8, "budget of 1 tokens"),
        (["--max-cost", "0.000001", "--approve", "yolo"], 8, "budget of $0.0000 is spent"),
        (["--model", "gpt-9"], 4, "does not know the model"),
        (["--model", "gpt-9", "--max-cost", "1"], 2, "no price for the model gpt-9"),
        (["--max-cost", "0"], 2, "--max-cost must be above 0"),
    ],
)
def test_a_limit_or_a_failure_shows_in_the_exit_code(
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    code: int,
    told: str,
) -> None:
    endless = workspace.parent / "endless.toml"
    endless.write_text(
        '[[step]]\ntimes = 0\ncall = [{ name = "list_directory", args = { dir_path = "." } }]\n',
        encoding="utf-8",
    )
    with served(script=str(endless)) as emulator:
        use(emulator, monkeypatch)
        assert main(["run", "look", *words]) == code
    assert told in capsys.readouterr().err


@requirement("chat:pipe")
def test_a_conversation_reads_its_tasks_from_a_pipe(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = workspace.parent / "talk.toml"
    script.write_text(
        '[[step]]\ntext = "One."\n'
        '[[step]]\ncall = [{ name = "write_file", args = { file_path = "a.txt", content = "a" } }]\n'
        '[[step]]\ntext = "Not allowed."\n',
        encoding="utf-8",
    )
    monkeypatch.setattr(
        "sys.stdin", io.StringIO("first\n\nsecond \\\nline\n/diff\n/undo\n/quit\nnever heard\n")
    )
    with served(script=str(script)) as emulator:
        use(emulator, monkeypatch)
        assert main(["chat"]) == 7  # the last task was refused
        assert bodies(emulator)[1]["contents"][-1]["parts"] == [{"text": "second \nline"}]
    printed = capsys.readouterr()
    assert printed.out == "One.\nNot allowed.\nNothing was changed.\n"
    assert "--approve edits allows" in printed.err
    assert "changed no file" in printed.err
    assert "\x1b" not in printed.out + printed.err
    assert list(workspace.iterdir()) == []


@requirement("chat:pipe")
def test_a_conversation_in_which_nothing_was_asked_leaves_nothing_behind(
    emulator: Emulator, scrubbed_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    emulator.world.script = None
    monkeypatch.setattr("sys.stdin", io.StringIO("/help\n"))
    assert main(["chat"]) == 0
    sessions = scrubbed_environment / ".local" / "state" / "groundwire" / "sessions"
    assert list(sessions.glob("*.jsonl")) == []
