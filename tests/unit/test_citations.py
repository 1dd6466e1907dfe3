"""Markers and offsets: every marker stands at a valid place, and without the markers the text is whole."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.citations import (
    ByteOffset,
    CharOffset,
    Citation,
    GroundedAnswer,
    Source,
    chars_from_bytes,
    failure,
    limited,
    mark,
    result,
)
from groundwire.errors import GeminiSearchFailed, InvalidQuery

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


def cite(at: int, *numbers: int) -> Citation:
    return Citation(CharOffset(at), numbers)


def test_markers_at_one_place_are_ascending_and_without_repeats() -> None:
    assert mark("abc", [cite(3, 2), cite(3, 1), cite(3, 2, 3)]) == "abc[1][2][3]"


def test_a_text_without_citations_stays_as_it_is() -> None:
    assert mark("plain", []) == "plain"


def test_markers_can_stand_at_both_ends() -> None:
    assert mark("abc", [cite(0, 1), cite(3, 2)]) == "[1]abc[2]"


@pytest.mark.parametrize(
    ("text", "byte", "character"),
    [
        ("abc", 2, 2),
        ("abc", 99, 3),
        ("é!", 1, 0),  # inside é: to its start
        ("é!", 2, 1),
        ("北京天气", 6, 2),
        ("北京天气", 7, 2),
        ("北京天气", 8, 2),
        ("北京天气", 12, 4),
        ("a😀b", 3, 1),
        ("a😀b", 5, 2),
        ("a😀b", 1000, 3),
        ("", 5, 0),
    ],
)
def test_a_byte_offset_falls_on_a_character_boundary(text: str, byte: int, character: int) -> None:
    assert chars_from_bytes(text, [ByteOffset(byte)]) == [character]


@given(TEXTS, st.lists(st.integers(0, 900), max_size=30))
def test_byte_offsets_never_land_inside_a_character_and_never_move_forward(
    text: str, offsets: list[int]
) -> None:
    encoded = text.encode()
    places = chars_from_bytes(text, [ByteOffset(offset) for offset in offsets])
    for byte, character in zip(offsets, places, strict=True):
        before = len(text[:character].encode())
        assert before <= byte
        assert before == len(encoded) or byte - before < len(text[character].encode())


@given(TEXTS, st.lists(st.tuples(st.integers(0, 200), st.sets(st.integers(1, 9), min_size=1)), max_size=20))
def test_removing_the_markers_gives_back_the_text(text: str, wanted: list[tuple[int, set[int]]]) -> None:
    citations = [cite(min(at, len(text)), *sorted(numbers)) for at, numbers in wanted]
    marked = mark(text, citations)
    # Walk the marked text, dropping exactly the markers that were asked for at each place.
    out, position = [], 0
    for here in range(len(text) + 1):
        numbers = sorted({n for citation in citations if citation.at == here for n in citation.numbers})
        expected = "".join(f"[{number}]" for number in numbers)
        assert marked.startswith(expected, position)
        position += len(expected)
        out.append(marked[position : position + 1] if here < len(text) else "")
        position += 1 if here < len(text) else 0
    assert "".join(out) == text
    assert position == len(marked)


def test_a_result_tells_the_model_the_person_and_the_program() -> None:
    answer = GroundedAnswer("Sunny.", (cite(5, 1),), (Source("Weather", "https://example.org/w"),))
    told = result("sun", answer)
    assert told.to_json() == {
        "llmContent": 'Web search results for "sun":\n\nSunny[1].\n\nSources:\n[1] Weather (https://example.org/w)',
        "returnDisplay": 'Search results for "sun" returned.',
        "sources": [{"web": {"title": "Weather", "uri": "https://example.org/w"}}],
    }


@pytest.mark.parametrize("text", ["", "  \n\t"])
def test_an_answer_without_text_says_that_nothing_was_found(text: str) -> None:
    told = result("q", GroundedAnswer(text, (), (Source("T", "https://example.org"),)))
    assert told.to_json() == {
        "llmContent": 'No search results or information found for query: "q"',
        "returnDisplay": "No information found.",
    }


def test_a_source_without_a_title_is_named_by_its_host_and_one_without_anything_is_untitled() -> None:
    assert Source(None, "https://www.example.org/x").line() == "example.org (https://www.example.org/x)"
    assert Source(None, None).line() == "Untitled (No URI)"
    assert Source("Two\nlines", "https://[broken").line() == "Two lines (https://[broken)"


def test_the_providers_own_record_of_a_source_passes_through_untouched() -> None:
    wire = {"web": {"uri": "https://example.org", "domain": "example.org"}, "extra": [1]}
    assert Source("T", "https://example.org", wire).to_json() == wire


def test_limiting_the_sources_drops_the_markers_of_the_others() -> None:
    sources = tuple(Source(f"S{n}", f"https://example.org/{n}") for n in range(1, 4))
    answer = GroundedAnswer("One. Two.", (cite(4, 1, 3), cite(9, 2)), sources, consulted=sources)
    few = limited(answer, 1)
    assert mark(few.text, few.citations) == "One.[1] Two."
    assert [source.title for source in few.sources] == ["S1"]
    assert few.consulted == ()


def test_a_failure_has_the_same_shape_and_starts_with_error() -> None:
    told = failure(GeminiSearchFailed("It broke.", hint="Try again."))
    assert told.to_json() == {
        "llmContent": "Error: It broke. Try again.",
        "returnDisplay": "It broke.",
        "error": {"message": "It broke. Try again.", "type": "GEMINI_WEB_SEARCH_FAILED"},
    }
    assert not told.ok


def test_the_json_text_is_the_same_object() -> None:
    told = failure(InvalidQuery("No."))
    assert re.fullmatch(r'\{"llmContent":"Error: No\.".*"type":"INVALID_QUERY"\}\}', told.json())
