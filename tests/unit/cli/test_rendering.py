"""A result on a terminal: markdown, clickable numbers and sources, side by side when there is room."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from groundwire.citations import (
    CharOffset,
    Citation,
    GroundedAnswer,
    Source,
    WebSearchResult,
    failure,
    result,
)
from groundwire.cli.rendering import Arriving, clickable, plain, show, show_all
from groundwire.errors import GeminiSearchFailed

ANSWER = GroundedAnswer(
    "It is **sunny**. arr[1] stays.",
    (Citation(CharOffset(15), (1, 2)),),
    (Source("Weather", "https://weather.example/a b"), Source(None, None)),
    consulted=(Source("Other", "https://other.example/"),),
    note="(A note.)",
)


def screen(width: int = 100) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=width, height=20, color_system="truecolor")


def shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_only_citations_are_links_and_addresses_cannot_break_out() -> None:
    text = clickable(ANSWER)
    assert text == "It is **sunny**[\\[1\\]](https://weather.example/a%20b)\\[2\\]. arr[1] stays."


def test_a_terminal_shows_markdown_sources_and_notes() -> None:
    console = screen()
    show(result("q", ANSWER), console)
    text = shown(console)
    assert "\x1b[1msunny" in text
    assert "\x1b]8;" in text  # a hyperlink
    for words in ("Sources", "Weather", "Also consulted", "Other", "(A note.)"):
        assert words in text


def test_only_pages_and_files_can_be_clicked() -> None:
    sources = (Source("Run me", "javascript:alert(1)"), Source("File", "file:///notes/a.md"))
    answer = GroundedAnswer("A fact.", (Citation(CharOffset(6), (1, 2)),), sources)
    assert clickable(answer) == "A fact\\[1\\][\\[2\\]](file:///notes/a.md)."
    console = screen()
    show(result("q", answer), console)
    assert ";javascript:" not in shown(console)
    assert ";file:///notes/a.md" in shown(console)


def test_a_failure_is_shown_in_its_own_words() -> None:
    console = screen()
    show(failure(GeminiSearchFailed("It \x1b[5mbroke.")), console)
    assert "It broke." in shown(console)


def test_nothing_found_is_shown_as_a_sentence() -> None:
    console = screen()
    show(result("q", GroundedAnswer("")), console)
    assert "No search results or information found" in shown(console)


@pytest.mark.parametrize(("width", "side_by_side"), [(200, True), (60, False)])
def test_several_answers_stand_side_by_side_when_there_is_room(width: int, side_by_side: bool) -> None:
    console = screen(width)
    results: dict[str, WebSearchResult] = {"gemini": result("q", ANSWER), "openrouter": result("q", ANSWER)}
    show_all(results, console)
    first_line = shown(console).splitlines()[0]
    assert ("gemini" in first_line and "openrouter" in first_line) is side_by_side


def test_arriving_text_gives_way_to_the_answer() -> None:
    console = screen()
    with Arriving(console) as arriving:
        arriving.add("so \x1b[31mfar")
    assert "so far" in shown(console)
    assert plain(result("q", ANSWER)).startswith('Web search results for "q":')
