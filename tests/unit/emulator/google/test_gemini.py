"""The emulated Gemini API: keys, models, whole and streamed answers, counting."""

from __future__ import annotations

from typing import Any

import pytest

PATH = "/v1beta/models/gemini-2.5-flash:"
STREAM = PATH + "streamGenerateContent"


@pytest.mark.parametrize("version", ["v1", "v1beta", "v1alpha"])
async def test_every_version_answers(ask: Any, user: Any, version: str) -> None:
    heard = await ask("POST", f"/{version}/models/gemini-2.5-flash:generateContent", user("hi"))
    assert heard.status == 200
    assert heard.headers["content-type"].startswith("application/json")
    assert heard.json == {
        "candidates": [
            {
                "content": {"parts": [{"text": "You said: hi"}], "role": "model"},
                "index": 0,
                "finishReason": "STOP",
            }
        ],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 3, "totalTokenCount": 4},
        "modelVersion": "gemini-2.5-flash",
        "responseId": "response-000001",
    }


async def test_a_missing_key_is_403(ask: Any, user: Any) -> None:
    heard = await ask("POST", PATH + "generateContent", user("hi"), headers={"x-goog-api-key": ""})
    assert heard.status == 403
    assert heard.json["error"]["status"] == "PERMISSION_DENIED"
    assert "unregistered callers" in heard.json["error"]["message"]


async def test_an_invalid_key_is_400_with_its_reason(ask: Any, user: Any) -> None:
    heard = await ask("POST", PATH + "generateContent", user("hi"), headers={"x-goog-api-key": "invalid"})
    assert heard.status == 400
    assert heard.json["error"]["details"][0]["reason"] == "API_KEY_INVALID"


async def test_the_key_may_be_in_the_query(ask: Any, user: Any) -> None:
    heard = await ask("POST", PATH + "generateContent?key=abc", user("hi"), headers={"x-goog-api-key": ""})
    assert heard.status == 200


async def test_a_sign_in_token_does_not_open_this_api(ask: Any, user: Any) -> None:
    headers = {"x-goog-api-key": "", "authorization": "Bearer ya29.x"}
    heard = await ask("POST", PATH + "generateContent", user("hi"), headers=headers)
    assert heard.status == 403
    assert heard.json["error"]["details"][0]["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT"


async def test_an_unknown_model_is_404_with_the_version_and_method(ask: Any, user: Any) -> None:
    heard = await ask("POST", "/v1/models/gpt-4:generateContent", user("hi"))
    assert heard.status == 404
    assert heard.json["error"]["message"].startswith(
        "models/gpt-4 is not found for API version v1, or is not supported for generateContent."
    )


async def test_a_stream_is_crlf_events_with_a_blank_line_after_each(ask: Any, user: Any) -> None:
    heard = await ask("POST", STREAM + "?alt=sse", user("tell me something"))
    assert heard.headers["content-type"] == "text/event-stream"
    assert heard.body.endswith(b"\r\n\r\n")
    blocks = heard.body.split(b"\r\n\r\n")[:-1]
    assert len(blocks) == 3
    assert all(block.startswith(b"data: {") and b"\n" not in block for block in blocks)
    assert heard.ended


async def test_only_the_last_event_has_the_finish_reason(ask: Any, user: Any) -> None:
    events = (await ask("POST", STREAM + "?alt=sse", user("tell me something"))).events
    assert ["finishReason" in event["candidates"][0] for event in events] == [False, False, True]
    text = "".join(event["candidates"][0]["content"]["parts"][0]["text"] for event in events)
    assert text == "You said: tell me something"


async def test_a_stream_without_alt_sse_is_a_json_array(ask: Any, user: Any) -> None:
    heard = await ask("POST", STREAM, user("tell me something"))
    assert heard.headers["content-type"].startswith("application/json")
    assert len(heard.json) == 3


async def test_models_are_listed_in_pages(ask: Any) -> None:
    first = (await ask("GET", "/v1beta/models?pageSize=4")).json
    assert len(first["models"]) == 4
    second = (await ask("GET", f"/v1beta/models?pageSize=100&pageToken={first['nextPageToken']}")).json
    assert "nextPageToken" not in second
    names = [model["name"] for model in first["models"] + second["models"]]
    assert len(names) == len(set(names))
    assert "models/gemini-2.5-flash" in names


async def test_one_model_can_be_looked_at(ask: Any) -> None:
    assert (await ask("GET", "/v1beta/models/gemini-2.5-pro")).json["name"] == "models/gemini-2.5-pro"
    assert (await ask("GET", "/v1beta/models/nothing")).status == 404


async def test_tokens_are_counted(ask: Any, user: Any) -> None:
    heard = await ask("POST", PATH + "countTokens", user("x" * 400))
    assert heard.json["totalTokens"] == 100
    nested = {"generateContentRequest": {"model": "models/gemini-2.5-flash", **user("x" * 400)}}
    assert (await ask("POST", PATH + "countTokens", nested)).json["totalTokens"] == 100


async def test_thoughts_come_when_asked_for(ask: Any, user: Any) -> None:
    config = {"thinkingConfig": {"includeThoughts": True}}
    heard = await ask("POST", PATH + "generateContent", user("hi", generationConfig=config))
    first, second = heard.json["candidates"][0]["content"]["parts"]
    assert first["thought"] is True
    assert second == {"text": "You said: hi"}
    assert heard.json["usageMetadata"]["thoughtsTokenCount"] > 0


async def test_what_a_person_typed_is_said_back_not_what_the_client_put_before_it(ask: Any) -> None:
    parts = [{"text": "<context>today</context>"}, {"text": "hello"}]
    heard = await ask("POST", PATH + "generateContent", {"contents": [{"role": "user", "parts": parts}]})
    assert heard.json["candidates"][0]["content"]["parts"] == [{"text": "You said: hello"}]


async def test_a_function_is_called_when_the_request_insists(ask: Any, user: Any) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    tools = [{"functionDeclarations": [{"name": "a"}, {"name": "b", "parametersJsonSchema": schema}]}]
    config = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["b"]}}
    heard = await ask("POST", PATH + "generateContent", user("hi", tools=tools, toolConfig=config))
    part = heard.json["candidates"][0]["content"]["parts"][0]
    assert part["functionCall"] == {"name": "b", "args": {"city": "text"}}


async def test_json_is_given_when_json_is_asked_for(ask: Any, user: Any) -> None:
    schema = {
        "type": "OBJECT",
        "properties": {"n": {"type": "INTEGER"}, "l": {"type": "ARRAY", "items": {"type": "STRING"}}},
    }
    config = {"responseMimeType": "application/json", "responseSchema": schema}
    heard = await ask("POST", PATH + "generateContent", user("hi", generationConfig=config))
    assert heard.json["candidates"][0]["content"]["parts"] == [{"text": '{"n":1,"l":["text"]}'}]
