"""Search as tools for models: names, arguments, configuration, and sign-ins that stay fresh."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundwire.citations import WebSearchResult
from groundwire.config import load_config
from groundwire.emulator import Emulator
from groundwire.runtime import Runtime
from groundwire.search_tools import SEARCH_TOOLS
from groundwire.testing import AsgiTransport
from tests.behaviour.conftest import requirement

QUERY = {"query": "weather in Beijing"}


def call(
    emulator: Emulator, name: str, arguments: object, home: Path, env: Mapping[str, str] | None = None
) -> WebSearchResult:
    """The tool's result, the emulator mounted in process."""
    environment = {**emulator.env(), **(env or {})}

    async def run() -> WebSearchResult:
        config = load_config(env=environment, cwd=home, home=home)
        async with Runtime(config, env=environment, http=AsgiTransport(emulator.app)) as runtime:
            return await runtime.call_search_tool(name, arguments)

    return asyncio.run(run())


@requirement("tool:names")
@pytest.mark.parametrize(
    ("tool", "arguments", "path"),
    [
        ("geminisearch", QUERY, "/v1beta/models/gemini-2.5-flash:generateContent"),
        ("websearch_gemini", QUERY, "/v1beta/models/gemini-2.5-flash:generateContent"),
        ("websearch_openai_oauth", QUERY, "/backend-api/codex/responses"),
        ("websearch_openrouter", QUERY, "/api/v1/responses"),
        ("websearch", QUERY, "/v1beta/models/gemini-2.5-flash:generateContent"),
        ("websearch", {**QUERY, "provider": "openrouter"}, "/api/v1/responses"),
        ("websearch", {**QUERY, "provider": "openai_oauth"}, "/backend-api/codex/responses"),
    ],
)
def test_each_tool_asks_its_provider(tmp_path: Path, tool: str, arguments: dict[str, str], path: str) -> None:
    emulator = Emulator()
    told = call(emulator, tool, arguments, tmp_path)
    assert told.ok
    assert [request.path for request in emulator.requests] == [path]


@requirement("tool:names")
def test_the_request_to_gemini_has_the_documented_form(tmp_path: Path) -> None:
    emulator = Emulator()
    call(emulator, "websearch_gemini", {"query": " weather "}, tmp_path)
    sent = emulator.requests[0]
    assert sent.json == {
        "contents": [{"role": "user", "parts": [{"text": "weather"}]}],
        "tools": [{"googleSearch": {}}],
    }
    assert sent.headers["x-goog-api-key"] == "emulator-gemini-key"
    assert sent.headers["content-type"] == "application/json"


@requirement("tool:names")
def test_the_request_to_openrouter_has_the_documented_form(tmp_path: Path) -> None:
    emulator = Emulator()
    call(emulator, "websearch_openrouter", {"query": "weather"}, tmp_path)
    sent = emulator.requests[0]
    assert sent.json == {
        "model": "openai/o4-mini",
        "input": "weather",
        "plugins": [{"id": "web", "max_results": 3}],
        "max_output_tokens": 9000,
    }
    assert sent.headers["authorization"] == "Bearer sk-or-v1-emulator"


@requirement("tool:arguments")
@pytest.mark.parametrize("tool", [name for name in SEARCH_TOOLS if name != "websearch"])
def test_an_extra_argument_is_refused_in_the_documented_words(tmp_path: Path, tool: str) -> None:
    emulator = Emulator()
    told = call(emulator, tool, {"query": "x", "foo": 1}, tmp_path)
    assert told.to_json() == {
        "llmContent": "Error: websearch_* only accepts a single 'query' field.\n\n"
        "Details: Unknown argument(s): foo, only 'query' supported.",
        "returnDisplay": "websearch_* only accepts a single 'query' field.",
        "error": {
            "message": "Unknown argument(s): foo, only 'query' supported.",
            "type": "INVALID_TOOL_ARGUMENTS",
        },
    }
    assert emulator.requests == []


