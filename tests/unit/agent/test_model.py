"""Gemini as a chat model: the request that goes out, and what comes of each answer."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from groundwire.agent.model import GeminiModel, Prompt, request_for
from groundwire.agent.reply import BROKE_OFF, Reply
from groundwire.errors import ConnectFailed, ConnectionCut, GroundwireError, ModelFailed
from groundwire.testing import ScriptedTransport, calls, reply, says
from groundwire.transport.base import Response

HISTORY = [
    {"role": "user", "parts": [{"text": "task"}]},
    {"role": "model", "parts": [{"functionCall": {"name": "f"}, "thoughtSignature": "c2ln"}]},
]
DECLARED = [{"name": "f", "description": "d", "parameters": {"type": "object"}}]


def body_of(prompt: Prompt, **options: Any) -> dict[str, Any]:
    decoded: dict[str, Any] = msgspec.json.decode(request_for(prompt, model="gemini-2.5-pro", **options).body)
    return decoded


def test_the_request_holds_the_history_as_it_is_the_instructions_and_the_declarations() -> None:
    assert body_of(Prompt("be brief", HISTORY, DECLARED)) == {
        "contents": HISTORY,
        "systemInstruction": {"parts": [{"text": "be brief"}]},
        "tools": [{"functionDeclarations": DECLARED}],
    }


def test_without_functions_there_are_no_tools() -> None:
    assert body_of(Prompt("", HISTORY)) == {"contents": HISTORY}


@pytest.mark.parametrize(
    ("stream", "base_url", "url"),
    [
        (True, "https://a.example", "https://a.example/v1beta/models/m%2F1:streamGenerateContent?alt=sse"),
        (False, "https://a.example/v1beta/", "https://a.example/v1beta/models/m%2F1:generateContent"),
    ],
)
def test_the_address_names_the_model_and_the_verb(stream: bool, base_url: str, url: str) -> None:
    request = request_for(Prompt("", HISTORY), model="models/m/1", base_url=base_url, stream=stream)
    assert (request.method, request.url) == ("POST", url)


def events(*documents: object) -> list[bytes]:
    return [b"data: " + msgspec.json.encode(document) + b"\r\n\r\n" for document in documents]


async def replied(answer: Response | GroundwireError) -> tuple[Reply, list[str]]:
    heard: list[str] = []
    async with ScriptedTransport([answer]) as transport:  # type: ignore[list-item]
        model = GeminiModel("gemini-2.5-flash", lambda: transport)
        return await model.reply(Prompt("", HISTORY), heard.append), heard


async def test_a_stream_is_heard_piece_by_piece() -> None:
    got, heard = await replied(reply(events(says("Hel", finish=None), says("lo"))))
    assert heard == ["Hel", "lo"]
    assert (got.text, got.problem) == ("Hello", None)


async def test_a_whole_body_and_an_array_of_responses_are_read_too() -> None:
    assert (await replied(reply(says("whole"))))[0].text == "whole"
    array = msgspec.json.encode([says("a", finish=None), says("b")])
    assert (await replied(reply(array, content_type="application/json")))[0].text == "ab"


async def test_a_stream_that_ends_in_the_middle_of_an_event_broke_off() -> None:
    got, _ = await replied(reply([*events(calls(("f", {}), finish=None)), b'data: {"candid']))
    assert (got.problem, got.calls) == (BROKE_OFF, ())


async def test_a_cut_connection_is_a_reply_that_broke_off() -> None:
    async def chunks() -> Any:
        yield events(says("half", finish=None))[0]
        raise ConnectionCut("gone")

    got, heard = await replied(Response(200, {"content-type": "text/event-stream"}, chunks()))
    assert (got.problem, heard) == (BROKE_OFF, ["half"])


@pytest.mark.parametrize(
    ("status", "message", "told"),
    [
        (400, "API key not valid.", "refused the API key"),
        (404, "models/x is not found", "does not know the model"),
        (429, "Quota exceeded", "quota is used up.*name another model"),
        (503, "overloaded", "is not working.*name another model"),
    ],
)
async def test_a_refusal_is_told_in_words(status: int, message: str, told: str) -> None:
    with pytest.raises(ModelFailed, match=told):
        await replied(reply({"error": {"code": status, "message": message}}, status=status))


async def test_a_page_of_html_is_quoted() -> None:
    with pytest.raises(ModelFailed, match="not JSON: <html>login"):
        await replied(reply(b"<html>login", content_type="text/html"))


async def test_no_connection_is_the_transports_own_error() -> None:
    with pytest.raises(ConnectFailed):
        await replied(ConnectFailed("down"))
