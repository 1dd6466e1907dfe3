"""Which style an answer gets, and what stands around it: related pages, and the case of nothing found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.emulator.openai.answers import HARMLESS_EXA, HARMLESS_NATIVE, chosen, compose, style_in
from groundwire.emulator.openai.phrasing import CitedAnswer
from groundwire.emulator.openai.searching import Page
from groundwire.emulator.openai.styles import STYLES


def listed(answer: CitedAnswer) -> list[tuple[str, str | None]]:
    return [(one.url, one.title) for message in answer.messages for one in message.annotations]


def test_related_pages_are_listed_and_never_cited(passages: list[Page]) -> None:
    first, *others = passages
    assert [url for url, _ in listed(compose("q", [first], "exa", others))] == [page.url for page in passages]
    native = compose("q", [first], "native", others)
    assert len(listed(native)) == 1
    assert native.consulted == tuple(page.url for page in passages)
    assert not any(page.url in native.text for page in others)
    assert {title for _, title in listed(compose("q", [first], "untitled", others))} == {None}


def test_nothing_found_is_said_and_cites_nothing() -> None:
    assert compose("unicorns", [], "native").text == 'I searched the web and found nothing about "unicorns".'


@pytest.mark.parametrize(
    ("query", "style"),
    [("weather in Beijing", "grouped"), ("北京天气", "grouped"), ("", "phases")],
)
def test_a_query_gets_the_same_style_in_every_run(query: str, style: str) -> None:
    assert chosen(query, HARMLESS_NATIVE) == style


@given(st.text())
def test_any_query_gets_one_of_the_harmless_styles_and_they_exist(query: str) -> None:
    assert chosen(query, HARMLESS_EXA) in HARMLESS_EXA
    assert {*HARMLESS_NATIVE, *HARMLESS_EXA} <= set(STYLES)


def test_different_queries_meet_different_styles() -> None:
    assert len({chosen(f"query {number}", HARMLESS_NATIVE) for number in range(60)}) == len(HARMLESS_NATIVE)


def test_a_scenario_names_a_style() -> None:
    assert style_in(("latency", "style-markers")) == "markers"
    assert style_in(("latency",)) is None
