"""Web pages as text: what is kept, what is left out, and pages that are broken or mean."""

from __future__ import annotations

import pytest

from groundwire.tools.page_text import decoded, readable

FILLER = "<p>" + "A sentence of the page's own content. " * 10 + "</p>"


def read(body: str, head: str = "") -> str:
    return readable(f"<html><head>{head}</head><body>{body}</body></html>", "https://e.example/a/b")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h1>One</h1><h3>Three</h3>words", "# One\n\n### Three\n\nwords"),
        ("<p>one\n  two</p><p>three</p>", "one two\n\nthree"),
        ("one<br>two", "one\ntwo"),
        ("<ul><li>a<li><p>b</p><ol><li>c<li>d</ol></ul>after", "- a\n- b\n  1. c\n  2. d\n\nafter"),
        ("<pre>def f():\n    return  1</pre>", "```\ndef f():\n    return  1\n```"),
        ("<table><tr><th>A<th>B<tr><td>1<td>2</table>", "A | B\n1 | 2"),
        ("see <a href='/x'>this page</a>.", "see [this page](https://e.example/x)."),
        ("<a href='c?d=1'>c</a>", "[c](https://e.example/a/c?d=1)"),
        ("<a href='#top'>up</a> <a href='javascript:x()'>run</a> <a>none</a>", "up run none"),
        ("<a href='http://[bad'>bad</a>", "bad"),
        ("<img src=x alt='A  cat'> <img src=y>", "(A cat)"),
        ("a &amp; b &lt;c&gt; &#x5317;", "a & b <c> 北"),
        ("<dl><dt>term<dd>meaning</dl>", "term\nmeaning"),
        ("a<b>bold</b>b <i>c</i>", "aboldb c"),
        ("", ""),
    ],
)
def test_markup_becomes_markdown(html: str, text: str) -> None:
    assert read(html) == text


def test_what_is_not_content_is_left_out() -> None:
    noise = (
        "<nav>menu</nav><header>masthead</header><aside>advert</aside><footer>imprint</footer>"
        "<script>alert(1)</script><style>p{}</style><noscript>enable</noscript><template>t</template>"
        "<svg><text>s</text></svg><button>Buy</button><p hidden>h</p><p style='display : none'>d</p>"
        "<p aria-hidden=true>a</p><!-- comment -->"
    )
    text = read(noise + FILLER)
    assert text.startswith("masthead\n\nA sentence")
    assert text.endswith("content.")


def test_where_a_page_says_what_its_main_part_is_only_that_is_given() -> None:
    text = read(f"<div>Subscribe!</div><main><h1>News</h1>{FILLER}</main><div>Related</div>")
    assert text.startswith("# News")
    assert "Subscribe" not in text
    assert "Related" not in text


def test_a_main_part_that_holds_nothing_is_not_believed() -> None:
    assert "Subscribe" in read(f"<main></main><div>Subscribe!{FILLER}</div>")
    assert read("<nav>All there is</nav>") == "All there is"


def test_the_title_comes_first_unless_the_page_says_it_itself() -> None:
    assert read("words", "<title> The\n title </title>") == "# The title\n\nwords"
    assert read("<h1>The title</h1>words", "<title>The title</title>") == "# The title\n\nwords"


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 100_000 + "words",
        "<a href=x>" * 100_000 + "words",
        "<ul><li>" * 100_000 + "words",
        "<div></b>" * 100_000 + "words",
        "<b><p>" * 100_000 + "words",
    ],
)
def test_a_page_that_is_nested_without_end_is_read_without_its_tree(html: str) -> None:
    assert read(f"<script>x < y</script>{html}") in ("words", "x < y words")


@pytest.mark.parametrize(
    "html", ["<a " * 200_000, "<!--" * 200_000, "<![" * 200_000, "</" * 200_000, "\0<\0"]
)
def test_broken_markup_is_no_reason_to_fail(html: str) -> None:
    assert isinstance(read(html), str)


@pytest.mark.parametrize(
    ("body", "charset", "text"),
    [
        ("北京".encode(), "", "北京"),
        ("北京".encode("gb18030"), "gb2312", "北京"),
        ("北京".encode("utf-16"), "", "北京"),
        (b"\xef\xbb\xbfx", "latin-1", "x"),
        (b'<meta charset="windows-1252">\x80', "", '<meta charset="windows-1252">€'),
        (b"<meta http-equiv=c content='text/html; charset=koi8-r'>\xc1", "", None),
        (b"caf\xe9", "", "caf\ufffd"),
        (b"x", "no-such-charset", "x"),
        (b"x", "base64", "x"),
        (b"x", "undefined", "x"),
    ],
)
def test_bytes_become_text_by_what_server_and_page_say(body: bytes, charset: str, text: str | None) -> None:
    assert decoded(body, charset) == (text if text is not None else decoded(body, "koi8-r"))
