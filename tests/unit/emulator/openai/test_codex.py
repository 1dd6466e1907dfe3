"""The emulated Codex backend: what it streams, what it refuses, and the calls around a turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
import zstandard

from groundwire.emulator import Script
from groundwire.emulator.openai.tokens import Account, access_token
from groundwire.emulator.script import ScriptedCall, Step, When

PATH = "/backend-api/codex/responses"
Asking = Callable[..., Any]
Making = Callable[..., dict[str, Any]]
Reading = Callable[[bytes], list[dict[str, Any]]]


def kinds(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"].removeprefix("response.") for event in events]


def without_repeats(words: list[str]) -> list[str]:
    return [word for index, word in enumerate(words) if index == 0 or words[index - 1] != word]


async def test_a_search_streams_in_the_recorded_order(
    asking: Asking, documents: Any, signed_in: dict[str, str], codex_request: Making, events_in: Reading
) -> None:
    ask = asking(corpus=documents)
    heard = await ask(
        "POST", PATH, codex_request(), headers={**signed_in, "x-emulator-scenario": "style-native"}
    )
    events = events_in(heard.body)
    assert heard.status == 200
    assert heard.headers["content-type"] == "text/event-stream"
    order = without_repeats([kind for kind in kinds(events) if not kind.startswith("output_text.delta")])
    assert order == [
        "created",
        "in_progress",
        "output_item.added",
        "web_search_call.in_progress",
        "web_search_call.searching",
        "web_search_call.completed",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "output_text.annotation.added",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert b"event: response.created\ndata: {" in heard.body


async def test_an_annotation_follows_the_delta_that_finishes_its_marker(
    asking: Asking, documents: Any, signed_in: dict[str, str], codex_request: Making, events_in: Reading
) -> None:
    ask = asking(corpus=documents)
    heard = await ask(
        "POST", PATH, codex_request(), headers={**signed_in, "x-emulator-scenario": "style-native"}
    )
    said = ""
    before = ""
    announced = 0
    for event in events_in(heard.body):
        if event["type"].endswith("output_text.delta"):
            before, said = said, said + event["delta"]
        if event["type"].endswith("annotation.added"):
            announced += 1
            assert len(before) < event["annotation"]["end_index"] <= len(said)
    assert announced == 3


async def test_completed_has_an_empty_output_unless_a_scenario_fills_it(
    asking: Asking, documents: Any, signed_in: dict[str, str], codex_request: Making, events_in: Reading
) -> None:
    ask = asking(corpus=documents)
    plain = events_in((await ask("POST", PATH, codex_request(), headers=signed_in)).body)
    full = await ask("POST", f"/~full-output{PATH}", codex_request(), headers=signed_in)
    assert plain[-1]["response"]["output"] == []
    assert plain[-1]["response"]["tool_usage"] == {"web_search": {"num_requests": 1}}
    types = [item["type"] for item in events_in(full.body)[-1]["response"]["output"]]
    assert types[0] == "web_search_call"
    assert "message" in types


async def test_sources_are_listed_only_when_included(
    asking: Asking, documents: Any, signed_in: dict[str, str], codex_request: Making, events_in: Reading
) -> None:
    ask = asking(corpus=documents)

    async def action(**changes: Any) -> dict[str, Any]:
        heard = await ask("POST", f"/~style-api-sources{PATH}", codex_request(**changes), headers=signed_in)
        done = [e for e in events_in(heard.body) if e["type"] == "response.output_item.done"]
        found: dict[str, Any] = done[0]["item"]["action"]
        return found

    assert "sources" not in await action(include=...)
    sources = (await action())["sources"]
    assert sources[0] == {"type": "url", "url": "https://weather.example/beijing"}
    assert sources[-1] == {"type": "api", "name": "oai-weather"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"store": True}, "Store must be set to false"),
        ({"store": ...}, "Store must be set to false"),
        ({"stream": False}, "Stream must be set to true"),
        ({"instructions": ...}, "Instructions are required"),
        ({"max_output_tokens": 100}, "Unsupported parameter: max_output_tokens"),
        ({"temperature": 0}, "Unsupported parameter: temperature"),
        ({"stream_options": {"include_usage": True}}, "Unsupported parameter: stream_options"),
        ({"input": [{"role": "system", "content": "x"}]}, "System messages are not allowed"),
        ({"input": "hello"}, "Input must be a list"),
        (
            {"model": "gpt-5.2"},
            "The 'gpt-5.2' model is not supported when using Codex with a ChatGPT account.",
        ),
    ],
)
async def test_what_the_backend_refuses_is_refused_in_its_words(
    ask: Asking, signed_in: dict[str, str], codex_request: Making, changes: dict[str, Any], said: str
) -> None:
    heard = await ask("POST", PATH, codex_request(**changes), headers=signed_in)
    assert (heard.status, heard.json) == (400, {"detail": said})


async def test_a_developer_message_stands_in_for_instructions(
    ask: Asking, signed_in: dict[str, str], codex_request: Making
) -> None:
    request = codex_request(instructions=...)
    request["input"].insert(0, {"type": "message", "role": "developer", "content": "Be brief."})
    assert (await ask("POST", PATH, request, headers=signed_in)).status == 200


async def test_forcing_a_tool_that_is_not_offered_is_refused(
    ask: Asking, signed_in: dict[str, str], codex_request: Making
) -> None:
    heard = await ask("POST", PATH, codex_request(tools=[]), headers=signed_in)
    assert heard.status == 400
    assert "not found in 'tools'" in heard.json["error"]["message"]


async def test_a_result_without_its_call_is_refused(
    ask: Asking, signed_in: dict[str, str], codex_request: Making
) -> None:
    request = codex_request()
    request["input"].append({"type": "function_call_output", "call_id": "call_9", "output": "x"})
    heard = await ask("POST", PATH, request, headers=signed_in)
    assert heard.status == 400
    assert "call_9" in heard.json["error"]["message"]


async def test_callers_without_a_good_token_get_401_with_the_reason(
    ask: Asking, signed_in: dict[str, str], codex_request: Making
) -> None:
    async def refused(token: str | None) -> Any:
        headers = {k: v for k, v in signed_in.items() if k != "authorization"}
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        heard = await ask("POST", PATH, codex_request(), headers=headers)
        assert heard.status == 401
        return heard

    assert (await refused(None)).json == {"detail": "Unauthorized"}
    assert (await refused("not-a-jwt")).json["error"]["code"] == "invalid_token"
    assert (await refused("a.b.c")).json["error"]["code"] == "invalid_token"
    expired = await refused(access_token(Account(), "i", 1_700_000_000, 60))
    assert expired.json["error"]["code"] == "token_expired"
    assert expired.headers["x-openai-authorization-error"] == "token_expired"


async def test_a_missing_account_header_meets_cloudflare(
    ask: Asking, signed_in: dict[str, str], codex_request: Making
) -> None:
    del signed_in["chatgpt-account-id"]
    heard = await ask("POST", PATH, codex_request(), headers=signed_in)
    assert heard.status == 403
    assert heard.headers["content-type"].startswith("text/html")
    assert b"Just a moment" in heard.body


async def test_another_account_than_the_tokens_is_refused(
    ask: Asking, signed_in: dict[str, str], codex_request: Making
) -> None:
    headers = {**signed_in, "chatgpt-account-id": "someone-else"}
    heard = await ask("POST", PATH, codex_request(), headers=headers)
    assert (heard.status, heard.json["error"]["code"]) == (401, "account_mismatch")


async def test_without_a_search_tool_the_model_answers_plainly(
    ask: Asking, signed_in: dict[str, str], codex_request: Making, events_in: Reading
) -> None:
    heard = await ask("POST", PATH, codex_request("hi", tools=[], tool_choice="auto"), headers=signed_in)
    done = [e["item"] for e in events_in(heard.body) if e["type"] == "response.output_item.done"]
    assert [item["type"] for item in done] == ["message"]
    assert done[0]["content"][0]["text"] == "You said: hi"


async def test_domain_filters_narrow_the_search(
    asking: Asking, documents: Any, signed_in: dict[str, str], codex_request: Making, events_in: Reading
) -> None:
    ask = asking(corpus=documents)
    tool = {"type": "web_search", "filters": {"allowed_domains": ["climate.example"]}}
    heard = await ask("POST", f"/~style-native{PATH}", codex_request(tools=[tool]), headers=signed_in)
    done = [e["item"] for e in events_in(heard.body) if e["type"] == "response.output_item.done"]
    assert [one["url"] for one in done[0]["action"]["sources"]] == [
        "https://www.climate.example/notes?lang=en"
    ]


async def test_a_script_calls_functions_in_codex_form_and_sees_their_results(
    asking: Asking, signed_in: dict[str, str], codex_request: Making, events_in: Reading
) -> None:
    steps = [
        Step(
            when=When(user="list"),
            thought="I should look.",
            call=[
                ScriptedCall("exec_command", {"cmd": "ls"}),
                ScriptedCall("apply_patch", {"input": "*** Begin Patch"}),
            ],
        ),
        Step(when=When(result="exec_command"), text="It says {{result}}"),
    ]
    ask = asking(script=Script(step=steps))
    tools = [
        {"type": "function", "name": "exec_command"},
        {"type": "custom", "name": "apply_patch"},
        {"type": "web_search"},
    ]
    request = codex_request("list files", tools=tools, tool_choice="auto")
    first = events_in((await ask("POST", PATH, request, headers=signed_in)).body)
    done = [event["item"] for event in first if event["type"] == "response.output_item.done"]
    assert [item["type"] for item in done] == ["reasoning", "function_call", "custom_tool_call"]
    assert msgspec.json.decode(done[1]["arguments"]) == {"cmd": "ls"}
    assert done[2]["input"] == "*** Begin Patch"
    outputs = [
        {"type": "function_call_output", "call_id": done[1]["call_id"], "output": "a.txt"},
        {"type": "custom_tool_call_output", "call_id": done[2]["call_id"], "output": "Done"},
    ]
    request["input"] += [*done, *outputs]
    second = events_in((await ask("POST", PATH, request, headers=signed_in)).body)
    done = [event["item"] for event in second if event["type"] == "response.output_item.done"]
    assert done[0]["content"][0]["text"] == "It says a.txt\nDone"
    ask.emulator.check_script()


async def test_a_tool_in_a_namespace_is_called_there(
    asking: Asking, signed_in: dict[str, str], codex_request: Making, events_in: Reading
) -> None:
    ask = asking(script=Script(step=[Step(call=[ScriptedCall("web__run", {"q": "x"})])]))
    web = {"type": "namespace", "name": "web", "tools": [{"type": "function", "name": "run"}]}
    request = codex_request("go", tools=[web], tool_choice="auto")
    events = events_in((await ask("POST", PATH, request, headers=signed_in)).body)
    item = next(event["item"] for event in events if event["type"] == "response.output_item.done")
    assert (item["namespace"], item["name"]) == ("web", "run")


async def test_a_compressed_request_is_understood(
    ask: Asking, signed_in: dict[str, str], codex_request: Making
) -> None:
    body = zstandard.ZstdCompressor().compress(msgspec.json.encode(codex_request()))
    headers = {**signed_in, "content-encoding": "zstd"}
    assert (await ask("POST", PATH, body=body, headers=headers)).status == 200


async def test_a_websocket_attempt_is_sent_to_plain_http(ask: Asking, signed_in: dict[str, str]) -> None:
    heard = await ask("GET", PATH, headers={**signed_in, "upgrade": "websocket"})
    assert heard.status == 426


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/backend-api/nowhere", None, 404),
        ("DELETE", PATH, None, 405),
        ("POST", PATH, b"{not json", 400),
        ("POST", PATH, b" " * (20 * 1024 * 1024 + 1), 413),
        ("POST", PATH, b"[]", 400),
    ],
)
async def test_bad_input_is_refused_in_the_backends_form(
    ask: Asking, signed_in: dict[str, str], method: str, path: str, body: bytes | None, status: int
) -> None:
    heard = await ask(method, path, body=body, headers=signed_in)
    assert heard.status == status
    assert isinstance(heard.json["detail"], str)


async def test_standalone_search_gives_results_with_references(
    asking: Asking, documents: Any, signed_in: dict[str, str]
) -> None:
    ask = asking(corpus=documents)
    request = {
        "id": "s",
        "model": "gpt-6.1-sol",
        "input": [],
        "commands": {"search_query": [{"q": "weather"}]},
    }
    heard = await ask("POST", "/backend-api/codex/alpha/search", request, headers=signed_in)
    assert heard.json["results"][0]["ref_id"] == "turn0search0"
    assert "turn0search0 [wordlim" in heard.json["output"]
    refused = await ask("POST", "/backend-api/codex/alpha/search", {**request, "x": 1}, headers=signed_in)
    assert (refused.status, refused.json["error"]["code"]) == (400, "unknown_parameter")
    nothing = await ask(
        "POST", "/backend-api/codex/alpha/search", {**request, "commands": {}}, headers=signed_in
    )
    assert (nothing.status, nothing.json["results"]) == (200, None)


async def test_the_account_check_names_the_callers_account(ask: Asking, signed_in: dict[str, str]) -> None:
    heard = await ask("GET", "/backend-api/wham/accounts/check", headers=signed_in)
    assert heard.json["default_account_id"] == Account().account_id
    assert (await ask("GET", "/backend-api/wham/accounts/check")).status == 401


async def test_a_proxy_that_adds_https_is_believed(ask: Asking, signed_in: dict[str, str]) -> None:
    headers = {**signed_in, "x-forwarded-proto": "https", "host": "127.0.0.1:9443"}
    heard = await ask("GET", "/backend-api/wham/accounts/check", headers=headers)
    assert heard.json["accounts"][0]["workspace_backend_origin"] == "https://127.0.0.1:9443"


async def test_the_models_are_listed_best_first_and_all_are_accepted(
    ask: Asking, signed_in: dict[str, str], codex_request: Making
) -> None:
    listed = (await ask("GET", "/backend-api/codex/models", headers=signed_in)).json["models"]
    assert [model["priority"] for model in listed] == list(range(1, len(listed) + 1))
    for model in listed:
        assert (await ask("POST", PATH, codex_request(model=model["slug"]), headers=signed_in)).status == 200
