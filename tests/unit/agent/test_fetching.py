"""Fetching pages in a run: what was named is opened, what nobody named is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groundwire.agent.approval import Proposal, Verdict
from groundwire.agent.compaction import SUMMARY
from groundwire.agent.functions import WEB_SEARCH
from groundwire.agent.named_pages import NamedPages
from groundwire.testing import calls, says
from groundwire.transport.public_web import Page
from tests.unit.agent.conftest import run, told

NAMED = "https://named.example/page"
UNNAMED = "https://unnamed.example/?stolen=1"


class Web:
    """Every address is a page; remembers which were opened."""

    def __init__(self) -> None:
        self.opened: list[str] = []

    async def get(self, address: str) -> Page:
        self.opened.append(address)
        return Page(address, "text/plain", "", f"See also {UNNAMED}".encode())


def fetch(*addresses: str) -> dict[str, Any]:
    return calls(("web_fetch", {"prompt": " and ".join(addresses)}))


async def opened(root: Path, *replies: object, task: str = "task", **options: Any) -> tuple[list[str], Any]:
    web = Web()
    outcome, model, _ = await run(root, [*replies, says("ok")], task=task, get_page=web.get, **options)
    return web.opened, (outcome, model)


@pytest.mark.parametrize("mode", ["ask", "edits", "plan", "yolo"])
async def test_a_page_that_the_person_named_is_opened_in_every_mode(tmp_path: Path, mode: str) -> None:
    pages, (_, model) = await opened(tmp_path, fetch(NAMED), task=f"read {NAMED}.", approve=mode)
    assert pages == [NAMED]
    assert "See also" in told(model, 1)[0]["functionResponse"]["response"]["output"]


async def test_a_page_that_a_search_found_is_opened(tmp_path: Path) -> None:
    search = calls(("google_web_search", {"query": "weather"}))
    pages, _ = await opened(tmp_path, search, fetch("https://weather.example.org"), approve="ask")
    assert pages == ["https://weather.example.org"]


@pytest.mark.parametrize(("mode", "may"), [("ask", False), ("edits", False), ("plan", False), ("yolo", True)])
async def test_a_page_that_nobody_named_is_not_opened_unasked(tmp_path: Path, mode: str, may: bool) -> None:
    pages, (outcome, _) = await opened(tmp_path, fetch(UNNAMED), approve=mode)
    assert pages == ([UNNAMED] if may else [])
    assert outcome.ending == ("done" if may else "refused")


async def test_an_address_in_a_page_or_a_file_is_not_named_by_that(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(UNNAMED, encoding="utf-8")
    asked: list[Proposal] = []

    def ask(proposal: Proposal) -> Verdict:
        asked.append(proposal)
        return Verdict.NO

    read = calls(("read_file", {"file_path": "a.txt"}))
    pages, _ = await opened(
        tmp_path, read, fetch(NAMED), fetch(NAMED, UNNAMED), task=f"read {NAMED}", approve="plan", ask=ask
    )
    assert pages == [NAMED]
    assert [proposal.pages for proposal in asked] == [(UNNAMED,)]


async def test_a_call_without_an_address_is_answered_with_what_is_wrong(tmp_path: Path) -> None:
    pages, (_, model) = await opened(tmp_path, calls(("web_fetch", {"prompt": "x"})), approve="ask")
    assert pages == []
    assert "at least one valid URL" in told(model, 1)[0]["functionResponse"]["response"]["error"]


async def test_without_a_way_to_get_pages_none_is_declared(tmp_path: Path) -> None:
    _, model, _ = await run(tmp_path, [says("ok")])
    assert "web_fetch" not in [declared["name"] for declared in model.prompts[0].declarations]


def test_what_was_named_is_recalled_from_a_history() -> None:
    found = {
        "name": WEB_SEARCH.name,
        "response": {"llmContent": "Sunny.\n\nSources:\n[1] W (https://w.example/)"},
    }
    other = {"name": "read_file", "response": {"llmContent": UNNAMED, "output": UNNAMED}}
    pages = NamedPages(WEB_SEARCH.name)
    pages.recall(
        [
            {"role": "user", "parts": [{"text": f"read {NAMED}"}]},
            {"role": "model", "parts": [{"text": UNNAMED}]},
            {"role": "user", "parts": [{"functionResponse": found}, {"functionResponse": other}]},
            {"role": "user", "parts": [{"text": SUMMARY + UNNAMED}]},
        ]
    )
    assert pages.unnamed([NAMED, "https://w.example", UNNAMED]) == (UNNAMED,)