@requirement("tool:arguments")
@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({}, "INVALID_QUERY"),
        ({"query": " "}, "INVALID_QUERY"),
        ({"query": None}, "INVALID_QUERY"),
        ({"query": 7}, "INVALID_QUERY"),
        ({"query": ["x"]}, "INVALID_QUERY"),
        (["query"], "INVALID_TOOL_ARGUMENTS"),
        ("query", "INVALID_TOOL_ARGUMENTS"),
        (None, "INVALID_TOOL_ARGUMENTS"),
        ({"query": "x", "provider": "bing"}, "INVALID_TOOL_ARGUMENTS"),
        ({"query": "x", "provider": 1}, "INVALID_TOOL_ARGUMENTS"),
    ],
)
def test_wrong_arguments_are_told_by_type(tmp_path: Path, arguments: object, kind: str) -> None:
    emulator = Emulator()
    told = call(emulator, "websearch", arguments, tmp_path)
    assert told.error is not None
    assert told.error.type == kind
    assert told.llm_content.startswith("Error: ")
    assert emulator.requests == []


@requirement("tool:geminisearch-config")
def test_the_block_geminisearch_wins_for_its_tool(tmp_path: Path) -> None:
    emulator = Emulator()
    config = {
        "provider": {"geminisearch": {"options": {"apiKey": "{env:MY_KEY}", "model": "gemini-2.5-pro"}}}
    }
    env = {"OPENCODE_CONFIG_CONTENT": msgspec.json.encode(config).decode(), "MY_KEY": "emulator-gemini-key-2"}
    call(emulator, "geminisearch", QUERY, tmp_path, env)
    assert emulator.requests[0].headers["x-goog-api-key"] == "emulator-gemini-key-2"
    assert "gemini-2.5-pro" in emulator.requests[0].path


def auth_store(home: Path, record: dict[str, Any]) -> Path:
    path = home / ".local/share/opencode/auth.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(msgspec.json.encode({"openai": record, "other": {"type": "api", "key": "kept"}}))
    return path


@requirement("credential:renewed")
def test_an_expired_sign_in_is_renewed_and_written_back(tmp_path: Path) -> None:
    emulator = Emulator()
    expired = {"type": "oauth", "access": "old", "refresh": "rt_emulator", "expires": 1}
    store = auth_store(tmp_path, expired)
    told = call(emulator, "websearch_openai_oauth", QUERY, tmp_path, {"CODEX_ACCESS_TOKEN": ""})
    assert told.ok, told.llm_content
    written = msgspec.json.decode(store.read_bytes())
    assert written["other"] == {"type": "api", "key": "kept"}
    assert written["openai"]["refresh"] != "rt_emulator"
    assert [request.path for request in emulator.requests] == ["/oauth/token", "/backend-api/codex/responses"]


@requirement("credential:renewed")
def test_a_refused_token_is_renewed_once_and_the_question_asked_again(tmp_path: Path) -> None:
    emulator = Emulator(scenario="codex-401-until-refresh")
    fresh = emulator.env()["CODEX_ACCESS_TOKEN"]
    record = {"type": "oauth", "access": fresh, "refresh": "rt_emulator", "expires": 9_999_999_999_000}
    auth_store(tmp_path, record)
    told = call(emulator, "websearch_openai_oauth", QUERY, tmp_path, {"CODEX_ACCESS_TOKEN": ""})
    assert told.ok, told.llm_content
    paths = [request.path for request in emulator.requests]
    assert paths == ["/backend-api/codex/responses", "/oauth/token", "/backend-api/codex/responses"]


@requirement("credential:renewed")
@pytest.mark.parametrize("scenario", ["refresh-token-expired", "refresh-token-invalidated"])
def test_a_sign_in_that_cannot_be_renewed_says_how_to_sign_in_again(tmp_path: Path, scenario: str) -> None:
    emulator = Emulator(scenario=scenario)
    auth_store(tmp_path, {"type": "oauth", "access": "old", "refresh": "rt_emulator", "expires": 1})
    told = call(emulator, "websearch_openai_oauth", QUERY, tmp_path, {"CODEX_ACCESS_TOKEN": ""})
    assert told.error is not None
    assert told.error.type == "MISSING_OPENAI_OAUTH_SESSION"
    assert "opencode auth login" in told.error.message
