"""The loop: how runs go, and every way in which they end."""

from __future__ import annotations

import asyncio
import os
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from groundwire.agent.approval import Proposal, Verdict
from groundwire.agent.events import CallEnded, CallStarted, Retried, TextArrived, TurnBegan
from groundwire.agent.loop import Agent
from groundwire.agent.outcome import Ending
from groundwire.agent.reply import BROKE_OFF
from groundwire.agent.tally import Limits
from groundwire.citations import failure
from groundwire.errors import ConnectFailed, GeminiSearchFailed, ModelFailed
from groundwire.testing import ScriptedModel, calls, says
from groundwire.tools.run_shell_command import Shell
from tests.unit.agent.conftest import WEATHER, run, search, told

WRITE = ("write_file", {"file_path": "a.txt", "content": "hello\n"})
READ = ("read_file", {"file_path": "a.txt"})


def nothing_in(folder: Path) -> bool:
    return list(folder.iterdir()) == []


async def test_a_task_is_done_when_the_model_stops_calling(tmp_path: Path) -> None:
    outcome, model, events = await run(tmp_path, [calls(WRITE), says("Written.")], task="write")
    assert (outcome.ending, outcome.text, outcome.turns, outcome.exit_code) == ("done", "Written.", 2, 0)
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "hello\n"
    assert model.histories[0] == [{"role": "user", "parts": [{"text": "write"}]}]
    assert [content["role"] for content in outcome.history] == ["user", "model", "user", "model"]
    assert [type(event) for event in events] == [TurnBegan, CallStarted, CallEnded, TurnBegan, TextArrived]


