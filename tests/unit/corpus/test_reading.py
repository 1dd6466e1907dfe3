"""Markdown, plain text and HTML become blocks, a title and an address."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.corpus.document import Document
from groundwire.corpus.markup import without_inline_marks
from groundwire.corpus.reading import read_content


def read(text: str, suffix: str = ".md") -> Document:
    return read_content(text.encode(), suffix).document


def lines(text: str, suffix: str = ".md") -> list[str]:
    return [block.text for block in read(text, suffix).blocks]


def test_front_matter_gives_title_and_address() -> None:
    document = read('---\ntitle: "Rain: a guide"\nurl: https://x.example/r\ntags: [a]\n---\n# Other\n\nText.')
    assert document.title == "Rain: a guide"
    assert document.url == "https://x.example/r"
    assert document.text == "Other\nText.\n"


def test_without_front_matter_the_first_heading_is_the_title() -> None:
    assert read("Intro.\n\n## The *Heading*\n\nText.").title == "The Heading"
    assert read("The Heading\n===========\n\nText.").title == "The Heading"
    assert read("A first line\n\nThen text, which ends.", ".txt").title == "A first line"
    assert read("No title, only this sentence.", ".txt").title is None


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "/relative", "https://a b", ""])
def test_only_addresses_of_the_web_count(url: str) -> None:
    assert read(f"---\nurl: {url}\n---\nText.").url is None


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    assert lines("---\n\nText one.\n\n---\n\nText two.") == ["Text one.", "Text two."]


def test_wrapped_lines_are_joined() -> None:
    wrapped = "The first line is long enough to have been wrapped\nand goes on here."
    assert lines(wrapped) == ["The first line is long enough to have been wrapped and goes on here."]
    assert lines("今天北京天气晴朗干燥，最高气温24摄氏度，\n最低气温11摄氏度。") == [
        "今天北京天气晴朗干燥，最高气温24摄氏度，最低气温11摄氏度。"
    ]


def test_short_lines_stay_lines() -> None:
    assert lines("Roses are red\nViolets are blue", ".txt") == ["Roses are red", "Violets are blue"]


def test_list_items_quotes_and_table_rows_are_blocks_without_their_marks() -> None:
    text = "- one\n* two\n  1. three\n\n> quoted\n\n| City | Rain |\n|------|:----:|\n| Beijing | 6 mm |"
    assert lines(text) == ["one", "two", "three", "quoted", "City, Rain", "Beijing, 6 mm"]


def test_code_is_kept_line_by_line() -> None:
    assert lines("Text.\n\n```python\n# not a heading\nx = a_b * c_d\n```\n\nMore.") == [
        "Text.",
        "# not a heading",
        "x = a_b * c_d",
        "More.",
    ]


def test_an_unclosed_fence_reaches_to_the_end() -> None:
    assert lines("```\ncode\n# still code") == ["code", "# still code"]


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("a **bold** and *slanted* word", "a bold and slanted word"),
        ("__bold__ and _slanted_", "bold and slanted"),
        ("***both***", "both"),
        ("`code` and ``a ` tick``", "code and a ` tick"),
        ("[a link](https://x.example/a_(b)) here", "a link here"),
        ('[t](https://x.example "Title") and [r][1]', "t and r"),
        ("![a picture](p.png)", "a picture"),
        ("<https://x.example/>", "https://x.example/"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("x[1] and f(x)", "x[1] and f(x)"),
        ("an unclosed **mark", "an unclosed **mark"),
        ("北京**天气**很好", "北京天气很好"),
    ],
)
def test_inline_marks_are_removed(marked: str, plain: str) -> None:
    assert without_inline_marks(marked) == plain


def test_html_gives_text_title_and_address() -> None:
    document = read(
        "<!DOCTYPE html><head><title>A &amp; B</title><link href='https://x.example/p' rel=canonical>"
        "<style>p{}</style></head><body><nav>Home</nav><h1>Head</h1><p>One <b>bold</b>\nword.<br>Two &lt;3"
        "<script>if (a < b) alert('x')</script><!-- hidden <p> --><ul><li>item</ul>"
        "<table><tr><td>Beijing</td><td>6 mm</td></tr></table></body>",
        ".html",
    )
    assert document.title == "A & B"
    assert document.url == "https://x.example/p"
    assert document.text == "Head\nOne bold word.\nTwo <3\nitem\nBeijing, 6 mm\n"
    assert [block.text for block in document.blocks if block.is_heading] == ["Head"]


def test_preformatted_html_keeps_its_lines() -> None:
    page = "<p>See:</p><pre><code>one\n  two &amp; <b>three</b>\n\n</code></pre><p>four\nfive"
    assert lines(page, ".html") == ["See:", "one", "  two & three", "four five"]


def test_html_in_its_declared_encoding_is_read() -> None:
    page = '<meta http-equiv="Content-Type" content="text/html; charset=gbk"><p>北京天气</p>'
    reading = read_content(page.encode("gbk"), ".html")
    assert reading.document.text == "北京天气\n"
    assert not reading.is_encoding_guessed


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>a<!-- never closed <p>b", "a\n"),
        ("<p>a<script>never closed", "a\n"),
        ("a < b and c > d", "a < b and c > d\n"),
        ('<p title="a > b">c', "c\n"),
        ("<p>a<![if !IE]>b<?php x ?>c", "abc\n"),
        ("&#0; &#xD800; &bogus;", "\ufffd \ufffd &bogus;\n"),
        ("<", "<\n"),
    ],
)
def test_broken_html_is_read_as_far_as_it_goes(page: str, text: str) -> None:
    assert read(page, ".html").text == text


def test_a_heading_keeps_a_hash_that_belongs_to_its_word() -> None:
    assert lines("# Learning C#\n\n## Closed ##\n\n#hashtag") == ["Learning C#", "Closed", "#hashtag"]


@pytest.mark.parametrize(
    "part",
    [
        "<!--",
        "<a '",
        "<p>",
        "<script>",
        "[",
        "[a](",
        "*a ",
        "**a",
        "`",
        "_a ",
        "\n- ",
        "|",
        "-",
        "- ",
        "#",
        "# ",
        "<a",
        "(",
    ],
)
def test_hostile_repetition_is_read_in_reasonable_time(part: str) -> None:
    repeated = part * 40_000
    read(repeated, ".html")
    read(repeated, ".md")


@settings(max_examples=150)
@given(
    st.text(alphabet="ab <>/!-\"'=&;#*_`[]()|\n。北\\é", max_size=120),
    st.sampled_from([".md", ".txt", ".html"]),
)
def test_every_block_is_one_line_with_something_on_it(text: str, suffix: str) -> None:
    for block in read(text, suffix).blocks:
        assert block.text.strip()
        assert "\n" not in block.text
