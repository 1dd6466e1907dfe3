"""Hosted search: one result per page, only from the domains that are allowed."""

from __future__ import annotations

from typing import Any

from groundwire.emulator.openai.searching import Page, pages, related, search


def test_passages_of_one_page_become_one_result() -> None:
    first, second, other = Page("A", "u:a", "One."), Page("A", "u:a", "Two."), Page("B", "u:b", "Three.")
    assert pages([first, other, second]) == [Page("A", "u:a", "One.\n\nTwo."), other]


def test_a_file_is_cited_as_a_web_page_because_hosted_search_knows_no_files() -> None:
    assert pages([Page("A", "file:///notes/a.md", ".")])[0].url == "https://documents.example/notes/a.md"


def test_a_domain_includes_its_subdomains_and_nothing_that_merely_ends_alike(documents: Any) -> None:
    documents.passages += [
        Page("N", "https://news.weather.example/x", "."),
        Page("O", "https://badweather.example", "."),
    ]
    found = search("q", documents, limit=9, allowed=["weather.example"])
    assert [page.url for page in found] == [
        "https://weather.example/beijing",
        "https://news.weather.example/x",
    ]


def test_blocked_domains_are_left_out(documents: Any) -> None:
    found = search("q", documents, limit=9, blocked=["www.climate.example", "TIANQI.example"])
    assert [page.title for page in found] == ["Beijing weather"]


def test_no_more_pages_than_asked_for(documents: Any) -> None:
    assert len(search("q", documents, limit=2)) == 2


class Shelf:
    """Documents found only by the word they are filed under."""

    def find(self, query: str, limit: int) -> list[Page]:
        filed = {"weather": Page("W", "u:w", "."), "beijing": Page("B", "u:b", ".")}
        return [filed[query.lower()]] if query.lower() in filed else []


def test_related_pages_share_one_word_and_are_not_among_the_found() -> None:
    found = [Page("B", "u:b", ".")]
    assert [page.url for page in related("Weather in Beijing", Shelf(), found)] == ["u:w"]
    assert [page.url for page in related("Weather in Beijing", Shelf(), [], limit=1)] == ["u:w"]


def test_a_query_of_one_word_has_nothing_related() -> None:
    assert related("weather", Shelf(), []) == []