async def test_what_a_call_gave_is_told_under_its_id_and_name(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\n", encoding="utf-8")
    with_id = calls(READ, ("read_file", {"file_path": "missing"}))
    with_id["candidates"][0]["content"]["parts"][1]["functionCall"]["id"] = "call-2"
    _, model, _ = await run(tmp_path, [with_id, says("ok")])
    first, second = told(model, 1)
    assert first == {"functionResponse": {"name": "read_file", "response": {"output": "hello\n"}}}
    assert (second["functionResponse"]["id"], second["functionResponse"]["name"]) == ("call-2", "read_file")
    assert "File not found" in second["functionResponse"]["response"]["error"]


async def test_a_search_gives_its_llm_content_and_its_sources_are_remembered(tmp_path: Path) -> None:
    outcome, model, _ = await run(
        tmp_path, [calls(("google_web_search", {"query": "weather"})), says("Sunny.")]
    )
    response = told(model, 1)[0]["functionResponse"]["response"]
    assert response["llmContent"].startswith('Web search results for "weather":\n\nSunny.')
    assert [(one.query, one.sources) for one in outcome.searches] == [("weather", (WEATHER,))]


async def test_a_search_that_fails_is_told_to_the_model(tmp_path: Path) -> None:
    async def failing(query: str) -> Any:
        return failure(GeminiSearchFailed("Quota is used up."))

    _, model, _ = await run(
        tmp_path, [calls(("google_web_search", {"query": "x"})), says("ok")], search=failing
    )
    response = told(model, 1)[0]["functionResponse"]["response"]
    assert response == {"error": "Quota is used up. Try again later, or use another provider."}


async def test_without_a_search_none_is_declared(tmp_path: Path) -> None:
    _, model, _ = await run(tmp_path, [says("ok")], search=None)
    assert "google_web_search" not in [declared["name"] for declared in model.prompts[0].declarations]


async def test_an_image_goes_beside_its_response(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    _, model, _ = await run(tmp_path, [calls(("read_file", {"file_path": "a.png"})), says("ok")])
    response, image = told(model, 1)
    assert response["functionResponse"]["response"]["output"]
    assert image["inlineData"]["mimeType"] == "image/png"


async def test_reading_calls_of_a_turn_run_at_the_same_time(tmp_path: Path) -> None:
    meeting = asyncio.Barrier(3)

    async def meet(query: str) -> Any:
        await asyncio.wait_for(meeting.wait(), 10)
        return await search(query)

    three = [("google_web_search", {"query": str(number)}) for number in range(3)]
    outcome, model, _ = await run(tmp_path, [calls(*three), says("ok")], search=meet)
    assert outcome.ok
    heard = [part["functionResponse"]["response"]["llmContent"] for part in told(model, 1)]
    assert [f'"{number}"' in text for number, text in enumerate(heard)] == [True, True, True]


async def test_writing_calls_of_a_turn_run_in_order_with_what_stands_around_them(tmp_path: Path) -> None:
    change = ("replace", {"file_path": "a.txt", "old_string": "hello", "new_string": "bye"})
    _, model, events = await run(tmp_path, [calls(WRITE, READ, change, READ), says("ok")])
    read = [part["functionResponse"]["response"].get("output") for part in told(model, 1)]
    assert (read[1], read[3]) == ("hello\n", "bye\n")
    numbers = [event.number for event in events if isinstance(event, CallEnded)]
    assert numbers == [1, 2, 3, 4]


async def test_a_call_that_came_twice_under_one_id_is_carried_out_once(tmp_path: Path) -> None:
    twice = calls(WRITE, WRITE)
    for part in twice["candidates"][0]["content"]["parts"]:
        part["functionCall"]["id"] = "same"
    _, model, events = await run(tmp_path, [twice, says("ok")])
    assert len(told(model, 1)) == 2
    assert len([event for event in events if isinstance(event, CallStarted)]) == 1


# -- what goes wrong is told to the model ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (calls(("no_such_tool", {})), 'Tool "no_such_tool" not found'),
        (calls(("write_file", {"file_path": "a.txt"})), "content"),
        (calls(("write_file", ["a.txt"])), "object"),
        (calls(("google_web_search", {"question": "x"})), "Unknown argument(s): question"),
        (calls(("google_web_search", {"query": " "})), "cannot be empty"),
    ],
)
async def test_a_mistaken_call_is_answered_with_what_is_wrong(
    tmp_path: Path, wrong: object, words: str
) -> None:
    outcome, model, _ = await run(tmp_path, [wrong, says("ok")])
    assert words in told(model, 1)[0]["functionResponse"]["response"]["error"]
    assert outcome.ok


@pytest.mark.parametrize("finish", ["STOP", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "OTHER", None])
async def test_a_useless_reply_is_told_and_asked_for_again(tmp_path: Path, finish: str | None) -> None:
    outcome, model, events = await run(tmp_path, [says("", finish=finish), says("ok")])
    assert "Your last reply" in told(model, 1)[0]["text"]
    assert outcome.ok
    assert [type(event) for event in events][1] is Retried


async def test_calls_in_a_reply_that_broke_off_are_not_carried_out(tmp_path: Path) -> None:
    outcome, _, _ = await run(tmp_path, [calls(WRITE, finish=None), says("ok")])
    assert nothing_in(tmp_path)
    assert outcome.history[1] == {"role": "user", "parts": [{"text": BROKE_OFF.told}]}


@pytest.mark.parametrize("useless", [says(""), calls(("no_such_tool", {"n": 1}))])
async def test_only_so_many_useless_replies_in_a_row_are_borne(tmp_path: Path, useless: object) -> None:
    outcome, _, _ = await run(tmp_path, [useless] * 3, limits=Limits(retries=2))
    assert (outcome.ending, outcome.exit_code) == (Ending.MODEL_ERROR, 4)


async def test_a_good_reply_makes_up_for_useless_ones(tmp_path: Path) -> None:
    look = calls(("list_directory", {"path": "."}))
    answers = [says(""), says(""), look, says(""), says(""), says("ok")]
    assert (await run(tmp_path, answers, limits=Limits(retries=2)))[0].ok


# -- the other ways to end -------------------------------------------------------------------------------


