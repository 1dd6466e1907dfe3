"""Citations written into a text: links, markers and lists become numbers, and nothing raw is left."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.citations import mark
from groundwire.providers.annotations import Annotation
from groundwire.providers.links import UNTIED, TextPart, grounded
from groundwire.providers.live_text import LiveText

A, B = "https://a.example/page", "https://b.example/other_(x)"


def marked(text: str, *annotations: Annotation) -> str:
    answer = grounded([TextPart(text, annotations)])
    return mark(answer.text, answer.citations)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"A fact ([a.example]({A})).", "A fact[1]."),
        (f"A fact [a.example]({A}).", "A fact[1]."),
        (f"A fact[a.example]({A})[b.example]({B}).", "A fact[1][2]."),
        (f"A fact ([a]({A}), [b]({B})).", "A fact[1][2]."),
        (f"A fact ([a]({A}); and [b]({B})).", "A fact[1][2]."),
        (f"A fact [[1]]({A}).", "A fact[1]."),
        (f"See [the manual]({A}) for more.", "See the manual[1] for more."),
        (f"(see [the manual]({A}))", "(see the manual[1])"),
        (f"Nested ([x](<{A}>)).", "Nested[1]."),
        (f'Titled [a.example]({A} "A page").', "Titled[1]."),
        (f"Narrow space\u202f([a.example]({A})).", "Narrow space[1]."),
        (f"![picture]({A}) stays", f"![picture]({A}) stays"),
        (f"- [a.example]({A})\n- [b.example]({B})", "- [1]\n- [2]"),
        ("No link (at all) [here] 【真的】", "No link (at all) [here] 【真的】"),
        ("[mail](mailto:a@b.c) [rel](/x)", "[mail](mailto:a@b.c) [rel](/x)"),
        (f"`[code]({A})` and ``a ` b [x]({A})``", f"`[code]({A})` and ``a ` b [x]({A})``"),
        (f"```\n[x]({A})\n", f"```\n[x]({A})"),
        (f"~~~\n[x]({A})\n~~~\nafter [a.example]({A})", f"~~~\n[x]({A})\n~~~\nafter[1]"),
        (f"Twice ([a]({A})) ([a]({A}?utm_source=openai)).", "Twice[1]."),
        (f"One ([a]({A})). Two ([a]({A})).", "One[1]. Two[1]."),
        ("Unclosed [link](https://a.example/never", "Unclosed [link](https://a.example/never"),
        ("citeturn0search0turn1news2 gone", " gone"),
        ("a\ue200cite\ue202turn0search0", "a"),
        ("a \\ue200cite\\ue202turn0search0\\ue201 b", "a b"),
    ],
)
def test_links_and_markers_become_numbers(text: str, expected: str) -> None:
    assert marked(text) == expected


def test_an_annotation_over_prose_is_cited_at_its_end_and_never_inside_a_word() -> None:
    text = "The tower is 330 metres tall. It is in Paris."
    assert marked(text, Annotation(A, None, 0, 27)) == "The tower is 330 metres tall[1]. It is in Paris."


@pytest.mark.parametrize(("start", "end"), [(0, 0), (9, 3), (-4, 5), (500, 600)])
def test_an_annotation_with_useless_indices_is_a_source_without_a_place(start: int, end: int) -> None:
    answer = grounded([TextPart("A fact.", (Annotation(A, "A", start, end),))])
    assert mark(answer.text, answer.citations) == "A fact."
    assert [source.uri for source in answer.sources] == [A]
    assert answer.note == UNTIED


@pytest.mark.parametrize("unit", ["utf-32-le", "utf-16-le", "utf-8"])
def test_the_unit_of_the_indices_does_not_matter_when_the_link_is_there(unit: str) -> None:
    text = f"😀🇵🇱 é fact ([a.example]({A})). More text follows here."
    width = {"utf-32-le": 4, "utf-16-le": 2, "utf-8": 1}[unit]
    link = f"([a.example]({A}))"
    start = len(text[: text.index(link)].encode(unit)) // width
    annotation = Annotation(A, "Title", start, start + len(link.encode(unit)) // width)
    assert marked(text, annotation) == "😀🇵🇱 é fact[1]. More text follows here."


def test_sources_that_were_consulted_but_not_cited_are_listed_apart() -> None:
    answer = grounded([TextPart(f"A fact ([a]({A})).", (Annotation(B, "B", 0, 0),))], ["https://c.example/"])
    assert [source.uri for source in answer.sources] == [A]
    assert [source.uri for source in answer.consulted] == [B, "https://c.example/"]


def test_numbers_go_by_first_appearance_over_all_parts() -> None:
    answer = grounded([TextPart(f"One ([b]({B})). "), TextPart(f"Two ([a]({A}), [b]({B})).")])
    assert mark(answer.text, answer.citations) == "One[1]. Two[1][2]."
    assert [source.uri for source in answer.sources] == [B, A]


PIECES = st.sampled_from(
    [
        "Plain words. ", "天气很好。", "😀 ", "\n", "\n\n", "- ", "`code` ", "(aside) ", "[1] ", "【注】",
        f"([a.example]({A}))", f"[the page]({B}) ", f" ([a]({A}), [b]({B}))", f"[x]({A}?utm_source=openai)",
        "\ue200cite\ue202turn0search0\ue201", "【3†source】", "【a.example】", "a [b] c ",
        "\n```\ncode [x](https://c.example)\n```\n",
    ]
)  # fmt: skip


@settings(max_examples=150)
@given(
    st.lists(PIECES, max_size=14), st.lists(st.tuples(st.integers(-2, 200), st.integers(-2, 200)), max_size=4)
)
def test_whatever_is_put_together_every_number_has_a_source_and_nothing_raw_is_left(
    pieces: list[str], spans: list[tuple[int, int]]
) -> None:
    text = "".join(pieces)
    annotations = tuple(
        Annotation(A if n % 2 else B, None, start, end) for n, (start, end) in enumerate(spans)
    )
    answer = grounded([TextPart(text, annotations)])
    numbers = [number for citation in answer.citations for number in citation.numbers]
    assert all(1 <= number <= len(answer.sources) for number in numbers)
    assert all(0 <= citation.at <= len(answer.text) for citation in answer.citations)
    places = [citation.at for citation in answer.citations]
    assert places == sorted(set(places))
    outside_code = re.sub(r"(```[\s\S]*?(```|$)|`[^`]*`)", "", answer.text)
    for raw in ("\ue200", "\ue202", "†", "](http", "utm_source"):
        assert raw not in outside_code


@settings(max_examples=100)
@given(st.lists(PIECES, max_size=14), st.lists(st.integers(0, 400), max_size=8))
def test_live_text_does_not_depend_on_how_the_deltas_are_cut(pieces: list[str], cuts: list[int]) -> None:
    text = "".join(pieces)
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    live, whole = LiveText(), LiveText()
    in_pieces = "".join(live.feed(text[a:b]) for a, b in pairwise(places)) + live.close()
    at_once = whole.feed(text) + whole.close()
    assert in_pieces == at_once


def test_a_fence_that_arrives_in_two_deltas_still_ends_the_code() -> None:
    live = LiveText()
    shown = [live.feed(delta) for delta in ("```\n[x](y)\n``", "`\n", f"A fact ([a]({A})). ", "More.")]
    assert "".join([*shown, live.close()]) == "```\n[x](y)\n```\nA fact. More."
