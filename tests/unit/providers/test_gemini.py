"""Gemini's grounding: whatever the supports say, every marker has a valid place and a source behind it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.citations import mark
from groundwire.errors import GeminiSearchFailed
from groundwire.providers.base import Question
from groundwire.providers.gemini import Gemini, placed, whole_answer

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=120)
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 500), st.floats(), st.text(max_size=3), st.just([]), st.just({})
)
SUPPORT = st.one_of(
    st.fixed_dictionaries(
        {
            "segment": st.fixed_dictionaries({"endIndex": st.integers(-3, 500)}),
            "groundingChunkIndices": st.lists(st.integers(-2, 9), max_size=4),
        }
    ),
    st.fixed_dictionaries({}, optional={"segment": ODD, "groundingChunkIndices": ODD}),
    st.fixed_dictionaries(
        {"segment": st.fixed_dictionaries({"endIndex": ODD}), "groundingChunkIndices": st.lists(ODD)}
    ),
)


@given(st.lists(TEXT, min_size=1, max_size=3), st.lists(SUPPORT, max_size=12), st.integers(0, 6))
def test_every_marker_has_a_valid_place_and_a_source(
    parts: list[str], supports: list[dict[str, Any]], chunks: int
) -> None:
    text = "".join(parts)
    citations = placed(parts, supports, chunks)
    for citation in citations:
        assert 0 <= citation.at <= len(text)
        assert citation.numbers
        assert list(citation.numbers) == sorted(set(citation.numbers))
        assert all(1 <= number <= chunks for number in citation.numbers)
    assert mark(text, citations, lambda number: "") == text
    assert mark(text, citations) == mark(text, tuple(citations))  # in bytes and in characters alike


@given(TEXT, st.integers(1, 400), st.integers(1, 3))
def test_a_marker_stands_where_gemini_cli_puts_it_when_the_index_is_a_boundary(
    text: str, end: int, index: int
) -> None:
    encoded = text.encode()
    citations = placed([text], [{"segment": {"endIndex": end}, "groundingChunkIndices": [index - 1]}], 3)
    marked = mark(text, citations).encode()
    if end >= len(encoded) or encoded[end] & 0xC0 != 0x80:
        cut = min(end, len(encoded))
        assert marked == encoded[:cut] + f"[{index}]".encode() + encoded[cut:]


def test_a_segment_that_counts_from_its_own_part_is_moved_there() -> None:
    segment = {"partIndex": 1, "startIndex": 0, "endIndex": 4, "text": "Two."}
    citations = placed(["One. ", "Two."], [{"segment": segment, "groundingChunkIndices": [0]}], 1)
    assert [citation.at for citation in citations] == [9]


def test_a_segment_that_counts_over_the_whole_text_stays() -> None:
    segment = {"partIndex": 1, "startIndex": 5, "endIndex": 9, "text": "Two."}
    citations = placed(["One. ", "Two."], [{"segment": segment, "groundingChunkIndices": [0]}], 1)
    assert [citation.at for citation in citations] == [9]


@pytest.mark.parametrize(
    ("base_url", "model", "expected"),
    [
        (
            "https://x.example",
            "gemini-2.5-flash",
            "https://x.example/v1beta/models/gemini-2.5-flash:generateContent",
        ),
        (
            "https://x.example/v1beta/",
            "models/gemini-3",
            "https://x.example/v1beta/models/gemini-3:generateContent",
        ),
        (
            "https://x.example",
            "a/../b?c#d",
            "https://x.example/v1beta/models/a%2F..%2Fb%3Fc%23d:generateContent",
        ),
    ],
)
def test_the_address_is_built_from_base_url_and_model(base_url: str, model: str, expected: str) -> None:
    assert Gemini(base_url=base_url, model=model).ask(Question("q", model)).url == expected


@given(
    st.recursive(
        ODD,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "candidates",
                        "content",
                        "parts",
                        "text",
                        "groundingMetadata",
                        "groundingChunks",
                        "web",
                        "promptFeedback",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=20,
    )
)
def test_no_json_makes_the_reader_fail_in_any_other_way(value: Any) -> None:
    try:
        answer = whole_answer(msgspec.json.encode({"candidates": [value], "promptFeedback": value}))
    except GeminiSearchFailed:
        return
    assert isinstance(answer.text, str)
