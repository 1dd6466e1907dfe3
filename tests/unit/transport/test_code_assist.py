"""The Gemini API spoken to Code Assist: what is sent, and what comes back through the layer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from groundwire.emulator import Emulator
from groundwire.errors import ConnectionCut, InvalidRequest, UnreadableAnswer
from groundwire.secret import Secret
from groundwire.testing import AsgiTransport, ScriptedTransport, reply
from groundwire.transport.auth import ApiKey, Auth
from groundwire.transport.base import Request, Response, Transport
from groundwire.transport.code_assist import CodeAssist, code_assist_url, wrapped
from groundwire.transport.gemini_path import ModelCall
from groundwire.transport.retry import Retry
from groundwire.transport.sse import EventParser
from groundwire.transport.translating import answer_headers, kept_headers

GENERATE = ModelCall("gemini-2.5-flash", "generateContent")
STREAM = ModelCall("gemini-2.5-flash", "streamGenerateContent", events=True)
COUNT = ModelCall("gemini-2.5-flash", "countTokens")
BASE = "https://cloudcode-pa.example"


def enveloped(call: ModelCall, body: object) -> Any:
    return json.loads(
        wrapped(call, json.dumps(body).encode(), project="p", prompt_id="prompt", session_id="session")
    )


def test_a_request_is_put_into_the_envelope() -> None:
    body = {"contents": [{"parts": [{"text": "天"}]}], "generationConfig": {"topK": 1}}
    assert enveloped(GENERATE, body) == {
        "model": "gemini-2.5-flash",
        "project": "p",
        "user_prompt_id": "prompt",
        "request": {**body, "session_id": "session"},
    }


def test_a_model_inside_the_request_does_not_come_along() -> None:
    assert "model" not in enveloped(GENERATE, {"model": "models/other", "contents": []})["request"]


def test_what_is_inside_is_not_touched() -> None:
    body = b'{"contents": [ {"parts":[{"text":"\\u5929 \\/"}]} ], "n": 1.0e2}'
    sent = wrapped(GENERATE, body, project="p", prompt_id="u", session_id="s")
    assert b'[ {"parts":[{"text":"\\u5929 \\/"}]} ]' in sent
    assert b"1.0e2" in sent


def test_half_an_emoji_is_replaced_and_everything_else_stays() -> None:
    body = rb'{"a": "\ud83d\ude00 \ud83d! \ude00 \\ud83d \uD83D\n"}'
    sent = json.loads(wrapped(GENERATE, body, project="p", prompt_id="u", session_id="s"))
    assert sent["request"]["a"] == "😀 \ufffd! \ufffd \\ud83d \ufffd\n"


CONTENTS = [{"role": "user", "parts": [{"text": "x"}]}]
SYSTEM = {"parts": [{"text": "be brief"}]}


@pytest.mark.parametrize(
    ("body", "contents"),
    [
        ({"contents": CONTENTS}, CONTENTS),
        ({"contents": CONTENTS, "safetySettings": [], "tools": []}, CONTENTS),
        ({"generateContentRequest": {"model": "models/m", "contents": CONTENTS}}, CONTENTS),
        ({"generate_content_request": {"contents": CONTENTS}}, CONTENTS),
        ({"contents": CONTENTS, "systemInstruction": SYSTEM}, [SYSTEM, *CONTENTS]),
        ({}, []),
    ],
)
def test_counting_has_a_form_of_its_own(body: Any, contents: Any) -> None:
    assert enveloped(COUNT, body) == {"request": {"model": "models/gemini-2.5-flash", "contents": contents}}


@pytest.mark.parametrize("call", [GENERATE, COUNT])
@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'"x"', b"[" * 50_000])
def test_a_body_that_is_no_object_is_refused(call: ModelCall, body: bytes) -> None:
    with pytest.raises(InvalidRequest, match=call.method):
        wrapped(call, body, project="p", prompt_id="u", session_id="s")


@pytest.mark.parametrize(
    "body",
    [
        {"contents": 1, "systemInstruction": SYSTEM},
        {"generateContentRequest": []},
    ],
)
def test_a_count_of_something_else_is_refused(body: Any) -> None:
    with pytest.raises(InvalidRequest):
        enveloped(COUNT, body)


def test_each_method_has_its_address() -> None:
    assert code_assist_url(GENERATE, BASE) == f"{BASE}/v1internal:generateContent"
    assert code_assist_url(STREAM, BASE) == f"{BASE}/v1internal:streamGenerateContent?alt=sse"
    assert code_assist_url(COUNT, BASE) == f"{BASE}/v1internal:countTokens"


def test_keys_and_what_concerns_the_connection_stay_behind() -> None:
    headers = {
        "X-Goog-Api-Key": "k",
        "Authorization": "Bearer k",
        "Cookie": "c",
        "Host": "h",
        "Content-Length": "3",
        "Accept-Encoding": "br",
        "Connection": "close",
        "Content-Type": "application/json",
        "X-Mine": "1",
    }
    assert kept_headers(headers) == {"Content-Type": "application/json", "X-Mine": "1"}


def test_headers_about_the_old_body_are_dropped_from_an_answer() -> None:
    headers = {"content-length": "9", "content-encoding": "br", "content-type": "a/b", "x-trace": "1"}
    assert answer_headers(headers) == {"content-type": "a/b", "x-trace": "1"}
    assert answer_headers(headers, "c/d") == {"x-trace": "1", "content-type": "c/d"}


async def project() -> str:
    return "my-project"


def layered(transport: Transport) -> CodeAssist:
    return CodeAssist(Auth(transport, ApiKey(Secret("ya29.mine"), scheme="Bearer")), project=project)


def request(method: str, text: str = "hi", *, query: str = "", model: str = "gemini-2.5-flash") -> Request:
    body = {"contents": [{"role": "user", "parts": [{"text": text}]}]}
    return Request(
        "POST",
        f"https://gemini.example/v1beta/models/{model}:{method}{query}",
        {"content-type": "application/json", "x-goog-api-key": Secret("k")},
        json.dumps(body).encode(),
    )


def emulated(emulator: Emulator) -> CodeAssist:
    return layered(AsgiTransport(emulator.app))


async def read(response: Response) -> Any:
    async with response:
        return json.loads(await response.read())


async def said(response: Response) -> str:
    """The text of a streamed answer; each chunk must be whole events in the strict form."""
    assert response.content_type == "text/event-stream"
    text = ""
    async with response:
        async for chunk in response.chunks:
            events = EventParser().feed(chunk)
            assert chunk == b"".join(b"data: " + event.data.encode() + b"\n\n" for event in events)
            documents = [json.loads(event.data) for event in events]
            parts = [part for one in documents for part in one["candidates"][0]["content"]["parts"]]
            text += "".join(part.get("text", "") for part in parts)
    return text


async def test_a_whole_answer_is_the_gemini_apis() -> None:
    emulator = Emulator()
    answer = await read(await emulated(emulator).send(request("generateContent")))
    assert answer["candidates"][0]["content"]["parts"] == [{"text": "You said: hi"}]
    assert answer["responseId"]
    (call,) = emulator.requests
    assert call.json["project"] == "my-project"
    assert "x-goog-api-key" not in call.headers


async def test_each_request_has_its_own_prompt_id_and_all_share_the_session() -> None:
    emulator = Emulator()
    layer = emulated(emulator)
    for _ in range(2):
        await layer.send(request("generateContent"))
    first, second = (call.json for call in emulator.requests)
    assert first["user_prompt_id"] != second["user_prompt_id"]
    assert first["request"]["session_id"] == second["request"]["session_id"]


async def test_tokens_are_counted() -> None:
    answer = await read(await emulated(Emulator()).send(request("countTokens", "x" * 40)))
    assert answer == {"totalTokens": 10}


SSE_SCENARIOS = ["sse-lf", "sse-multi-line", "sse-no-space", "sse-done", "sse-comments", "sse-no-last-blank"]


@pytest.mark.parametrize("scenario", ["", "split-multibyte", *SSE_SCENARIOS])
async def test_a_stream_is_unwrapped_in_every_form_servers_use(scenario: str) -> None:
    layer = emulated(Emulator(scenario=scenario or None))
    response = await layer.send(request("streamGenerateContent", "Grüße, 世界 👋", query="?alt=sse"))
    assert await said(response) == "You said: Grüße, 世界 👋"


async def test_a_stream_without_events_is_an_array() -> None:
    answer = await read(await emulated(Emulator()).send(request("streamGenerateContent")))
    assert len(answer) > 1
    assert all("candidates" in one for one in answer)


@pytest.mark.parametrize("query", ["", "?alt=sse"])
@pytest.mark.parametrize(
    ("scenario", "status"), [("plain-429", 429), ("array-error", 429), ("event-typed-error", 403)]
)
async def test_an_error_has_the_plain_form_and_its_status(scenario: str, status: int, query: str) -> None:
    layer = emulated(Emulator(scenario=scenario))
    response = await layer.send(request("streamGenerateContent", query=query))
    assert response.status == status
    assert response.content_type == "application/json"
    assert (await read(response))["error"]["code"] == status


async def test_a_proxys_page_is_handed_on_as_it_is() -> None:
    response = await emulated(Emulator(scenario="html-error")).send(request("generateContent"))
    assert (response.status, response.content_type) == (502, "text/html")
    assert b"<html" in await response.read()


ERROR_EVENT = b'data: {"error":{"code":503,"message":"busy"}}\n\n'
ANSWER = {"candidates": [{"content": {"parts": [{"text": "ok"}]}, "finishReason": "STOP"}]}
EVENT = b"data: " + json.dumps({"response": ANSWER}).encode() + b"\n\n"


async def test_an_error_as_the_first_event_becomes_a_status_and_is_tried_again() -> None:
    async def no_wait(seconds: float) -> None:
        return None

    async with ScriptedTransport([reply([b": busy\n", ERROR_EVENT]), reply([EVENT])]) as transport:
        response = await Retry(layered(transport), sleep=no_wait).send(
            request("streamGenerateContent", query="?alt=sse")
        )
        assert await said(response) == "ok"


async def test_an_error_after_the_first_event_stays_an_event() -> None:
    transport = ScriptedTransport([reply([EVENT, ERROR_EVENT])])
    response = await layered(transport).send(request("streamGenerateContent", query="?alt=sse"))
    assert [chunk async for chunk in response.chunks][-1] == ERROR_EVENT


async def test_a_stream_of_nothing_is_an_empty_stream() -> None:
    response = await layered(ScriptedTransport([reply([])])).send(
        request("streamGenerateContent", query="?alt=sse")
    )
    assert (response.status, await response.read()) == (200, b"")


async def test_a_connection_that_breaks_before_the_first_event_is_closed_and_told() -> None:
    closed = []

    async def chunks() -> Any:
        yield b": nothing yet\n\n"
        raise ConnectionCut("cut")

    async def close() -> None:
        closed.append(True)

    transport = ScriptedTransport([Response(200, {}, chunks(), close)])
    with pytest.raises(ConnectionCut):
        await layered(transport).send(request("streamGenerateContent", query="?alt=sse"))
    assert closed


async def test_an_answer_that_is_not_json_is_unreadable() -> None:
    with pytest.raises(UnreadableAnswer, match="not JSON: '<html>'"):
        await layered(ScriptedTransport([reply("<html>")])).send(request("generateContent"))


async def test_models_are_those_with_a_quota_and_another_is_not_found() -> None:
    emulator = Emulator()
    layer = emulated(emulator)
    url = "https://gemini.example/v1beta/models"
    listed = await read(await layer.send(Request("GET", f"{url}?pageSize=1&key=k")))
    assert "models/gemini-2.5-flash" in [model["name"] for model in listed["models"]]
    one = await read(await layer.send(Request("GET", f"{url}/gemini-2.5-flash")))
    assert one in listed["models"]
    missing = await layer.send(Request("GET", f"{url}/other"))
    assert (missing.status, (await read(missing))["error"]["status"]) == (404, "NOT_FOUND")
    assert [call.json for call in emulator.requests] == [{"project": "my-project"}] * 3


async def test_a_refused_quota_is_the_refusal_of_the_models() -> None:
    transport = ScriptedTransport([reply(b'[{"error":{"code":403,"message":"no"}}]', status=403)])
    refused = await layered(transport).send(Request("GET", "https://x/v1beta/models"))
    assert (refused.status, (await read(refused))["error"]["message"]) == (403, "no")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1beta/models"),
        ("GET", "/v1beta/files"),
        ("POST", "/v1beta/models/m:embedContent"),
        ("POST", "/upload/v1beta/files"),
        ("GET", "/v1beta/models/m:generateContent"),
    ],
)
async def test_what_code_assist_does_not_have_is_501_and_nothing_is_sent(method: str, path: str) -> None:
    transport = ScriptedTransport([])
    response = await layered(transport).send(Request(method, f"https://x{path}?key=k"))
    error = (await read(response))["error"]
    assert (response.status, error["status"]) == (501, "UNIMPLEMENTED")
    assert path in error["message"]
    assert "key=k" not in error["message"]
