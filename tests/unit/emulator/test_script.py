"""Scripts: steps in order, blanks filled in, strict about what was not expected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groundwire.emulator import Emulator, Script, load_script
from groundwire.emulator.conversation import Conversation, FunctionResult, Message
from groundwire.emulator.script import ScriptedCall, ScriptedError, ScriptRun, Step, When
from groundwire.errors import InvalidConfig

GEMINI = "/v1beta/models/gemini-2.5-flash:"
VERTEX = "/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-flash:"
TOKEN = {"authorization": "Bearer ya29.mine"}
TOOLS = [{"functionDeclarations": [{"name": "google_web_search"}, {"name": "write_file"}]}]


def heard_text(text: str) -> Conversation:
    return Conversation("m", (Message("user", text),), functions=("f",))


def heard_result(name: str, content: Any) -> Conversation:
    return Conversation("m", (Message("user", results=(FunctionResult(name, content),)),), functions=("f",))


async def ask_model(ask: Any, door: str, request: Any) -> Any:
    """The content of the model's answer, through one of the doors that serve Gemini."""
    if door == "gemini":
        return (await ask("POST", GEMINI + "generateContent", request)).json["candidates"][0]["content"]
    if door == "vertex":
        heard = await ask("POST", VERTEX + "generateContent", request, headers=TOKEN)
        return heard.json["candidates"][0]["content"]
    if door == "code-assist":
        wrapped = {"model": "gemini-2.5-flash", "project": "p", "request": request}
        heard = await ask("POST", "/v1internal:generateContent", wrapped, headers=TOKEN)
        return heard.json["response"]["candidates"][0]["content"]
    heard = await ask("POST", GEMINI + "streamGenerateContent?alt=sse", request)
    parts = [part for event in heard.events for part in event["candidates"][0]["content"]["parts"]]
    return {"role": "model", "parts": parts}


@pytest.mark.parametrize("door", ["gemini", "stream", "vertex", "code-assist"])
async def test_the_weather_script_searches_then_writes_the_file(asking: Any, user: Any, door: str) -> None:
    ask = asking(script="weather")
    request = user("搜索北京天气并保存到 weather.txt", tools=TOOLS)
    written = []
    for _ in range(5):
        content = await ask_model(ask, door, request)
        calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        if not calls:
            break
        result = {"output": "晴朗"} if calls[0]["name"] == "google_web_search" else {"output": "written"}
        written += [call["args"] for call in calls if call["name"] == "write_file"]
        answer = {"functionResponse": {"name": calls[0]["name"], "response": result}}
        request["contents"] += [content, {"role": "user", "parts": [answer]}]
    assert written == [{"file_path": "weather.txt", "content": "晴朗\n"}]
    assert "saved it to weather.txt" in "".join(part.get("text", "") for part in content["parts"])
    ask.emulator.check_script()


async def test_searches_and_requests_without_functions_are_not_part_of_the_story(
    asking: Any, user: Any
) -> None:
    ask = asking(script="weather")
    search = await ask("POST", GEMINI + "generateContent", user("北京天气", tools=[{"googleSearch": {}}]))
    assert search.json["candidates"][0]["groundingMetadata"]
    title = await ask("POST", GEMINI + "generateContent", user("make a title for: weather"))
    assert title.status == 200
    ask.emulator.check_script()


async def test_a_request_that_does_not_fit_is_told_what_was_expected(asking: Any, user: Any) -> None:
    ask = asking(script="weather")
    heard = await ask("POST", GEMINI + "generateContent", user("something else", tools=TOOLS))
    assert heard.status == 400
    message = heard.json["error"]["message"]
    assert "step 1 of 3 expected user text matching" in message
    assert "the newest entry says 'something else'" in message


