"""Addresses: cleaned of tracking, equal when they are the same page."""

from __future__ import annotations

import pytest

from groundwire.providers.page_address import cleaned, host, is_page, same_page_key


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/x?utm_source=openai", "https://a.example/x"),
        ("https://a.example/x?id=1&utm_source=openai", "https://a.example/x?id=1"),
        ("https://a.example/x?utm_source=chatgpt.com&id=1", "https://a.example/x?id=1"),
        ("https://a.example/x?utm_source=openai&utm_medium=web#part", "https://a.example/x#part"),
        ("https://a.example/x#:~:text=some%20words", "https://a.example/x"),
        ("https://a.example/x?q=utm_source", "https://a.example/x?q=utm_source"),
        ("https://a.example/%C3%A9?b=%20&a", "https://a.example/%C3%A9?b=%20&a"),
    ],
)
def test_only_tracking_goes(url: str, expected: str) -> None:
    assert cleaned(url) == expected


@pytest.mark.parametrize(
    "other",
    [
        "https://a.example/x",
        "http://www.A.example/x/",
        "https://a.example/x?utm_source=openai",
        "https://a.example/x#part",
        "https://a.example/%78",
    ],
)
def test_spellings_of_one_page_are_equal(other: str) -> None:
    assert same_page_key(other) == same_page_key("https://a.example/x")


def test_other_pages_are_not_equal() -> None:
    keys = {
        same_page_key(url)
        for url in ("https://a.example/x", "https://a.example/y", "https://a.example/x?id=1")
    }
    assert len(keys) == 3


@pytest.mark.parametrize(
    "url", ["", "x", "mailto:a@b.c", "javascript:alert(1)", "https://", None, 7, ["https://a"]]
)
def test_what_is_no_page_is_no_source(url: object) -> None:
    assert not is_page(url)


def test_a_broken_address_is_equal_to_itself_and_has_no_host() -> None:
    assert same_page_key("https://[broken") == same_page_key("https://[broken")
    assert host("https://[broken") == ""
