"""The agent from the command line against a fake of the Gemini API that knows nothing of ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.cli import main
from tests.behaviour.conftest import requirement
from tests.behaviour.gemini_fake import FOUND, KEY, LAST_WORDS, FakeGemini, Refused, bad, fake_gemini

TASK = "搜索北京天气并保存到 weather.txt"


@pytest.fixture
def fake(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGemini]:
    with fake_gemini() as (fake, address):
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", address)
        monkeypatch.setenv("GEMINI_API_KEY", KEY)
        yield fake


@requirement("agent:task", "agent:search-alone", "agent:signatures")
@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-flash-preview"])
def test_the_weather_is_saved_with_its_citations(
    fake: FakeGemini, workspace: Path, capsys: pytest.CaptureFixture[str], model: str
) -> None:
    assert main(["run", TASK, "--approve", "edits", "--model", model]) == 0
    assert (workspace / "weather.txt").read_text(encoding="utf-8") == (
        f'Web search results for "北京天气":\n\n{FOUND}[1]\n\nSources:\n[1] 中国天气网 (https://weather.com.cn/beijing)'
    )
    printed = capsys.readouterr()
    assert "".join(LAST_WORDS) in printed.out
    assert "[1] 中国天气网 (https://weather.com.cn/beijing)" in printed.out
    assert [line[0] for line in printed.err.splitlines()] == ["✓", "✓"]
    assert [sorted(tool) for body in fake.asked for tool in body["tools"]] == [
        ["functionDeclarations"],
        ["googleSearch"],
        ["functionDeclarations"],
        ["functionDeclarations"],
    ]


@requirement("agent:failure")
def test_what_the_api_refuses_is_told(
    fake: FakeGemini, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "wrong")
    assert main(["run", TASK, "--approve", "edits"]) == 4
    assert "API key not valid" in capsys.readouterr().err


@requirement("agent:search-alone")
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"contents": [], "tools": []}, "contents is not specified"),
        ({"contents": [{"role": "user", "parts": [{"text": "x"}]}], "extra": 1}, "Unknown name"),
        (
            {
                "contents": [{"role": "user", "parts": [{"text": "x"}]}],
                "tools": [{"googleSearch": {}}, {"functionDeclarations": []}],
            },
            "only when they are all search tools",
        ),
        (
            {
                "contents": [
                    {"role": "user", "parts": [{"text": "x"}]},
                    {"role": "model", "parts": [{"functionCall": {"name": "f"}, "thoughtSignature": "s"}]},
                    {"role": "user", "parts": [{"text": "no answer"}]},
                ]
            },
            "equal to the number of function call parts",
        ),
        (
            {
                "contents": [
                    {"role": "user", "parts": [{"text": "x"}]},
                    {"role": "model", "parts": [{"functionCall": {"name": "f"}}]},
                    {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]},
                ]
            },
            "missing a thought_signature",
        ),
    ],
)
def test_the_fake_refuses_what_google_refuses(body: dict[str, object], message: str) -> None:
    with pytest.raises(Refused, match=message):
        FakeGemini().answer("gemini-3-flash-preview", KEY, body)
    assert bad(message).code == 400
