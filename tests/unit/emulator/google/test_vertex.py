"""Emulated Vertex AI: publisher models of a project, with a bearer token."""

from __future__ import annotations

from typing import Any

import pytest

TOKEN = {"authorization": "Bearer ya29.mine", "x-goog-api-key": ""}
MODEL = "projects/p/locations/us-central1/publishers/google/models/gemini-2.5-flash"


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
async def test_it_generates_and_streams(ask: Any, user: Any, version: str) -> None:
    heard = await ask("POST", f"/{version}/{MODEL}:generateContent", user("hi"), headers=TOKEN)
    assert heard.json["candidates"][0]["content"]["parts"] == [{"text": "You said: hi"}]
    stream = await ask("POST", f"/{version}/{MODEL}:streamGenerateContent?alt=sse", user("hi"), headers=TOKEN)
    assert stream.events[-1]["candidates"][0]["finishReason"] == "STOP"
    count = await ask("POST", f"/{version}/{MODEL}:countTokens", user("x" * 40), headers=TOKEN)
    assert count.json["totalTokens"] == 10


async def test_a_key_is_not_enough(ask: Any, user: Any) -> None:
    assert (await ask("POST", f"/v1/{MODEL}:generateContent", user("hi"))).status == 401


async def test_labels_and_additional_properties_are_fields_here(ask: Any, user: Any) -> None:
    parameters = {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}, "additionalProperties": False}
    tools = [{"functionDeclarations": [{"name": "f", "parameters": parameters}]}]
    body = user("hi", labels={"team": "x"}, tools=tools)
    assert (await ask("POST", f"/v1/{MODEL}:generateContent", body, headers=TOKEN)).status == 200


async def test_a_role_is_required(ask: Any) -> None:
    body = {"contents": [{"parts": [{"text": "hi"}]}]}
    heard = await ask("POST", f"/v1/{MODEL}:generateContent", body, headers=TOKEN)
    assert heard.json["error"]["message"] == "Please use a valid role: user, model."


async def test_violations_are_listed_in_the_form_of_vertex(ask: Any, user: Any) -> None:
    heard = await ask(
        "POST",
        f"/v1/{MODEL}:generateContent",
        user("hi", tools=[{"functionDeclarations": [{"name": "!"}]}]),
        headers=TOKEN,
    )
    assert heard.json["error"]["message"].startswith(
        "The GenerateContentRequest proto is invalid:\n"
        "  * tools[0].function_declarations[0].name: [FIELD_INVALID]"
    )


async def test_an_unknown_model_names_the_whole_resource(ask: Any, user: Any) -> None:
    path = "/v1/projects/p/locations/l/publishers/google/models/nothing"
    heard = await ask("POST", f"{path}:generateContent", user("hi"), headers=TOKEN)
    assert heard.status == 404
    assert "`projects/p/locations/l/publishers/google/models/nothing`" in heard.json["error"]["message"]
