"""Replies are judged without being trusted: what is good, what is told to the model, what is blocked."""

from __future__ import annotations

import time
from typing import Any

import pytest

from groundwire.agent.reply import BROKE_OFF, CUT_SHORT, EMPTY, NAMELESS_CALL, Call, Reply, ReplyReader, Usage
from groundwire.errors import ModelFailed
from groundwire.testing import calls, says


def judged(*responses: object) -> Reply:
    reader = ReplyReader()
    for response in responses:
        reader.add(response)
    return reader.finish()


def piece(*parts: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}}
    return {"candidates": [{**candidate, "finishReason": finish} if finish else candidate]}


def test_text_is_shown_as_it_arrives_and_thoughts_are_not() -> None:
    reader = ReplyReader()
    shown = [
        reader.add(piece({"text": "hm", "thought": True})),
        reader.add(piece({"text": "Hel"})),
        reader.add(piece({"text": "lo"}, finish="STOP")),
    ]
    assert shown == ["", "Hel", "lo"]
    assert reader.finish().text == "Hello"


def test_thoughts_and_signatures_are_kept_as_they_came_and_pieces_of_a_text_are_joined() -> None:
    signed = {"functionCall": {"name": "f", "args": {"a": 1}, "id": "1"}, "thoughtSignature": "c2ln"}
    reply = judged(
        piece({"text": "a", "thought": True}, {"text": "b", "thought": True}),
        piece({"text": "x"}),
        piece({"text": "y"}),
        piece({"text": "z", "thoughtSignature": "dA=="}),
        piece(signed),
        piece({"text": ""}, finish="STOP"),
    )
    assert reply.content == {
        "role": "model",
        "parts": [
            {"text": "ab", "thought": True},
            {"text": "xy"},
            {"text": "z", "thoughtSignature": "dA=="},
            signed,
        ],
    }
    assert reply.calls == (Call("f", {"a": 1}, "1"),)


def test_a_reply_of_very_many_pieces_is_joined_once() -> None:
    pieces = [says("x" * 100, finish=None)] * 60_000
    before = time.process_time()
    reply = judged(*pieces, says("end"))
    assert len(reply.parts[0]["text"]) == 6_000_003
    assert time.process_time() - before < 5  # joined anew with each piece, it is minutes


def test_an_empty_text_that_carries_a_signature_is_kept() -> None:
    reply = judged(piece({"text": "done"}), piece({"text": "", "thoughtSignature": "c2ln"}, finish="STOP"))
    assert reply.parts == ({"text": "done"}, {"text": "", "thoughtSignature": "c2ln"})


@pytest.mark.parametrize(
    ("response", "problem"),
    [
        (says("", finish="STOP"), EMPTY),
        (piece({"text": "only thinking", "thought": True}, finish="STOP"), EMPTY),
        ({}, BROKE_OFF),
        (says("half a", finish=None), BROKE_OFF),
        (calls(("write_file", {}), finish=None), BROKE_OFF),
        (says("long", finish="MAX_TOKENS"), CUT_SHORT),
        (piece({"functionCall": {"args": {}}}, finish="STOP"), NAMELESS_CALL),
        (piece({"functionCall": None}, finish="STOP"), NAMELESS_CALL),
    ],
)
def test_a_reply_that_cannot_be_used_says_why_and_has_no_calls(response: object, problem: object) -> None:
    reply = judged(response)
    assert reply.problem == problem
    assert reply.calls == ()


def test_a_malformed_call_is_told_with_the_servers_words() -> None:
    response = says("", finish="MALFORMED_FUNCTION_CALL")
    response["candidates"][0]["finishMessage"] = "Malformed function call: print(default_api"
    problem = judged(response).problem
    assert problem is not None
    assert "MALFORMED_FUNCTION_CALL: Malformed function call: print(default_api" in problem.told


def test_text_cut_at_the_length_limit_is_kept_and_calls_are_not() -> None:
    assert judged(says("long", finish="MAX_TOKENS")).parts == ({"text": "long"},)
    assert judged(calls(("f", {}), finish="MAX_TOKENS")).parts == ()


@pytest.mark.parametrize(
    "response",
    [
        says("", finish="SAFETY"),
        says("half", finish="PROHIBITED_CONTENT"),
        {"promptFeedback": {"blockReason": "X"}},
    ],
)
def test_a_filter_blocks_a_reply(response: object) -> None:
    reply = judged(response)
    assert reply.blocked
    assert reply.parts == ()


def test_an_error_in_the_stream_is_raised_with_its_words() -> None:
    with pytest.raises(ModelFailed, match="overloaded"):
        judged({"error": {"code": 400, "message": "The model is overloaded."}})


def test_an_error_of_the_server_in_the_middle_is_a_reply_that_broke_off() -> None:
    reply = judged(
        calls(("f", {}), finish=None), {"error": {"code": 503, "message": "The model is overloaded."}}
    )
    assert reply.problem is not None
    assert reply.problem.reason == "The model's reply broke off: The model is overloaded."
    assert (reply.parts, reply.calls) == ((), ())


def test_the_last_counts_of_a_stream_are_what_was_used() -> None:
    first = {**says("a", finish=None), "usageMetadata": {"promptTokenCount": 10, "totalTokenCount": 11}}
    last = {**says("b"), "usageMetadata": {"promptTokenCount": 10, "totalTokenCount": 25}}
    assert judged(first, last).usage == Usage(10, 15)


@pytest.mark.parametrize(
    "junk",
    [
        None,
        [],
        5,
        "x",
        {"candidates": "no"},
        {"candidates": [{"content": []}]},
        {"candidates": [{"content": {"parts": [1]}}]},
    ],
)
def test_any_json_is_judged_without_a_crash(junk: object) -> None:
    assert judged(junk).problem == BROKE_OFF
