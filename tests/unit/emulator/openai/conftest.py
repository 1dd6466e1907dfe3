"""What the tests of OpenAI-style APIs share: a signed-in caller, a search request, some passages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from groundwire.emulator.openai.searching import Page
from groundwire.emulator.openai.tokens import Account, access_token

NOW = 1_800_000_000.0

PASSAGES = [
    Page("Beijing weather", "https://weather.example/beijing", "Beijing is sunny today. It has 25 degrees."),
    Page("北京天气预报", "https://tianqi.example/beijing", "北京今天天气晴朗。明天多云。"),
    Page("Climate notes", "https://www.climate.example/notes?lang=en", "The north wind is light."),
]


class Documents:
    """Finds the same passages whatever is asked."""

    def __init__(self, passages: list[Page]) -> None:
        self.passages = passages

    def find(self, query: str, limit: int) -> list[Page]:
        return self.passages[:limit]


@pytest.fixture
def passages() -> list[Page]:
    """Three pages, one of them Chinese."""
    return list(PASSAGES)


@pytest.fixture
def documents() -> Documents:
    """Documents in which every search finds the three pages."""
    return Documents(list(PASSAGES))


@pytest.fixture
def signed_in() -> dict[str, str]:
    """The headers of a caller the Codex backend accepts."""
    return {
        "authorization": f"Bearer {access_token(Account(), 'https://auth.example', NOW)}",
        "chatgpt-account-id": Account().account_id,
        "user-agent": "tests/1",
    }


@pytest.fixture
def keyed() -> dict[str, str]:
    """The headers of a caller OpenRouter accepts."""
    return {"authorization": "Bearer sk-or-v1-test"}


@pytest.fixture
def codex_request() -> Callable[..., dict[str, Any]]:
    """Makes a search request for the Codex backend; keyword arguments replace fields."""

    def make(query: str = "weather in Beijing", **changes: Any) -> dict[str, Any]:
        request = {
            "model": "gpt-5.5",
            "instructions": "Search the web.",
            "input": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": query}]}
            ],
            "tools": [{"type": "web_search", "external_web_access": True}],
            "tool_choice": {"type": "web_search"},
            "include": ["web_search_call.action.sources"],
            "store": False,
            "stream": True,
        }
        changed = {**request, **changes}
        return {name: value for name, value in changed.items() if value is not ...}

    return make


@pytest.fixture
def events_in() -> Callable[[bytes], list[dict[str, Any]]]:
    """Reads the events of a server-sent stream, comments and the closing [DONE] left out."""

    def read(body: bytes) -> list[dict[str, Any]]:
        lines = [line for line in body.split(b"\n") if line.startswith(b"data: ")]
        return [msgspec.json.decode(line[6:]) for line in lines if line != b"data: [DONE]"]

    return read
