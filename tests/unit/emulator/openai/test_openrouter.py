"""The emulated OpenRouter: Responses and Chat Completions, three ways to search, and its errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from groundwire.emulator import Script
from groundwire.emulator.script import ScriptedCall, Step, When

PATH = "/api/v1/responses"
CHAT = "/api/v1/chat/completions"
Ask = Callable[..., Any]


def request(**changes: Any) -> dict[str, Any]:
    given = {
        "model": "openai/o4-mini",
        "input": "weather in Beijing",
        "plugins": [{"id": "web", "max_results": 3}],
    }
    return {**given, **changes}


def chat(**changes: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "weather in Beijing"}]
    return {"model": "deepseek/deepseek-chat-v3.1:online", "messages": messages, **changes}


@pytest.fixture
def send(asking: Ask, documents: Any, keyed: dict[str, str]) -> Ask:
    """Posts a request with a key to one emulator."""
    ask = asking(corpus=documents)

    async def post(body: dict[str, Any], path: str = PATH, scenario: str = "") -> Any:
        named = {"x-emulator-scenario": scenario} if scenario else {}
        return await ask("POST", path, body, headers={**keyed, **named})

    return post


def message_of(answer: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(item for item in answer["output"] if item["type"] == "message")
    return found


async def test_the_plugin_answers_in_json_with_flat_annotations(send: Ask) -> None:
    answer = (await send(request(), scenario="style-native")).json
    part = message_of(answer)["content"][0]
    first = part["annotations"][0]
    assert answer["status"] == "completed"
    assert answer["output_text"] == part["text"]
    assert first["url"] in part["text"][first["start_index"] : first["end_index"]]
    assert answer["output"][0]["type"] == "web_search_call"


async def test_a_model_without_its_own_search_gets_exas_results(send: Ask) -> None:
    answer = (await send(request(model="deepseek/deepseek-chat-v3.1"))).json
    annotations = message_of(answer)["content"][0]["annotations"]
    assert {(one["start_index"], one["end_index"]) for one in annotations} == {(0, 0)}
    assert len(annotations) == 3
    assert answer["usage"]["cost"] > 0.012
    assert [item["type"] for item in answer["output"]][-1] == "message"
    assert "web_search_call" not in [item["type"] for item in answer["output"]]


async def test_online_is_the_plugin(send: Ask) -> None:
    answer = (await send(request(model="qwen/qwen3-max:online", plugins=[]))).json
    assert message_of(answer)["content"][0]["annotations"]


async def test_the_server_tool_has_an_item_and_is_counted(send: Ask) -> None:
    tool = {"type": "openrouter:web_search", "parameters": {"engine": "exa", "max_results": 2}}
    answer = (await send(request(plugins=[], tools=[tool]))).json
    search = next(item for item in answer["output"] if item["type"] == "openrouter:web_search")
    assert search["action"]["sources"][0] == {"type": "url", "url": "https://weather.example/beijing"}
    assert len(search["action"]["sources"]) == 2
    assert answer["usage"]["server_tool_use_details"]["web_search_requests"] == 1


async def test_an_openai_search_tool_becomes_the_server_tool(send: Ask) -> None:
    answer = (await send(request(plugins=[], tools=[{"type": "web_search"}]))).json
    assert "openrouter:web_search" in [item["type"] for item in answer["output"]]


async def test_without_search_the_model_answers_plainly(send: Ask) -> None:
    switched_off: list[list[dict[str, Any]]] = [[], [{"id": "web", "enabled": False}]]
    for plugins in switched_off:
        answer = (await send(request(plugins=plugins))).json
        assert answer["output_text"] == "You said: weather in Beijing"
        assert message_of(answer)["content"][0]["annotations"] == []


async def test_a_stream_has_processing_comments_no_names_and_the_full_output_at_its_end(
    send: Ask, events_in: Callable[[bytes], list[dict[str, Any]]]
) -> None:
    heard = await send(request(stream=True), scenario="style-native")
    events = events_in(heard.body)
    assert heard.body.startswith(b": OPENROUTER PROCESSING\n\n")
    assert heard.body.endswith(b"data: [DONE]\n\n")
    assert b"event: " not in heard.body
    assert events[-1]["type"] == "response.completed"
    assert message_of(events[-1]["response"])["content"][0]["text"]
    assert any(event["type"] == "response.output_text.annotation.added" for event in events)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model": "gpt-5"}, "not a valid model ID"),
        ({"model": "nobody/model"}, "not a valid model ID"),
        ({"model": None}, "No models provided"),
        ({"input": None}, "input is required"),
        ({"store": True}, "store must be false"),
        ({"previous_response_id": "x"}, "previous_response_id"),
        ({"plugins": [{"id": "web", "engine": "bing"}]}, "engine"),
        ({"plugins": [{"id": "web", "max_results": 0}]}, "max_results"),
        (
            {"plugins": [{"id": "web", "include_domains": ["a.b"], "exclude_domains": ["c.d"]}]},
            "cannot be used together",
        ),
    ],
)
async def test_wrong_requests_are_refused_with_a_code(send: Ask, changes: dict[str, Any], words: str) -> None:
    heard = await send(request(**changes))
    assert (heard.status, heard.json["error"]["code"]) == (400, 400)
    assert words in heard.json["error"]["message"]


async def test_a_key_is_needed_and_must_be_openrouters(ask: Ask, keyed: dict[str, str]) -> None:
    assert (await ask("POST", PATH, request())).status == 401
    foreign = await ask("POST", PATH, request(), headers={"authorization": "Bearer sk-other"})
    assert foreign.json["error"] == {"code": 401, "message": "User not found."}
    assert (await ask("GET", "/api/v1/key", headers=keyed)).json["data"]["limit_remaining"] == 9.58
    assert (await ask("GET", "/api/v1/key")).status == 401
    assert (await ask("GET", "/api/v1/models")).json["data"][0]["id"] == "openai/gpt-5.5"


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/api/v1/nowhere", None, 404),
        ("GET", PATH, None, 405),
        ("POST", PATH, b"{", 400),
        ("POST", PATH, b"[]", 400),
        ("POST", PATH, b" " * (20 * 1024 * 1024 + 1), 413),
    ],
)
async def test_bad_input_is_refused_in_openrouters_form(
    ask: Ask, keyed: dict[str, str], method: str, path: str, body: bytes | None, status: int
) -> None:
    heard = await ask(method, path, body=body, headers=keyed)
    assert (heard.status, heard.json["error"]["code"]) == (status, status)


@pytest.mark.parametrize("status", [401, 402, 403, 404, 408, 429, 500, 502, 503, 524, 529])
async def test_each_error_status_can_be_had(send: Ask, status: int) -> None:
    heard = await send(request(), scenario=f"openrouter-{status}")
    assert (heard.status, heard.json["error"]["code"]) == (status, status)


async def test_a_rate_limit_says_how_long_to_wait_or_not(send: Ask) -> None:
    heard = await send(request(), scenario="openrouter-429")
    assert heard.headers["retry-after"] == "2"
    assert heard.headers["x-ratelimit-reset"] == "1800000002000"
    assert "retry-after" not in (await send(request(), scenario="openrouter-429-bare")).headers
    assert [(await send(request(), scenario="openrouter-429-then-ok")).status for _ in range(2)] == [429, 200]


async def test_missing_credits_say_whose_limit_it_is(send: Ask) -> None:
    sources = [
        (await send(request(), scenario=name)).json["error"]["metadata"]["limit_source"]
        for name in ("openrouter-402", "openrouter-402-key-limit")
    ]
    assert sources == ["openrouter_credits", "openrouter_key_limit"]


async def test_errors_can_hide_in_a_200(send: Ask) -> None:
    inside = await send(request(), scenario="openrouter-200-error")
    assert (inside.status, inside.json["error"]["code"]) == (200, 502)
    streamed = await send(request(stream=True), scenario="openrouter-200-error")
    assert (streamed.status, b'"error"' in streamed.body) == (200, True)
    failed = await send(request(), scenario="failed-server-error")
    assert (failed.status, failed.json["status"]) == (200, "failed")
    assert failed.json["error"]["code"] == "server_error"
    empty = await send(request(), scenario="openrouter-empty")
    assert (empty.json["status"], empty.json["output"]) == ("completed", [])


async def test_chat_nests_its_annotations(send: Ask) -> None:
    answer = (await send(chat(), CHAT)).json
    message = answer["choices"][0]["message"]
    first = message["annotations"][0]
    assert first["type"] == "url_citation"
    assert first["url_citation"]["url"] == "https://weather.example/beijing"
    assert first["url_citation"]["content"]
    assert answer["choices"][0]["finish_reason"] == "stop"


async def test_chat_spans_point_into_the_whole_content(send: Ask) -> None:
    message = (await send(chat(), CHAT, "style-two-messages")).json["choices"][0]["message"]
    for annotation in message["annotations"]:
        cited = annotation["url_citation"]
        assert cited["url"] in message["content"][cited["start_index"] : cited["end_index"]]


async def test_a_chat_stream_sends_annotations_in_a_chunk_without_content(
    send: Ask, events_in: Callable[[bytes], list[dict[str, Any]]]
) -> None:
    heard = await send(chat(stream=True), CHAT)
    deltas = [event["choices"][0]["delta"] for event in events_in(heard.body)]
    assert "".join(delta["content"] for delta in deltas).startswith("Beijing is sunny")
    assert [delta["content"] for delta in deltas if "annotations" in delta] == [""]
    assert heard.body.endswith(b"data: [DONE]\n\n")


async def test_a_script_calls_functions_in_chat_form(asking: Ask, keyed: dict[str, str]) -> None:
    steps = [
        Step(when=When(user="weather"), call=[ScriptedCall("look", {"at": "sky"})]),
        Step(when=When(result="look"), text="The sky is {{result}}."),
    ]
    ask = asking(script=Script(step=steps))
    tools = [{"type": "function", "function": {"name": "look"}}]
    body = chat(model="openai/gpt-5.5", tools=tools)
    first = (await ask("POST", CHAT, body, headers=keyed)).json["choices"][0]
    assert first["finish_reason"] == "tool_calls"
    wanted = first["message"]["tool_calls"][0]
    assert msgspec.json.decode(wanted["function"]["arguments"]) == {"at": "sky"}
    body["messages"] += [first["message"], {"role": "tool", "tool_call_id": wanted["id"], "content": "blue"}]
    second = (await ask("POST", CHAT, body, headers=keyed)).json["choices"][0]
    assert second["message"]["content"] == "The sky is blue."
    ask.emulator.check_script()


async def test_chat_without_messages_is_refused(send: Ask) -> None:
    wrong: list[Any] = [[], [{}], "hi", None]
    for messages in wrong:
        assert (await send(chat(messages=messages), CHAT)).status == 400


async def test_an_incomplete_json_answer_is_cut_short_and_says_why(send: Ask) -> None:
    whole = (await send(request(), scenario="style-native")).json
    answer = (await send(request(), scenario="style-native+incomplete")).json
    assert answer["status"] == "incomplete"
    assert answer["incomplete_details"] == {"reason": "max_output_tokens"}
    assert whole["output_text"].startswith(answer["output_text"])
    assert len(answer["output_text"]) < len(whole["output_text"])


async def test_a_shape_only_a_stream_can_have_leaves_json_whole(send: Ask) -> None:
    answer = (await send(request(), scenario="no-completed")).json
    assert answer["status"] == "completed"
    assert answer["output_text"]


async def test_chat_calls_the_function_it_must_and_gives_json_when_asked(send: Ask) -> None:
    look = {
        "name": "look",
        "parameters": {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]},
    }
    body = chat(
        model="openai/gpt-5.5", tools=[{"type": "function", "function": look}], tool_choice="required"
    )
    called = (await send(body, CHAT)).json["choices"][0]["message"]["tool_calls"][0]["function"]
    assert "at" in msgspec.json.decode(called["arguments"])
    form = {"type": "json_schema", "json_schema": {"name": "n", "schema": look["parameters"]}}
    said = (await send(chat(model="openai/gpt-5.5", response_format=form), CHAT)).json
    assert "at" in msgspec.json.decode(said["choices"][0]["message"]["content"])