async def test_the_turn_limit_ends_a_run(tmp_path: Path) -> None:
    different = (calls(("glob", {"pattern": str(number)})) for number in range(4))
    outcome, _, _ = await run(tmp_path, different, limits=Limits(turns=4))
    assert (outcome.ending, outcome.turns, outcome.exit_code) == (Ending.TURN_LIMIT, 4, 8)


async def test_the_token_budget_ends_a_run(tmp_path: Path) -> None:
    used = {
        **calls(("glob", {"pattern": "*"})),
        "usageMetadata": {"promptTokenCount": 60, "totalTokenCount": 70},
    }
    outcome, _, _ = await run(tmp_path, [used, used], limits=Limits(tokens=100))
    assert (outcome.ending, outcome.usage.total) == (Ending.TOKEN_BUDGET, 140)


async def test_the_same_call_with_the_same_result_again_and_again_is_a_loop(tmp_path: Path) -> None:
    again = calls(("list_directory", {"path": "."}))
    outcome, _, _ = await run(tmp_path, [again] * 3, limits=Limits(repetitions=3))
    assert (outcome.ending, outcome.reason) == (
        Ending.LOOP_DETECTED,
        "list_directory was called 3 times with the same result.",
    )


async def test_reading_again_after_a_change_is_no_loop(tmp_path: Path) -> None:
    contents = (calls(("write_file", {"file_path": "b.txt", "content": str(n)}), READ) for n in range(5))
    (tmp_path / "a.txt").write_text("same", encoding="utf-8")
    assert (await run(tmp_path, [*contents, says("ok")], limits=Limits(repetitions=3)))[0].ok


COMMAND = ("run_shell_command", {"command": "echo failed; exit 1"})


@pytest.mark.skipif(os.name != "posix", reason="commands need bash")
async def test_the_same_command_with_the_same_output_is_a_loop_unless_a_file_changed(tmp_path: Path) -> None:
    options: dict[str, Any] = {"limits": Limits(repetitions=3), "shell": Shell({"PATH": os.environ["PATH"]})}
    outcome, _, _ = await run(tmp_path, [calls(COMMAND)] * 3, **options)
    assert outcome.ending is Ending.LOOP_DETECTED
    edits = [("write_file", {"file_path": "b.txt", "content": str(number)}) for number in range(5)]
    tried = [calls(edit, COMMAND) for edit in edits]
    assert (await run(tmp_path, [*tried, says("ok")], **options))[0].ok


