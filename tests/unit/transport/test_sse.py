"""Server-sent events: everything seen in the wild is understood, wherever the chunks are cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.errors import BodyTooLarge
from groundwire.transport.sse import Event, EventParser


def parse(*chunks: bytes) -> list[Event]:
    parser = EventParser()
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return events + parser.close()


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\n", [Event("message", "a")]),
        (b"data: a\r\n\r\n", [Event("message", "a")]),
        (b"data: a\r\rdata: b\r\r", [Event("message", "a"), Event("message", "b")]),
        (b"data:a\n\n", [Event("message", "a")]),
        (b"event: x\ndata: a\ndata: b\n\n", [Event("x", "a\nb")]),
        (b": keep-alive\n\ndata: a\n\n: OPENROUTER PROCESSING\n\n", [Event("message", "a")]),
        (b"data: last without a blank line", [Event("message", "last without a blank line")]),
        (b"\xef\xbb\xbfdata: a\n\n", [Event("message", "a")]),
        (b"id: 1\nretry: 5\nunknown\ndata: a\n\n", [Event("message", "a")]),
        (b"event: nothing\n\ndata: a\n\n", [Event("message", "a")]),
        (b"", []),
        (b"\n\n\n", []),
        ("data: 天气😀\n\n".encode(), [Event("message", "天气😀")]),
        (b"data: \xff\n\n", [Event("message", "\ufffd")]),
    ],
)
def test_a_stream_is_understood(stream: bytes, events: list[Event]) -> None:
    assert parse(stream) == events


STREAM = 'event: a\r\ndata: {"x": "天😀"}\r\n\r\n: c\n\ndata: one\ndata: two\n\rdata:é\n\ndata: end'.encode()


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_any_split_of_a_stream_gives_the_same_events(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    chunks = [STREAM[start:end] for start, end in pairwise(places)]
    assert parse(*chunks) == parse(STREAM)


@given(st.binary(max_size=300))
def test_no_bytes_make_the_parser_fail(noise: bytes) -> None:
    parse(noise)


def test_a_stream_that_never_ends_is_refused() -> None:
    parser = EventParser(limit=100)
    parser.feed(b"data: xxxxx\n" * 8)
    with pytest.raises(BodyTooLarge):
        parser.feed(b"data: xxxxx\n")
