"""Code Assist's answers without their envelope, whatever form they come in and wherever chunks are cut."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundwire.errors import BodyTooLarge, UnreadableAnswer
from groundwire.transport.sse import as_event
from groundwire.transport.unwrapping import EventUnwrapper, error_in, plain_error, unwrapped

JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
RESPONSES = st.dictionaries(st.text(max_size=4), JSON_VALUES, max_size=4)


UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A machine may be busy."""


def documents(*chunks: bytes) -> list[Any]:
    unwrapper = EventUnwrapper()
    found = [one for chunk in chunks for one in unwrapper.feed(chunk)] + unwrapper.close()
    return [json.loads(one) for one in found]


@pytest.mark.parametrize(
    ("wrapped", "plain"),
    [
        ({"response": {"a": 1}}, {"a": 1}),
        ({"response": {"a": 1}, "traceId": "t"}, {"a": 1, "responseId": "t"}),
        ({"traceId": "t", "response": {"responseId": "own"}, "consumedCredits": []}, {"responseId": "own"}),
        ({"response": {"x": {"responseId": 1}}, "traceId": "t"}, {"x": {"responseId": 1}, "responseId": "t"}),
        ({"response": {}, "traceId": "t"}, {"responseId": "t"}),
        ({"response": None, "traceId": "t"}, {}),
        ({"response": {"a": 1}, "traceId": None}, {"a": 1}),
        ({"totalTokens": 3}, {"totalTokens": 3}),
        ({"candidates": []}, {"candidates": []}),
        ({"error": {"code": 400}}, {"error": {"code": 400}}),
        ([{"response": {"a": 1}, "traceId": "t"}, {"b": 2}], [{"a": 1, "responseId": "t"}, {"b": 2}]),
        ([], []),
    ],
)
def test_the_envelope_is_taken_off(wrapped: Any, plain: Any) -> None:
    assert json.loads(unwrapped(json.dumps(wrapped).encode())) == plain
    assert json.loads(unwrapped(json.dumps(wrapped, indent=3).encode())) == plain


@UNHURRIED
@given(RESPONSES, st.text(max_size=5))
def test_nothing_inside_a_response_is_changed(response: dict[str, Any], trace: str) -> None:
    body = json.dumps({"response": response, "traceId": trace}, ensure_ascii=False).encode("utf-8", "replace")
    expected = {"responseId": trace, **response}
    assert json.loads(unwrapped(body)) == json.loads(json.dumps(expected).encode()) or "?" in body.decode()


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"response":', b"[{]", b"[" * 100_000, b'"text"', b"7"])
def test_what_is_not_an_answer_is_said_to_be_unreadable(body: bytes) -> None:
    with pytest.raises(UnreadableAnswer):
        unwrapped(body)


@st.composite
def streams(draw: st.DrawFn) -> tuple[bytes, list[Any]]:
    """A valid event stream in any of the forms that servers use, and the responses in it."""
    line_end = st.sampled_from([b"\r\n", b"\n", b"\r"])
    noise = st.sampled_from([b"", b": keep-alive", b"id: 7", b"retry: 10", b"event: x", b"unknown"])
    out = bytearray(draw(st.sampled_from([b"", b"\xef\xbb\xbf"])))
    expected = draw(st.lists(RESPONSES, max_size=4))
    for response in expected:
        indent = draw(st.sampled_from([None, 1]))
        escaped = draw(st.booleans())
        envelope = draw(st.sampled_from([{"response": response}, {"response": response, "more": [1]}]))
        text = json.dumps(envelope, indent=indent, ensure_ascii=escaped)
        for line in text.encode("utf-8", "surrogatepass").split(b"\n"):
            if before := draw(noise):
                out += before + draw(line_end)
            out += draw(st.sampled_from([b"data: ", b"data:"])) + line + draw(line_end)
        # A lone LF after a CR would be the second half of CRLF, and no blank line.
        out += draw(st.sampled_from([b"\r\n", b"\r"]) if out.endswith(b"\r") else line_end)
    if draw(st.booleans()):
        out += b"data: [DONE]\n\n"
    if draw(st.booleans()):
        return bytes(out).rstrip(b"\r\n"), expected
    return bytes(out), expected