async def test_writing_the_same_thing_over_and_over_is_a_loop(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\n", encoding="utf-8")
    outcome, _, _ = await run(tmp_path, [calls(WRITE, READ)] * 3, limits=Limits(repetitions=3))
    assert outcome.ending is Ending.LOOP_DETECTED


async def test_a_safety_filter_ends_a_run(tmp_path: Path) -> None:
    outcome, _, _ = await run(tmp_path, [says("half a", finish="SAFETY")])
    assert (outcome.ending, outcome.text, outcome.exit_code) == (Ending.BLOCKED, "half a", 4)


@pytest.mark.parametrize(("error", "code"), [(ModelFailed("no"), 4), (ConnectFailed("down"), 5)])
async def test_a_model_that_cannot_be_asked_ends_a_run(tmp_path: Path, error: Any, code: int) -> None:
    outcome, _, _ = await run(tmp_path, [error])
    assert (outcome.ending, outcome.error, outcome.exit_code) == (Ending.MODEL_ERROR, error.code, code)


async def test_cancelling_ends_a_run_and_leaves_a_history_that_can_be_gone_on_with(tmp_path: Path) -> None:
    started = asyncio.Event()

    async def never(query: str) -> Any:
        started.set()
        await asyncio.Event().wait()

    model = ScriptedModel([calls(("google_web_search", {"query": "x"})), says("I go on.")])
    agent = Agent(model=model, workspace=tmp_path, search=never)
    running = asyncio.create_task(agent.run("first"))
    await started.wait()
    agent.cancel()
    outcome = await running
    assert (outcome.ending, outcome.exit_code) == (Ending.CANCELLED, 130)
    assert "functionResponse" in outcome.history[-1]["parts"][0]
    assert (await agent.run("second")).ok


async def test_a_cancelled_task_is_cancelled(tmp_path: Path) -> None:
    started = asyncio.Event()

    async def never(query: str) -> Any:
        started.set()
        await asyncio.Event().wait()

    model = ScriptedModel([calls(("google_web_search", {"query": "x"}))])
    running = asyncio.create_task(Agent(model=model, workspace=tmp_path, search=never).run("first"))
    await started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


# -- approval --------------------------------------------------------------------------------------------


async def test_a_person_sees_the_diff_and_a_no_changes_nothing(tmp_path: Path) -> None:
    seen: list[Proposal] = []

    def no(proposal: Proposal) -> Verdict:
        seen.append(proposal)
        return Verdict.NO

    outcome, model, _ = await run(tmp_path, [calls(WRITE, READ), says("I could not.")], approve=no)
    assert seen[0].diff.endswith("+hello\n")
    assert "did not approve" in told(model, 1)[0]["functionResponse"]["response"]["error"]
    assert nothing_in(tmp_path)
    assert (outcome.ending, outcome.text, outcome.exit_code) == (Ending.REFUSED, "I could not.", 7)


async def test_a_change_that_is_approved_later_makes_up_for_a_refused_one(tmp_path: Path) -> None:
    verdicts = iter([Verdict.NO, Verdict.YES])
    answers = [calls(WRITE), calls(WRITE), says("ok")]
    outcome, _, _ = await run(tmp_path, answers, approve=lambda proposal: next(verdicts))
    assert outcome.ok


async def test_a_change_that_would_fail_is_not_put_to_anybody(tmp_path: Path) -> None:
    bad = ("replace", {"file_path": "missing.txt", "old_string": "a", "new_string": "b"})
    outcome, model, _ = await run(
        tmp_path, [calls(bad), says("ok")], approve=lambda proposal: pytest.fail("asked")
    )
    assert "error" in told(model, 1)[0]["functionResponse"]["response"]
    assert outcome.ok


async def test_what_changed_while_the_person_thought_is_not_overwritten(tmp_path: Path) -> None:
    def slowly(proposal: Proposal) -> bool:
        (tmp_path / "a.txt").write_text("somebody else's\n", encoding="utf-8")
        return True

    _, model, _ = await run(tmp_path, [calls(WRITE), says("ok")], approve=slowly)
    assert "changed while" in told(model, 1)[0]["functionResponse"]["response"]["error"]
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "somebody else's\n"


async def test_a_plan_is_offered_no_tool_that_writes(tmp_path: Path) -> None:
    outcome, model, _ = await run(tmp_path, [calls(WRITE), says("I would write.")], approve="plan")
    names = {declared["name"] for declared in model.prompts[0].declarations}
    assert {"write_file", "replace"}.isdisjoint(names)
    assert nothing_in(tmp_path)
    assert outcome.ok


async def test_names_that_are_not_text_do_not_stop_a_run(tmp_path: Path) -> None:
    (tmp_path / "caf\udce9.txt").write_bytes(b"x")
    _, model, _ = await run(
        tmp_path, [calls(("list_directory", {"path": "."})), says("ok")], task="half \udce9"
    )
    assert "caf?.txt" in told(model, 1)[0]["functionResponse"]["response"]["output"]


async def test_a_long_run_keeps_only_its_history(tmp_path: Path) -> None:
    looks = (calls(("glob", {"pattern": str(number)})) for number in count())
    model = ScriptedModel(looks)
    agent = Agent(model=model, workspace=tmp_path, limits=Limits(turns=200))
    outcome = await agent.run("look")
    assert (outcome.turns, len(outcome.history)) == (200, 401)
