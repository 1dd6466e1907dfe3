"""Approval: what each mode allows, and what is asked."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace

import pytest

from groundwire.agent.approval import DENIED, NOBODY, READ_ONLY, Approval, Ask, Proposal, Verdict
from groundwire.errors import UsageError

CHANGE = Proposal("write_file", {"file_path": "a"}, "+a")


@pytest.mark.parametrize(
    ("mode", "objection"), [("ask", NOBODY), ("edits", ""), ("plan", READ_ONLY), ("yolo", "")]
)
async def test_each_mode_decides_about_a_change(mode: str, objection: str) -> None:
    assert await Approval(mode).objection(CHANGE) == objection


async def _later(verdict: Verdict | bool) -> Verdict | bool:
    return verdict


@pytest.mark.parametrize(
    ("answer", "objection"),
    [(Verdict.YES, ""), (True, ""), (Verdict.NO, DENIED), (False, DENIED), (Verdict.ALWAYS, "")],
)
async def test_a_callable_is_asked_and_may_take_its_time(answer: Verdict | bool, objection: str) -> None:
    def later(proposal: Proposal) -> Awaitable[Verdict | bool]:
        return _later(answer)

    callables: list[Ask] = [lambda proposal: answer, later]
    for ask in callables:
        assert await Approval(ask).objection(CHANGE) == objection


async def test_always_is_asked_once() -> None:
    asked = []

    def ask(proposal: Proposal) -> Verdict:
        asked.append(proposal)
        return Verdict.ALWAYS

    approval = Approval(ask)
    assert [await approval.objection(CHANGE), await approval.objection(CHANGE)] == ["", ""]
    assert asked == [CHANGE]


COMMAND = Proposal("run_shell_command", {}, command="make", directory="sub")
PAGE = Proposal("web_fetch", {}, pages=("https://a.example/x",))


@pytest.mark.parametrize(
    ("mode", "command", "page"),
    [
        ("ask", NOBODY, NOBODY),
        ("edits", NOBODY, NOBODY),
        ("plan", READ_ONLY, NOBODY),
        ("yolo", "", ""),
    ],
)
async def test_each_mode_decides_about_commands_and_pages(mode: str, command: str, page: str) -> None:
    assert await Approval(mode).objection(COMMAND) == command
    assert await Approval(mode).objection(PAGE) == page


@pytest.mark.parametrize(
    ("mode", "asked"),
    [("ask", [CHANGE, COMMAND, PAGE]), ("edits", [COMMAND, PAGE]), ("plan", [PAGE]), ("yolo", [])],
)
async def test_the_person_is_asked_where_the_mode_says_so(mode: str, asked: list[Proposal]) -> None:
    questions = []

    def ask(proposal: Proposal) -> bool:
        questions.append(proposal)
        return True

    approval = Approval(mode, ask)
    for proposal in (CHANGE, COMMAND, PAGE):
        await approval.objection(proposal)
    assert questions == asked


@pytest.mark.parametrize(
    ("first", "alike", "other"),
    [
        (CHANGE, replace(CHANGE, diff="+b"), COMMAND),
        (COMMAND, COMMAND, replace(COMMAND, command="make install")),
        (COMMAND, COMMAND, replace(COMMAND, directory="")),
        (COMMAND, COMMAND, CHANGE),
        (PAGE, replace(PAGE, pages=("https://a.example/y",)), replace(PAGE, pages=("https://b.example/x",))),
        (PAGE, PAGE, replace(PAGE, pages=("https://a.example/y", "https://b.example/x"))),
    ],
)
async def test_always_allows_what_is_alike_and_nothing_else(
    first: Proposal, alike: Proposal, other: Proposal
) -> None:
    verdicts = iter([Verdict.ALWAYS, Verdict.NO])
    approval = Approval(lambda proposal: next(verdicts))
    assert [await approval.objection(one) for one in (first, alike, other)] == ["", "", DENIED]


async def test_anything_else_than_a_yes_is_a_no() -> None:
    approval = Approval(lambda proposal: "sure")  # type: ignore[arg-type, return-value]
    assert await approval.objection(CHANGE) == DENIED


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(UsageError, match="no approval mode 'maybe'"):
        Approval("maybe")