@UNHURRIED
@given(streams(), st.data())
def test_any_split_of_any_valid_stream_gives_the_same_documents(
    stream: tuple[bytes, list[Any]], data: st.DataObject
) -> None:
    sent, expected = stream
    places = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=12)))
    chunks = [sent[start:end] for start, end in pairwise([0, *places, len(sent)])]
    assert documents(*chunks) == expected
    assert documents(*(sent[place : place + 1] for place in range(len(sent)))) == expected


@UNHURRIED
@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=5))
def test_no_bytes_make_it_fail_in_a_way_nobody_foresaw(noise: bytes, cuts: list[int]) -> None:
    places = sorted(min(cut, len(noise)) for cut in cuts)
    with suppress(UnreadableAnswer):
        documents(*(noise[start:end] for start, end in pairwise([0, *places, len(noise)])))
    plain_error(noise)


@pytest.mark.parametrize(
    "stream",
    [
        b'[{"response":{"a":1}},\r\n{"response":{"b":2}}]',  # a stream without alt=sse
        b'data: [{"response":{"a":1}},{"response":{"b":2}}]\n\n',
        b' \n{"a":1}',
    ],
)
def test_whole_json_in_place_of_events_is_read_too(stream: bytes) -> None:
    chunks = [stream[place : place + 1] for place in range(len(stream))]
    assert documents(stream) == documents(*chunks)
    assert documents(stream)[0] == {"a": 1}


def test_half_an_event_at_the_end_says_nothing() -> None:
    assert documents(b'data: {"response":{"a":1}}\n\ndata: {"response":{"b"') == [{"a": 1}]
    assert documents(b'{"response":{"b"') == []


def test_an_event_in_the_middle_that_is_not_json_is_unreadable() -> None:
    with pytest.raises(UnreadableAnswer, match="not JSON: 'oops'"):
        documents(b"data: oops\n\ndata: {}\n\n")


def test_a_stream_may_be_endless_but_an_event_may_not() -> None:
    unwrapper = EventUnwrapper(limit=100)
    for _ in range(50):
        assert unwrapper.feed(b'data: {"response":{"a":1}}\n\n') == [b'{"a":1}']
    with pytest.raises(BodyTooLarge):
        unwrapper.feed(b"data: 1\n" * 200)


ERROR = {"error": {"code": 429, "message": "later", "status": "RESOURCE_EXHAUSTED"}}


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(ERROR).encode(),
        json.dumps([ERROR], indent=2).encode(),
        b"data: " + json.dumps(ERROR).encode() + b"\r\n\r\n",
        b": hello\ndata: " + json.dumps([ERROR]).encode(),
    ],
)
def test_an_error_is_found_in_an_array_and_in_events(body: bytes) -> None:
    assert json.loads(plain_error(body)) == ERROR
    assert error_in(plain_error(body)) == 429


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>502</html>",
        b"[]",
        b'{"a":1}',
        b'{"x":{"error":1}}',
        b'["error"]',
        b'{"candidates":[],"error":null}',
    ],
)
def test_what_is_no_error_of_google_stays_as_it_is(body: bytes) -> None:
    assert plain_error(body) == body
    assert error_in(body) is None


@pytest.mark.parametrize("code", [0, 200, 700, "x", None])
def test_an_error_without_a_good_status_counts_as_500(code: object) -> None:
    assert error_in(json.dumps({"error": {"code": code}}).encode()) == 500


@UNHURRIED
@given(JSON_VALUES)
def test_what_is_written_is_one_event_of_one_line_for_every_kind_of_reader(value: Any) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False).encode("utf-8", "replace")
    written = as_event(text)
    assert json.loads(written.removeprefix(b"data: ")) == json.loads(text)
    assert len(written.decode().splitlines()) == 2  # Python's idea of a line end is the widest
    assert written.endswith(b"\n\n")


def test_the_three_line_ends_that_only_some_readers_know_are_escaped() -> None:
    written = as_event(json.dumps("a\u2028b\u2029c\u0085d", ensure_ascii=False).encode())
    assert written == rb'data: "a\u2028b\u2029c\u0085d"' + b"\n\n"
