"""The Gemini API spoken to Vertex AI: what is sent, and that answers come back as they are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from groundwire.emulator import Emulator
from groundwire.errors import InvalidRequest
from groundwire.secret import Secret
from groundwire.testing import AsgiTransport, ScriptedTransport
from groundwire.transport.auth import ApiKey, Auth
from groundwire.transport.base import Request, Response
from groundwire.transport.gemini_path import ModelCall
from groundwire.transport.vertex import Vertex, VertexProject, vertex_body, vertex_url

GENERATE = ModelCall("gemini-2.5-flash", "generateContent")
COUNT = ModelCall("gemini-2.5-flash", "countTokens")
BASE = "https://vertex.example/"


@pytest.mark.parametrize(
    ("location", "host"),
    [
        ("global", "aiplatform.googleapis.com"),
        ("us-central1", "us-central1-aiplatform.googleapis.com"),
        ("eu", "aiplatform.eu.rep.googleapis.com"),
        ("us", "aiplatform.us.rep.googleapis.com"),
    ],
)
def test_each_location_has_its_server(location: str, host: str) -> None:
    address = f"https://{host}/v1beta1/projects/p/locations/{location}/publishers/google/models/"
    assert vertex_url(GENERATE, VertexProject("p", location)) == f"{address}gemini-2.5-flash:generateContent"


def test_another_server_can_be_named() -> None:
    call = ModelCall("m", "streamGenerateContent", events=True)
    assert vertex_url(call, VertexProject("example.com:p", "x", BASE)) == (
        "https://vertex.example/v1beta1/projects/example.com:p/locations/x/publishers/google/models/m"
        ":streamGenerateContent?alt=sse"
    )


def sent(call: ModelCall, body: object) -> Any:
    return json.loads(vertex_body(call, json.dumps(body).encode()))


def test_the_body_stays_but_for_the_model_and_missing_roles() -> None:
    said = [{"role": "model", "parts": []}, {"parts": [{"text": "x"}]}]
    assert sent(GENERATE, {"model": "models/m", "contents": said, "tools": [{"googleSearch": {}}]}) == {
        "contents": [said[0], {"role": "user", "parts": [{"text": "x"}]}],
        "tools": [{"googleSearch": {}}],
    }


def test_a_request_inside_a_count_is_what_is_counted() -> None:
    inner = {"model": "models/m", "contents": [{"role": "user", "parts": []}], "systemInstruction": {}}
    assert sent(COUNT, {"generateContentRequest": inner}) == {
        "contents": inner["contents"],
        "systemInstruction": {},
    }


@pytest.mark.parametrize("body", [b"", b"[]", b'{"contents": 7}', b'{"contents": ["x"]}'])
def test_a_body_of_another_form_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidRequest):
        vertex_body(GENERATE, body)


async def asked(method: str, *, scenario: str | None = None, role: str | None = None) -> Response:
    layer = Vertex(
        Auth(AsgiTransport(Emulator(scenario=scenario).app), ApiKey(Secret("ya29.mine"), scheme="Bearer")),
        VertexProject("my-project", "us-central1"),
    )
    content = {"parts": [{"text": "hi"}], **({"role": role} if role else {})}
    return await layer.send(
        Request(
            "POST",
            f"https://gemini.example/v1beta/models/gemini-2.5-flash:{method}",
            {"content-type": "application/json"},
            json.dumps({"contents": [content]}).encode(),
        )
    )


@pytest.mark.parametrize("role", [None, "user"])
async def test_vertex_answers_whole_and_streamed(role: str | None) -> None:
    whole = json.loads(await (await asked("generateContent", role=role)).read())
    assert whole["candidates"][0]["content"]["parts"] == [{"text": "You said: hi"}]
    assert b'"STOP"' in await (await asked("streamGenerateContent?alt=sse", role=role)).read()
    assert json.loads(await (await asked("countTokens", role=role)).read())["totalTokens"] > 0


@pytest.mark.parametrize(("key", "status"), [("express", 200), ("invalid", 400)])
async def test_express_mode_has_a_key_and_no_project(key: str, status: int) -> None:
    emulator = Emulator()
    signed = Auth(AsgiTransport(emulator.app), ApiKey(Secret(key), "x-goog-api-key"))
    body = json.dumps({"contents": [{"parts": [{"text": "hi"}]}]}).encode()
    for method in ("generateContent", "streamGenerateContent?alt=sse", "countTokens"):
        url = f"https://gemini.example/v1beta/models/gemini-2.5-flash:{method}"
        asking = Request("POST", url, {"content-type": "application/json"}, body)
        assert (await Vertex(signed, VertexProject(None)).send(asking)).status == status
    paths = [call.path.partition(":")[0] for call in emulator.requests]
    assert paths == ["/v1beta1/publishers/google/models/gemini-2.5-flash"] * 3


async def test_a_refusal_comes_through() -> None:
    response = await asked("generateContent", scenario="plain-429")
    assert response.status == 429


async def test_what_vertex_has_elsewhere_is_501_and_nothing_is_sent() -> None:
    layer = Vertex(ScriptedTransport([]), VertexProject("p"))
    response = await layer.send(Request("POST", "https://x/v1beta/models/m:embedContent"))
    assert response.status == 501
    assert "Vertex AI" in json.loads(await response.read())["error"]["message"]
