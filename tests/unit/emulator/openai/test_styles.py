"""Phrasing styles: what stands in the text is what the annotations point at, in every style and unit."""

from __future__ import annotations

import re
from typing import Any

import pytest

from groundwire.emulator.openai.answers import compose
from groundwire.emulator.openai.phrasing import CitedAnswer, claim, tracked
from groundwire.emulator.openai.searching import Page
from groundwire.emulator.openai.styles import STYLES

SPANNED = [
    "native",
    "native-titles",
    "descriptive-links",
    "grouped",
    "emoji-code-points",
    "api-sources",
    "duplicates",
    "parentheses",
    "code-fences",
    "phases",
    "two-messages",
]


def annotated(answer: CitedAnswer) -> list[tuple[str, dict[str, Any]]]:
    return [
        (message.text, annotation.to_wire(message.text))
        for message in answer.messages
        for annotation in message.annotations
    ]


@pytest.mark.parametrize("style", SPANNED)
def test_a_span_in_code_points_is_exactly_the_marker_with_its_url(style: str, passages: list[Page]) -> None:
    found = annotated(compose("q", passages, style))
    assert found
    for text, wire in found:
        marker = text[wire["start_index"] : wire["end_index"]]
        assert re.fullmatch(r"\(?\[[^\]]+\]\(.+\)\)?", marker)
        assert str(wire["url"]) in marker


def test_the_three_units_of_an_index_differ_after_emoji_and_each_is_true(passages: list[Page]) -> None:
    (text, points), *_ = annotated(compose("q", passages, "emoji-code-points"))
    (_, units), *_ = annotated(compose("q", passages, "emoji-utf16"))
    (_, octets), *_ = annotated(compose("q", passages, "emoji-utf8"))
    marker = text[points["start_index"] : points["end_index"]]
    wide, narrow = text.encode("utf-16-le"), text.encode("utf-8")
    assert wide[units["start_index"] * 2 : units["end_index"] * 2].decode("utf-16-le") == marker
    assert narrow[octets["start_index"] : octets["end_index"]].decode("utf-8") == marker
    assert len({points["start_index"], units["start_index"], octets["start_index"]}) == 3


def test_links_only_has_links_and_no_annotation(passages: list[Page]) -> None:
    answer = compose("q", passages, "links-only")
    assert answer.text.count("](https://") == 3
    assert not annotated(answer)


def test_markers_are_private_use_characters_and_one_of_them_names_no_source(passages: list[Page]) -> None:
    answer = compose("q", passages, "markers")
    assert answer.text.count("\ue200cite\ue202turn") == 4
    assert [text[w["start_index"] : w["end_index"]][0] for text, w in annotated(answer)] == ["\ue200"] * 3
    assert answer.delta_size < 5


def test_source_ids_have_no_position(passages: list[Page]) -> None:
    wires = [wire for _, wire in annotated(compose("q", passages, "source-ids"))]
    assert [(w["source_id"], w["start_index"], w["end_index"]) for w in wires] == [
        ("turn0search0", 0, 0),
        ("turn0search1", 0, 0),
        ("turn0search2", 0, 0),
    ]


def test_exa_lists_every_result_without_position_and_leaves_one_uncited(passages: list[Page]) -> None:
    answer = compose("q", passages, "exa")
    wires = [wire for _, wire in annotated(answer)]
    assert [(w["start_index"], w["end_index"]) for w in wires] == [(0, 0)] * 3
    assert all(w["content"] for w in wires)
    assert passages[0].url in answer.text
    assert passages[2].url not in answer.text


def test_exa_brackets_name_the_domain_instead_of_linking(passages: list[Page]) -> None:
    text = compose("q", passages, "exa-brackets").text
    assert "【weather.example】" in text
    assert "](http" not in text


def test_untitled_annotations_have_no_title_key(passages: list[Page]) -> None:
    assert all("title" not in wire for _, wire in annotated(compose("q", passages, "untitled")))


def test_numbered_ends_with_its_own_source_list_and_invents_a_number(passages: list[Page]) -> None:
    text = compose("q", passages, "numbered").text
    assert text.endswith("[3] Climate notes (https://www.climate.example/notes?lang=en)")
    assert " [7]" in text


def test_parentheses_stand_inside_every_cited_url(passages: list[Page]) -> None:
    assert all(
        "_(overview)" in str(wire["url"]) for _, wire in annotated(compose("q", passages, "parentheses"))
    )


def test_duplicates_spell_one_page_in_four_ways(passages: list[Page]) -> None:
    urls = [str(wire["url"]) for _, wire in annotated(compose("q", passages[:1], "duplicates"))]
    assert len(set(urls)) == 4
    assert all(url.startswith("https://weather.example/beijing") for url in urls)


def test_no_search_neither_searches_nor_cites(passages: list[Page]) -> None:
    answer = compose("q", passages, "no-search")
    assert not answer.searched
    assert not annotated(answer)


def test_phases_put_a_commentary_before_the_answer(passages: list[Page]) -> None:
    assert [message.phase for message in compose("q", passages, "phases").messages] == [
        "commentary",
        "final_answer",
    ]


@pytest.mark.parametrize("style", STYLES)
def test_every_style_copes_with_one_passage_and_with_none(style: str, passages: list[Page]) -> None:
    assert compose("q", passages[:1], style).text
    assert not annotated(compose("q", [], style))


def test_a_claim_is_prose_without_markup() -> None:
    text = "# Heading\n\n```\ncode()\n```\n- See [the docs](https://d.example) for `x`."
    assert claim(Page("T", "https://x.example", text)) == "Heading See the docs for x."


def test_a_claim_stops_at_a_sentence_when_a_passage_is_long() -> None:
    said = claim(Page("T", "https://x.example", "One sentence of forty characters, roughly. " * 20))
    assert len(said) <= 280
    assert said.endswith("roughly.")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/x", "https://a.example/x?utm_source=openai"),
        ("https://a.example/x?b=1#c", "https://a.example/x?b=1&utm_source=openai#c"),
    ],
)
def test_tracking_is_added_before_the_fragment(url: str, expected: str) -> None:
    assert tracked(url) == expected
