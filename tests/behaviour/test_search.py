"""Searching, as a caller meets it, over every door and against the emulator."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.conftest import Door, requirement

QUERY = "What is the weather in Beijing?"
PROVIDERS = ["gemini", "openai_oauth", "openrouter"]
FAILED = {
    "gemini": "GEMINI_WEB_SEARCH_FAILED",
    "openai_oauth": "OPENAI_OAUTH_WEB_SEARCH_FAILED",
    "openrouter": "OPENROUTER_WEB_SEARCH_FAILED",
}


def model_requests(requests: list[Any]) -> list[Any]:
    return [call for call in requests if call.method == "POST" and "token" not in call.path]


@requirement("answer:cited", "answer:same-shape")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_answer_carries_numbers_that_lead_to_its_sources(ask: Door, provider: str) -> None:
    told = ask(QUERY, "--provider", provider)
    assert set(told.json) == {"llmContent", "returnDisplay", "sources"}
    assert told.json["llmContent"].startswith(f'Web search results for "{QUERY}":\n\n')
    assert told.json["returnDisplay"] == f'Search results for "{QUERY}" returned.'
    body, _, listed = told.json["llmContent"].partition("\n\nSources:\n")
    numbers = {int(number) for number in re.findall(r"\[(\d+)\]", body)}
    assert numbers
    lines = listed.partition("\n\n")[0].splitlines()
    assert len(lines) == len(told.json["sources"])
    for number in numbers:
        uri = told.json["sources"][number - 1]["web"]["uri"]
        assert lines[number - 1].startswith(f"[{number}] ")
        assert uri in lines[number - 1]
    assert told.exit_code == 0


@requirement("answer:any-language")
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("query", ["北京天气怎么样？", "Café résumé naïve 😀 combining"])
def test_markers_stand_at_the_end_of_a_statement_in_any_script(ask: Door, provider: str, query: str) -> None:
    told = ask(query, "--provider", provider)
    body = told.json["llmContent"].partition('":\n\n')[2].partition("\n\nSources:\n")[0]
    assert "\ufffd" not in body
    for match in re.finditer(r"(.)((?:\[\d+\])+)(.?)", body, re.DOTALL):
        before, _, after = match.groups()
        assert not (before.isascii() and before.isalnum() and after.isascii() and after.isalnum())


@requirement("answer:nothing-found")
def test_a_query_nobody_knows_gets_a_friendly_sentence(ask: Door) -> None:
    told = ask("zxqv", "--provider", "gemini", scenario="empty")
    assert told.json == {
        "llmContent": 'No search results or information found for query: "zxqv"',
        "returnDisplay": "No information found.",
    }


@requirement("query:invalid")
@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", "empty"),
        (" \t\n ", "empty"),
        ("\x00\x07", "empty"),
        ("x" * 100_000, "100,000 characters"),
        ("a\ud800b", "half"),
    ],
    ids=["empty", "blank", "control characters", "100 KB", "lone surrogate"],
)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_bad_query_is_refused_without_a_network_call(
    ask: Door, provider: str, query: str, words: str
) -> None:
    told = ask(query, "--provider", provider)
    assert told.json["error"]["type"] == "INVALID_QUERY"
    assert words in told.json["error"]["message"]
    assert told.json["llmContent"] == f"Error: {told.json['error']['message']}"
    assert told.requests == []
    assert told.exit_code in (0, 2)


@requirement("query:cleaned")
def test_control_characters_and_spaces_around_are_not_sent(ask: Door) -> None:
    told = ask("  weather\x00\x1b in Beijing \n", "--provider", "gemini")
    assert told.requests[0].json["contents"][0]["parts"][0]["text"] == "weather in Beijing"


@requirement("credential:missing")
@pytest.mark.parametrize(
    ("provider", "variable", "kind"),
    [
        ("gemini", "GEMINI_API_KEY", "MISSING_GEMINI_API_KEY"),
        ("openai_oauth", "CODEX_ACCESS_TOKEN", "MISSING_OPENAI_OAUTH_SESSION"),
        ("openrouter", "OPENROUTER_API_KEY", "MISSING_OPENROUTER_API_KEY"),
    ],
)
def test_a_missing_credential_says_how_to_get_one(ask: Door, provider: str, variable: str, kind: str) -> None:
    told = ask(QUERY, "--provider", provider, env={variable: ""})
    assert told.json["error"]["type"] == kind
    assert re.search(r"run: |Sign in with", told.json["error"]["message"])
    assert told.requests == []
    assert told.exit_code in (0, 3)


@requirement("credential:first")
@pytest.mark.parametrize(
    ("without", "host"),
    [((), "v1beta"), (("GEMINI_API_KEY",), "codex"), (("GEMINI_API_KEY", "CODEX_ACCESS_TOKEN"), "/api/v1")],
)
def test_the_first_provider_with_a_credential_is_asked(
    ask: Door, without: tuple[str, ...], host: str
) -> None:
    told = ask(QUERY, env=dict.fromkeys(without, ""))
    assert host in told.requests[0].path
    assert "error" not in told.json


@requirement("credential:first")
def test_without_any_credential_the_message_names_the_command_that_helps(ask: Door) -> None:
    told = ask(QUERY, env=dict.fromkeys(["GEMINI_API_KEY", "CODEX_ACCESS_TOKEN", "OPENROUTER_API_KEY"], ""))
    assert "groundwire doctor" in told.json["error"]["message"]
    assert told.requests == []


@requirement("credential:not-forwarded")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_redirect_to_another_host_gets_no_credential(ask: Door, provider: str) -> None:
    told = ask(QUERY, "--provider", provider, scenario="other-host")
    assert told.json["error"]["type"] == FAILED[provider]
    assert "elsewhere.example" in told.json["error"]["message"]
    assert len(told.requests) == 1


@requirement("failure:typed")
@pytest.mark.parametrize(
    ("provider", "scenario", "words"),
    [
        ("gemini", "quota", "9 h 22 min"),
        ("gemini", "model-missing", "--model"),
        ("gemini", "html-error", "502"),
        ("gemini", "garbage", "broke off"),
        ("gemini", "cut", "broke off"),
        ("gemini", "safety", "refused to answer"),
        ("gemini", "service-disabled", "Enable it"),
        ("openai_oauth", "codex-usage-limit", "resets in"),
        ("openai_oauth", "codex-cloudflare", "Cloudflare"),
        ("openai_oauth", "codex-token-expired", "Sign in again"),
        ("openai_oauth", "no-completed", "broke off"),
        ("openai_oauth", "failed-server-is-overloaded", "overloaded"),
        ("openai_oauth", "cut", "broke off"),
        ("openai_oauth", "safety", "gave no answer: content_filter"),
        ("openai_oauth", "empty", "its output is empty"),
        ("openai_oauth", "huge-answer", "larger than 20 MB"),
        ("openrouter", "openrouter-402", "Add credits"),
        ("openrouter", "openrouter-402-key-limit", "Raise this key's limit"),
        ("openrouter", "openrouter-429", "Try again in 2 s"),
        ("openrouter", "openrouter-200-error", "502"),
        ("openrouter", "openrouter-empty", "no answer"),
        ("openrouter", "garbage", "broke off"),
    ],
)
def test_a_failure_has_its_providers_type_and_says_what_to_do(
    ask: Door, provider: str, scenario: str, words: str
) -> None:
    told = ask(QUERY, "--provider", provider, scenario=scenario)
    assert told.json["error"]["type"] == FAILED[provider]
    message = told.json["error"]["message"]
    assert words in message
    assert told.json["llmContent"] == f"Error: {message}"
    assert message.removeprefix(told.json["returnDisplay"]).strip(" ."), "a next step follows what happened"
    assert "sources" not in told.json
    assert told.exit_code in (0, 4)


@requirement("answer:cited")
@pytest.mark.parametrize(
    ("provider", "scenario"),
    [
        ("openai_oauth", "wrong-content-type"),
        ("openrouter", "wrong-content-type"),
        ("openai_oauth", "malformed-event"),
        ("openai_oauth", "stream-noise"),
        ("openrouter", "stream-noise"),
        ("openai_oauth", "deltas-only"),
        ("openai_oauth", "completed-only"),
        ("gemini", "split-multibyte"),
    ],
)
def test_a_sloppy_server_is_understood_all_the_same(ask: Door, provider: str, scenario: str) -> None:
    told = ask(QUERY, "--provider", provider, scenario=scenario)
    assert "error" not in told.json
    assert "[1]" in told.json["llmContent"]


@requirement("failure:passing")
@pytest.mark.parametrize(
    ("provider", "scenario"),
    [
        ("gemini", "rate-limit-once"),
        ("openai_oauth", "codex-503-then-ok"),
        ("openrouter", "openrouter-429-then-ok"),
    ],
)
def test_a_passing_failure_is_tried_again(ask: Door, provider: str, scenario: str) -> None:
    told = ask(QUERY, "--provider", provider, scenario=scenario)
    assert "error" not in told.json
    assert len(model_requests(told.requests)) == 2


@requirement("failure:bounded")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_huge_answer_is_refused(ask: Door, provider: str) -> None:
    told = ask(QUERY, "--provider", provider, scenario="huge-answer")
    assert told.json["error"]["type"] == FAILED[provider]
    assert "larger than 20 MB" in told.json["error"]["message"]


@requirement("failure:not-searched")
def test_an_answer_from_memory_is_a_failure(ask: Door) -> None:
    told = ask(QUERY, "--provider", "openai_oauth", scenario="style-no-search")
    assert told.json["error"]["type"] == "OPENAI_OAUTH_WEB_SEARCH_FAILED"
    assert "from memory" in told.json["error"]["message"]
    models = [call.json["model"] for call in model_requests(told.requests)]
    assert len(models) == len(set(models)) == 2  # every candidate was given a chance


@requirement("failure:timeout")
def test_a_search_that_takes_too_long_ends_with_a_clear_message(ask: Door) -> None:
    told = ask(QUERY, "--provider", "gemini", "--timeout", "0.01", scenario="latency")
    assert told.json["error"]["type"] == "GEMINI_WEB_SEARCH_FAILED"
    assert "in time" in told.json["error"]["message"]


@requirement("wish:max-sources")
def test_only_so_many_sources_are_given(ask: Door) -> None:
    query = "python"
    assert len(ask(query, "--provider", "gemini").json["sources"]) > 1
    told = ask(query, "--provider", "gemini", "--max-sources", "1")
    assert len(told.json["sources"]) == 1
    assert "[2]" not in told.json["llmContent"]


@requirement("wish:language-region")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_language_and_region_reach_the_provider(ask: Door, provider: str) -> None:
    told = ask(QUERY, "--provider", provider, "--language", "Polish", "--region", "PL")
    sent = str(model_requests(told.requests)[0].json)
    assert "Polish" in sent
    assert "PL" in sent


@requirement("wish:raw")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_metadata_comes_in_a_field_of_its_own_when_asked_for(ask: Door, provider: str) -> None:
    assert "raw" not in ask(QUERY, "--provider", provider).json
    assert ask(QUERY, "--provider", provider, "--raw").json["raw"]


@requirement("wish:resolve-links")
def test_redirect_links_become_the_addresses_of_the_pages(ask: Door) -> None:
    plain = ask(QUERY, "--provider", "gemini", scenario="redirect-links")
    assert "/grounding-api-redirect/" in plain.json["sources"][0]["web"]["uri"]
    told = ask(QUERY, "--provider", "gemini", "--resolve-links", scenario="redirect-links")
    assert told.json["sources"][0]["web"]["uri"].startswith("https://weather.example.org/")
    assert "/grounding-api-redirect/" not in told.json["llmContent"]
    followed = [call for call in told.requests if "grounding-api-redirect" in call.path]
    assert followed
    assert all("x-goog-api-key" not in call.headers for call in followed)


@requirement("tool:geminisearch-config")
def test_the_block_geminisearch_does_not_touch_other_searches(ask: Door, scrubbed_environment: Path) -> None:
    config = '{"provider": {"geminisearch": {"options": {"apiKey": "other", "model": "gemini-2.5-pro"}}}}'
    told = ask(QUERY, "--provider", "gemini", env={"OPENCODE_CONFIG_CONTENT": config})
    assert told.requests[0].headers["x-goog-api-key"] == "emulator-gemini-key"
    assert "gemini-2.5-flash" in told.requests[0].path
