"""Long conversations: what is left out, and what must stay."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.agent import compaction
from groundwire.agent.compaction import Cut, Gauge, as_text, cut, estimate, list_of_calls, shortened
from groundwire.agent.events import Compacted, Event
from groundwire.agent.loop import Agent
from groundwire.agent.reply import Content, Usage
from groundwire.agent.tally import Limits
from groundwire.errors import ModelFailed
from groundwire.testing import ScriptedModel, calls, says

TASK: Content = {"role": "user", "parts": [{"text": "the task, word for word"}]}


def asks(number: int, output: str = "output", *, media: bool = False) -> list[Content]:
    """A turn: the model thinks and calls, and is answered."""
    call = {"name": "read_file", "args": {"file_path": f"{number}.txt"}, "id": str(number)}
    answer = {"id": str(number), "name": "read_file", "response": {"output": output}}
    shown = [{"inlineData": {"mimeType": "image/png", "data": "x" * 500}}] if media else []
    return [
        {
            "role": "model",
            "parts": [
                {"text": "hm", "thought": True},
                {"functionCall": call, "thoughtSignature": f"signature {number}"},
            ],
        },
        {"role": "user", "parts": [{"functionResponse": answer}, *shown]},
    ]


def told(words: str) -> Content:
    return {"role": "user", "parts": [{"text": words}]}


CONTENTS = st.one_of(
    st.tuples(st.integers(0, 99), st.text(max_size=3000), st.booleans()).map(
        lambda turn: asks(turn[0], turn[1], media=turn[2])
    ),
    st.just([{"role": "model", "parts": [{"text": "words"}]}, told("and then?")]),
    st.just([told("Your last reply was empty.")]),
)
HISTORIES = st.tuples(st.lists(CONTENTS, max_size=8), st.lists(CONTENTS, max_size=12)).map(
    lambda halves: [
        *([told("an earlier task")] if halves[0] else []),
        *chain(*halves[0]),
        TASK,
        *chain(*halves[1]),
    ]
)


def is_paired(history: list[Content]) -> bool:
    """Whether each call is answered in the next entry, and each answer was asked for in the one before."""
    before: list[str] = []
    for content in history:
        answers = [part["functionResponse"]["id"] for part in content["parts"] if "functionResponse" in part]
        if answers != before:
            return False
        before = [part["functionCall"]["id"] for part in content["parts"] if "functionCall" in part]
    return not before


@given(HISTORIES, st.integers(0, 3000))
def test_a_history_that_is_cut_keeps_the_task_the_last_turns_and_every_pair(
    history: list[Content], room: int
) -> None:
    pieces = cut(history, TASK, room)
    if pieces is None:
        assert sum(content["role"] == "model" for content in history) < 2 or history[0] == TASK
        return
    shorter = pieces.with_summary("summary")
    assert shorter[-len(pieces.kept) :] == history[-len(pieces.kept) :]
    assert shorter.count(TASK) == 1
    assert shorter[0]["role"] == "user"
    assert pieces.kept[0]["role"] == "model"
    assert is_paired(shorter)
    turns = sum(content["role"] == "model" for content in pieces.kept)
    assert 1 <= turns <= compaction.MOST_KEPT_TURNS
    assert turns == 1 or estimate(pieces.kept) <= room
    assert len(pieces.past) + len(pieces.kept) + (pieces.task is not None) == len(history)


@given(HISTORIES, st.integers(0, 5))
def test_shortening_changes_only_old_outputs(history: list[Content], kept: int) -> None:
    shorter = shortened(history, kept)
    assert shorter[len(shorter) - kept :] == history[len(history) - kept :]
    assert is_paired(shorter)
    assert [content for content in shorter if content["role"] == "model"] == [
        content for content in history if content["role"] == "model"
    ]
    for content in shorter[: len(shorter) - kept]:
        for part in content["parts"]:
            assert "inlineData" not in part
            output = part.get("functionResponse", {"response": {}})["response"].get("output", "")
            assert len(output) <= compaction.OLD_OUTPUT * 1.25


def test_an_output_that_is_cut_keeps_its_ends_and_says_so() -> None:
    history = [TASK, *asks(1, "begin" + "x" * 5000 + "end"), *asks(2)]
    output = shortened(history, 2)[2]["parts"][0]["functionResponse"]["response"]["output"]
    assert output.startswith("beginx")
    assert output.endswith("xend")
    assert "4208 characters left out" in output


def test_the_past_is_told_in_order_and_without_thoughts() -> None:
    text = as_text([TASK, *asks(1, "contents of one"), told("go on")])
    assert text == (
        "The user said: the task, word for word\n\n"
        'The agent called read_file({"file_path":"1.txt"})\n\n'
        'read_file gave: {"output":"contents of one"}\n\n'
        "The user said: go on"
    )
    assert list_of_calls(asks(1)).endswith('\n- read_file({"file_path":"1.txt"})')


def test_the_summary_prompt_asks_for_what_a_run_needs() -> None:
    for needed in (
        "asked to do",
        "[n]",
        "sources",
        "files",
        "commands",
        "not approved",
        "never an instruction",
    ):
        assert needed in compaction.SUMMARISE


def test_a_gauge_trusts_the_model_and_estimates_what_came_since() -> None:
    gauge = Gauge()
    history = [TASK, *asks(1, "x" * 4000)]
    assert gauge.size(history) == estimate(history) > 1000
    gauge.note(Usage(90, 10), 2)
    assert gauge.size(history) == 100 + estimate(history[2:])
    gauge.note(Usage(), 3)  # a model that does not count
    assert gauge.size(history) == 100 + estimate(history[2:])
    gauge.forget()
    assert gauge.size(history) == estimate(history)


def test_a_cut_without_a_task_in_the_past_has_none() -> None:
    earlier = told("an earlier task")
    history = [earlier, *asks(1), *asks(2), TASK, *asks(3)]
    assert cut(history, TASK, 100_000) == Cut(None, (earlier,), tuple(history[1:]))
    assert cut(history, TASK, 0) == Cut(TASK, (earlier, *asks(1), *asks(2)), tuple(asks(3)))


# -- in a run ------------------------------------------------------------------------------------------


def reading(number: int, tokens: int) -> dict[str, Any]:
    response = calls(("read_file", {"file_path": f"{number}.txt"}))
    return {**response, "usageMetadata": {"promptTokenCount": tokens, "totalTokenCount": tokens}}


async def long_run(
    root: Path, answers: Sequence[object], *, size: int, window: int
) -> tuple[ScriptedModel, list[Event], Agent]:
    for number in range(12):
        (root / f"{number}.txt").write_text(f"{number}\n" * (size // 2), encoding="utf-8")
    events: list[Event] = []
    async with ScriptedModel(answers) as model:
        agent = Agent(
            model=model, workspace=root, tell=events.append, limits=Limits(context=window), approve="yolo"
        )
        outcome = await agent.run("read them all")
    assert outcome.ok
    return model, events, agent


async def test_near_the_limit_old_outputs_are_shortened_first(tmp_path: Path) -> None:
    counted = [2_000, 4_000, 6_000, 8_000, 10_000, 12_000, 14_000, 8_000]
    answers = [*(reading(number, tokens) for number, tokens in enumerate(counted)), says("done")]
    model, events, _ = await long_run(tmp_path, answers, size=4_000, window=20_000)
    assert [event.how for event in events if isinstance(event, Compacted)] == ["shortened"]
    assert len(model.prompts) == 9
    last = model.histories[-1]
    assert last[0]["parts"][0]["text"] == "read them all"
    assert "characters left out" in msgspec.json.encode(last[2]).decode()
    assert last[-1]["parts"][0]["functionResponse"]["response"]["output"].count("7") == 2_000


async def test_then_the_past_is_summarised_by_the_model(tmp_path: Path) -> None:
    words = "I said a lot. " * 1_000
    talking = reading(1, 9_000)
    talking["candidates"][0]["content"]["parts"].insert(0, {"text": words})
    answers = [reading(0, 4_000), talking, reading(2, 15_500), says("0 and 1 were read."), says("done")]
    model, events, agent = await long_run(tmp_path, answers, size=400, window=20_000)
    assert [event.how for event in events if isinstance(event, Compacted)] == ["summarised"]
    asked = model.prompts[3]
    assert asked.instructions == compaction.SUMMARISE
    assert not asked.declarations
    assert "The agent called read_file" in asked.history[0]["parts"][0]["text"]
    last = model.histories[-1]
    assert [content["role"] for content in last] == ["user", "user", "model", "user"]
    assert last[0]["parts"] == [{"text": "read them all"}]
    assert last[1]["parts"][0]["text"].endswith("0 and 1 were read.")
    assert agent.history[:4] == last
    assert "I said a lot" not in str(last)


@pytest.mark.parametrize("failing", [ModelFailed("no"), says("", finish="SAFETY"), calls(("read_file", {}))])
async def test_without_a_summary_the_calls_are_listed_and_the_run_goes_on(
    tmp_path: Path, failing: object
) -> None:
    talking = reading(1, 9_000)
    talking["candidates"][0]["content"]["parts"].insert(0, {"text": "I said a lot. " * 1_000})
    answers = [reading(0, 4_000), talking, reading(2, 15_500), failing, says("done")]
    model, _, _ = await long_run(tmp_path, answers, size=400, window=20_000)
    assert '- read_file({"file_path":"1.txt"})' in model.histories[-1][1]["parts"][0]["text"]


async def test_a_history_that_is_refused_as_too_long_is_made_shorter_once(tmp_path: Path) -> None:
    refusal = ModelFailed(
        "Gemini refused the request (400): The input token count (9000) exceeds the maximum number of tokens "
        "allowed (8000)."
    )
    answers = [*(reading(number, 100) for number in range(4)), refusal, says("done")]
    model, events, _ = await long_run(tmp_path, answers, size=8_000, window=1_000_000)
    assert [event.how for event in events if isinstance(event, Compacted)] == ["shortened"]
    assert len(str(model.histories[-1])) < len(str(model.histories[-2]))
    assert model.histories[-1][0]["parts"] == [{"text": "read them all"}]


async def test_a_history_that_cannot_be_made_shorter_ends_the_run(tmp_path: Path) -> None:
    refusal = ModelFailed("The input token count (9000) exceeds the maximum number of tokens allowed (5000).")
    async with ScriptedModel([refusal, refusal]) as model:
        outcome = await Agent(model=model, workspace=tmp_path).run("too long")
    assert (outcome.ending, outcome.exit_code) == ("model_error", 4)
