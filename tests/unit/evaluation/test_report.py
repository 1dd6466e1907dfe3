"""The report: what it counts, what it compares, and that it needs nothing but itself."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from groundwire.evaluation.report import report_page
from groundwire.evaluation.results import Key, Result, Status
from groundwire.evaluation.sandbox.isolated import Stopped
from groundwire.evaluation.summary import Course, compared, course_of, summarised
from groundwire.evaluation.transcript import transcript_page


def result(
    task: str, toolset: str, *, resolved: bool = True, model: str = "gemini-3-pro", **more: object
) -> Result:
    status = Status.RESOLVED if resolved else Status.UNRESOLVED
    fields: dict[str, object] = {"turns": 5, "calls": 4, "edits": 1, "status": status, **more}
    return Result(key=Key(task, toolset, model), **fields)  # type: ignore[arg-type]


RESULTS = [
    result("a", "gemini", tokens_given=900, tokens_made=100, cost=0.5),
    result(
        "a", "legacy", resolved=False, turns=9, edit_failures=1, tool_errors={"edit_no_occurrence_found": 2}
    ),
    result("b", "gemini", turns=7, edit_failures=1),
    result("b", "legacy", turns=7),
    result("c", "gemini", resolved=False),
    result("c", "legacy", resolved=False),
]


def test_pairs_are_the_same_task_with_the_same_model() -> None:
    pair = compared(
        "gemini", "legacy", [*RESULTS, result("d", "gemini"), result("a", "legacy", model="other")]
    )
    assert (pair.pairs, pair.both, pair.neither) == (3, 1, 1)
    assert [key.task for key in pair.only_first] == ["a"]
    assert pair.only_second == ()
    assert pair.p_value == 1.0
    assert pair.resolved.estimate == pytest.approx(1 / 3)
    assert pair.turns.estimate == pytest.approx((5 - 9 + 7 - 7 + 5 - 5) / 3)


def test_a_summary_counts_what_happened() -> None:
    one = summarised([result for result in RESULTS if result.key.toolset == "legacy"])
    assert (one.attempts, one.resolved_count, one.edit_failures, one.edits) == (3, 1, 1, 3)
    assert one.tool_errors == {"edit_no_occurrence_found": 2}
    assert one.turns == 7
    assert one.cost is None


def test_what_could_not_be_made_is_counted_as_that_and_nowhere_else() -> None:
    missing = result("d", "gemini", status=Status.ERROR, turns=0, edits=0, cost=0.25, reason="no quota")
    with_it, without = [*RESULTS, missing, result("d", "legacy")], [*RESULTS, result("d", "legacy")]
    assert compared("gemini", "legacy", with_it) == compared("gemini", "legacy", without)
    one = summarised([made for made in with_it if made.key.toolset == "gemini"])
    other = summarised([made for made in without if made.key.toolset == "gemini"])
    assert (one.errors, other.errors) == (1, 0)
    assert (one.attempts, one.resolved, one.turns) == (other.attempts, other.resolved, other.turns)
    assert (one.cost, other.cost) == (0.75, 0.5), "what was spent was spent"
    assert "1 of the attempts could not be made." in report_page(with_it)
    assert "could not be made." not in report_page(without)


@pytest.mark.parametrize(
    ("made", "course"),
    [
        (result("a", "gemini", model="replay:typo", as_reference=True), Course.AT_ONCE),
        (result("a", "gemini", model="replay:typo", as_reference=True, edit_failures=1), Course.RECOVERED),
        (result("a", "gemini", model="replay:typo", as_reference=False), Course.DAMAGED),
        (result("a", "gemini", model="gemini-3-pro", as_reference=False), Course.AT_ONCE),
        (result("a", "gemini", resolved=False), Course.FAILED),
        (result("a", "gemini", status=Status.ERROR), Course.NOT_MADE),
    ],
)
def test_the_course_of_an_attempt(made: Result, course: Course) -> None:
    assert course_of(made) is course


def test_a_wrong_edit_that_nobody_refused_is_counted() -> None:
    silent = result("a", "legacy", resolved=False, model="replay:elided")
    refused = result("b", "legacy", resolved=False, model="replay:elided", edit_failures=1)
    one = summarised([silent, refused])
    assert (one.silent, one.refused, one.recovered) == (1, 1, 0)


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]


def test_the_page_needs_nothing_but_itself() -> None:
    page = report_page(RESULTS)
    links = _Links()
    links.feed(page)
    assert not links.tags & {"script", "link", "img", "iframe"}
    assert all(address.startswith("transcripts/") for address in links.addresses)
    assert len(links.addresses) == len(RESULTS)
    assert "svg" in links.tags
    assert not re.search(r"url\(|@import", page)


def test_the_page_says_what_was_compared() -> None:
    page = report_page(RESULTS)
    assert "3 pairs: the same task with the same model" in page
    assert "edit_no_occurrence_found" in page
    assert "$0.5000" in page
    assert "No language model took part" not in page


def test_a_page_of_replays_says_what_it_cannot_tell() -> None:
    made = [
        result("a", toolset, model=f"replay:{variant}", as_reference=True)
        for variant in ("exact", "typo")
        for toolset in ("gemini", "legacy")
    ]
    page = report_page(made)
    assert "No language model took part" in page
    assert "One letter wrong in a line that stays." in page
    assert "McNemar" not in page, "variants of one task are not independent"


def test_foreign_words_are_harmless() -> None:
    nasty = "<script>alert(1)</script>"
    made = result(
        "a",
        "gemini",
        status=Status.STOPPED,
        stopped=Stopped.TIME,
        reason=nasty,
        test_output=nasty,
        patch=nasty,
    )
    history: list[dict[str, Any]] = [
        {"role": "user", "parts": [{"text": nasty}]},
        {
            "role": "model",
            "parts": [{"functionCall": {"name": nasty, "args": {nasty: nasty}}}, {"text": nasty}],
        },
        {"role": "user", "parts": [{"functionResponse": {"name": "x", "response": {"error": nasty}}}]},
    ]
    for page in (report_page([made]), transcript_page(made, history)):
        assert "<script" not in page
        assert "&lt;script" in page


def test_an_empty_run_is_a_page_too() -> None:
    assert "0 attempts" in report_page([])
