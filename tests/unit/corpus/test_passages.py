"""A document is cut into pieces without gaps, and a piece into whole sentences."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.corpus.document import Block, Document
from groundwire.corpus.passages import PIECE_CHARACTERS, SENTENCE_CHARACTERS, pieces, sentences


def spoken(text: str, begin: int = 0) -> list[str]:
    return [text[each.start : each.end] for each in sentences(text, begin)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        (
            "It is 3.5 km to St. Mary, e.g. on foot. Then rest.",
            ["It is 3.5 km to St. Mary, e.g. on foot.", "Then rest."],
        ),
        ("By J. Smith. Done.", ["By J. Smith.", "Done."]),
        ('He said "stop." Then left.', ['He said "stop."', "Then left."]),
        ("Wait... what? ok", ["Wait... what? ok"]),
        ("今天晴。明天雨！好吗？", ["今天晴。", "明天雨！", "好吗？"]),
        ("「はい。」と言った。次。", ["「はい。」", "と言った。", "次。"]),
        ("यह एक है। यह दो है।", ["यह एक है।", "यह दो है।"]),
        ("no end\nnext line", ["no end", "next line"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences_end_where_a_reader_would_say(text: str, expected: list[str]) -> None:
    assert spoken(text) == expected


def test_a_heading_can_be_passed_over() -> None:
    assert spoken("Title\nFirst. Second.", 6) == ["First.", "Second."]


def test_a_run_without_any_end_is_cut_at_a_space() -> None:
    cut = spoken("word " * 300)
    assert len(cut) > 1
    assert all(len(each) <= SENTENCE_CHARACTERS * 3 // 2 and each.endswith("word") for each in cut)
    assert all(len(each) <= SENTENCE_CHARACTERS * 3 // 2 for each in spoken("x" * 5000))


@pytest.mark.parametrize("part", [".", ". ", ".)", "。", "a. ", "\n", "No. ", " "])
def test_hostile_repetition_is_cut_in_reasonable_time(part: str) -> None:
    list(sentences(part * 100_000))


def test_a_section_starts_a_piece_that_knows_its_heading() -> None:
    blocks = [Block("T", True), Block("One."), Block("H", True), Block("Two."), Block("Three.")]
    cut = list(pieces(blocks))
    assert [(each.start, each.text, each.heading, each.lead) for each in cut] == [
        (0, "T\nOne.\n", "T", 2),
        (7, "H\nTwo.\nThree.\n", "H", 2),
    ]


def test_headings_that_follow_each_other_lead_one_piece() -> None:
    (piece,) = pieces([Block("T", True), Block("H", True), Block("Text.")])
    assert (piece.heading, piece.lead) == ("H", 4)


blocks = st.lists(
    st.builds(
        Block,
        st.text(alphabet="ab. 。北", min_size=1, max_size=12).map(lambda text: text * 40)
        | st.text(alphabet="ab. 。北", min_size=1, max_size=30),
        st.booleans(),
    ),
    max_size=30,
)


@given(blocks)
def test_pieces_joined_are_the_document(made: list[Block]) -> None:
    cut = list(pieces(made))
    text = Document(None, None, tuple(made)).text
    assert "".join(each.text for each in cut) == text
    assert all(text[each.start :].startswith(each.text) for each in cut)
    assert all(0 <= each.lead <= len(each.text) <= 2 * PIECE_CHARACTERS + 200 for each in cut)


def test_a_page_that_is_one_huge_heading_is_cut_all_the_same() -> None:
    cut = list(pieces([Block("word " * 1000, True), *[Block("h", True)] * 2000]))
    assert max(len(each.text) for each in cut) < 2 * PIECE_CHARACTERS


@given(st.text(alphabet="ab .!?。\n\"'", max_size=200), st.integers(0, 20))
def test_sentences_lose_no_word_and_do_not_overlap(text: str, begin: int) -> None:
    found = list(sentences(text, begin))
    assert "".join(spoken(text, begin)).replace(" ", "") == "".join(text[begin:].split())
    assert all(one.end <= two.start for one, two in pairwise(found))
