"""A session shown: on the terminal, in a pipe, as a page and as JSON."""

from __future__ import annotations

import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from groundwire.agent.loop import Agent
from groundwire.agent.session_past import Past
from groundwire.agent.session_store import SessionStore
from groundwire.citations import GroundedAnswer, Source, WebSearchResult, result
from groundwire.cli.show import as_json
from groundwire.cli.show_page import page
from groundwire.cli.show_terminal import show
from groundwire.testing import ScriptedModel, calls, says

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\x1b]0;title\x07"
WORDS = (
    f"**Sunny** [1], [2] and [9]. {EVIL} ![p](https://tracker.example/p.png) [x](javascript:alert(1)) "
    "[there](https://good.example)\n\n`code [1]`"
)
SOURCES = (
    Source(title=f"Weather {EVIL}", uri="https://weather.example.org/?a=1&b=2"),
    Source(title="Bad", uri="javascript:alert(1)"),
)


async def search(query: str) -> WebSearchResult:
    return result(query, GroundedAnswer(text="Sunny.", sources=SOURCES), provider="gemini")


@pytest.fixture
async def past(tmp_path: Path) -> Past:
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "a.txt").write_text("old\n", encoding="utf-8")
    (root / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    answers = [
        calls(("google_web_search", {"query": f"q {EVIL}"}), ("read_file", {"file_path": "a.png"})),
        calls(("write_file", {"file_path": "a.txt", "content": f"new {EVIL}\n"}), (f"no{EVIL}", {EVIL: 1})),
        says("", finish="MALFORMED_FUNCTION_CALL"),
        says(WORDS),
    ]
    with SessionStore(tmp_path / "s").create(root=root, model="m") as session:
        agent = Agent(
            model=ScriptedModel(answers), workspace=root, approve="yolo", search=search, session=session
        )
        await agent.run(f"task {EVIL}")
        return session.past()


class Seen(HTMLParser):
    """The tags and the addresses of a page, and whether every tag is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.attributes: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in ("meta", "img", "br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def seen(html: str) -> Seen:
    parser = Seen()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser


def test_a_page_runs_nothing_and_loads_nothing(past: Past) -> None:
    html = page(past)
    found = seen(html)
    assert not {"script", "iframe", "link", "object", "embed", "form", "base"} & set(found.tags)
    assert not [name for name in found.attributes if name.startswith("on")]
    assert found.tags.count("img") == 1
    outside = [
        one for one in found.addresses if not one.startswith(("https://", "data:image/png;base64,", "#"))
    ]
    assert outside == []
    assert "default-src 'none'" in html
    assert "url(" not in html
    assert "@import" not in html
    assert "\x1b" not in html


def test_a_page_tells_the_whole_story(past: Past) -> None:
    html = page(past)
    for words in (
        "<strong>Sunny</strong>",
        "google_web_search",
        "MALFORMED_FUNCTION_CALL",
        "4 turns",
        ">done<",
    ):
        assert words in html
    assert "<span class=add>+new &lt;script&gt;" in html
    assert "<span class=cut>-old</span>" in html
    assert "prefers-color-scheme: dark" in html


def test_marks_on_a_page_lead_to_their_sources_when_these_are_pages(past: Past) -> None:
    html = page(past)
    link = 'href="https://weather.example.org/?a=1&amp;b=2"'
    assert re.search(rf"<a class=mark {re.escape(link)}[^>]*>1</a>, \[2\] and \[9\]\.", html)
    assert "<code>code [1]</code>" in html
    assert html.count(link) == 2


def test_in_a_pipe_a_session_is_plain_text(past: Past) -> None:
    told = io.StringIO()
    show(past, Console(file=told, highlight=False, soft_wrap=True))
    text = told.getvalue()
    assert "\x1b" not in text
    assert (
        '✓ write_file(file_path: "a.txt", content: …) → +1 -1 lines\n    @@ -1,1 +1,1 @@\n    -old\n' in text
    )
    assert "**Sunny** [1], [2] and [9]." in text
    assert "\n[1] Weather <script>" in text
    assert "\ndone (4 turns," in text


def test_on_a_terminal_marks_can_be_clicked_and_foreign_escapes_are_gone(past: Past) -> None:
    told = io.StringIO()
    show(past, Console(file=told, force_terminal=True, width=100, highlight=False))
    text = told.getvalue()
    assert "https://weather.example.org/?a=1&b=2\x1b\\" in text
    assert "]0;title" not in text
    assert "javascript:alert(1)\x1b\\" not in text


def test_json_has_every_call_and_what_it_gave(past: Past) -> None:
    told: Any = json.loads(json.dumps(as_json(past)))
    (run,) = told["runs"]
    names = [call["name"] for turn in run["turns"] for call in turn["calls"]]
    assert names[:3] == ["google_web_search", "read_file", "write_file"]
    assert run["turns"][1]["calls"][0]["diff"].endswith("\n")
    assert run["writes"][0]["path"] == "a.txt"
    assert run["searches"][0]["sources"][0]["web"]["uri"] == "https://weather.example.org/?a=1&b=2"
    assert run["outcome"]["ending"] == "done"