def test_every_kind_of_expectation_has_words() -> None:
    script = Script(step=[Step(when=When(user="a")), Step(when=When(result="f", result_matches="ok"))])
    run = ScriptRun(script)
    assert run.play(heard_text("b")).failure
    assert run.play(heard_text("a")).failure is None
    assert run.play(heard_text("a")).failure
    assert run.play(heard_result("g", "ok")).failure
    assert run.play(heard_result("f", "bad")).failure
    assert run.play(heard_result("f", {"output": "ok"})).failure is None
    assert run.play(heard_text("more")).failure
    assert run.mismatches == [
        "step 1 of 2 expected user text matching /a/, but the newest entry says 'b'",
        "step 2 of 2 expected the result of f, but the newest entry says 'a'",
        "step 2 of 2 expected the result of f, but the newest entry is the result of g",
        "step 2 of 2 expected a result matching /ok/, but the newest entry is the result of f",
        "the script is at its end, but the newest entry says 'more'",
    ]


def test_unused_steps_are_reported_by_number_and_content() -> None:
    run = ScriptRun(
        Script(
            title="t",
            step=[
                Step(text="one"),
                Step(call=[ScriptedCall("f"), ScriptedCall("g")]),
                Step(error=ScriptedError(503, "busy")),
            ],
        )
    )
    run.play(heard_text("x"))
    assert run.report().splitlines() == [
        "script 't': step 2 of 3 was never asked for: call f, g",
        "script 't': step 3 of 3 was never asked for: error 503",
    ]


def test_a_loop_starts_over_for_a_new_conversation() -> None:
    run = ScriptRun(Script(loop=True, step=[Step(when=When(user="go"), text="one"), Step(text="two")]))
    assert [run.play(heard_text("go")).text for _ in range(3)] == ["one", "one", "one"]
    assert "step 2 of 2" in run.report()


def test_a_step_can_be_played_several_times() -> None:
    run = ScriptRun(Script(step=[Step(text="again", times=2), Step(text="last")]))
    assert [run.play(heard_text("x")).text for _ in range(3)] == ["again", "again", "last"]
    assert run.report() == ""


def test_blanks_are_filled_in_everywhere() -> None:
    step = Step(
        text="{{result}}!", call=[ScriptedCall("f", {"a": ["{{result}}"], "b": {"c": "<{{user}}>"}, "n": 1})]
    )
    turn = ScriptRun(Script(step=[step])).play(heard_result("f", {"llmContent": "found {{user}}"}))
    assert turn.text == "found {{user}}!"
    assert turn.calls[0].arguments == {"a": ["found {{user}}"], "b": {"c": "<>"}, "n": 1}


async def test_errors_thoughts_and_waits_are_played(asking: Any, user: Any) -> None:
    script = Script(
        step=[
            Step(error=ScriptedError(503, "busy", "OVERLOADED"), times=1),
            Step(thought=["hm", "aha"], text="done", wait=1.5, finish="length"),
        ]
    )
    ask = asking(script=script)
    first = await ask("POST", GEMINI + "generateContent", user("x"))
    assert (first.status, first.json["error"]["status"]) == (503, "UNAVAILABLE")
    assert first.json["error"]["details"][0]["reason"] == "OVERLOADED"
    second = await ask("POST", GEMINI + "generateContent", user("x"))
    assert ask.waits == [1.5]
    candidate = second.json["candidates"][0]
    assert [part["text"] for part in candidate["content"]["parts"]] == ["hm", "aha", "done"]
    assert candidate["finishReason"] == "MAX_TOKENS"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.toml", "[[step]]\ntxt = 'x'", "unknown field `txt`"),
        ("a.toml", "step = 5", "Expected `array`"),
        ("a.toml", "not toml", "is not valid"),
        ("a.json", '{"step": [{"when": {"user": "("}}]}', "bad pattern"),
        ("a.json", "{}", "missing required field `step`"),
    ],
)
def test_a_broken_script_is_reported_with_its_reason(
    tmp_path: Path, name: str, content: str, words: str
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidConfig, match=words):
        Emulator(script=path)


def test_a_missing_script_names_the_shipped_ones() -> None:
    with pytest.raises(InvalidConfig, match="weather"):
        load_script("nothing")


def test_json_scripts_are_the_same_as_toml(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('{"step": [{"text": "hi"}]}', encoding="utf-8")
    assert load_script(path) == Script(step=[Step(text="hi")])
