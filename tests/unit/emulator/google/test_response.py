"""Turns in Gemini's form: pieces join to the whole, signatures are recognised, the order is kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from groundwire.emulator.conversation import Conversation, FunctionCall, Message, Turn
from groundwire.emulator.google.response import Answer, events, is_our_signature, pieces, signature, whole

ASKED = Conversation("gemini-3-pro-preview", (Message("user", "hi"),))


@given(st.text(max_size=60), st.integers(1, 6))
def test_pieces_join_to_the_text(text: str, count: int) -> None:
    split = list(pieces(text, count))
    assert "".join(split) == text
    assert len(split) <= count
    assert all(split)


@given(st.text(max_size=40))
def test_only_our_own_signatures_are_recognised(text: str) -> None:
    assert is_our_signature(signature("response-000001"))
    assert not is_our_signature(f"x{text}")


def test_a_signature_in_the_url_safe_alphabet_is_the_same_one() -> None:
    given_back = signature("response-???>>>").replace("+", "-").replace("/", "_").rstrip("=")
    assert is_our_signature(given_back)


def test_thoughts_come_first_then_text_then_calls() -> None:
    turn = Turn(text="abc", thoughts=("hm",), calls=(FunctionCall("f"), FunctionCall("g", {"a": 1}, "id-1")))
    answer = Answer(turn, ASKED, "response-000001")
    expected = [
        {"text": "hm", "thought": True},
        {"text": "abc"},
        {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": signature("response-000001")},
        {"functionCall": {"name": "g", "args": {"a": 1}, "id": "id-1"}},
    ]
    assert whole(answer)["candidates"][0]["content"]["parts"] == expected
    streamed = [part for event in events(answer) for part in event["candidates"][0]["content"]["parts"]]
    assert [part for part in streamed if part.keys() != {"text"}] == [expected[0], *expected[2:]]
    assert "".join(part["text"] for part in streamed if part.keys() == {"text"}) == "abc"


def test_an_empty_turn_is_still_one_finished_event() -> None:
    [event] = events(Answer(Turn(), ASKED, "response-000001"))
    assert event["candidates"][0] == {
        "content": {"parts": [], "role": "model"},
        "index": 0,
        "finishReason": "STOP",
    }
