"""Reading a Responses request: history, tools in both places Codex puts them, what is insisted on."""

from __future__ import annotations

from typing import Any

import pytest

from groundwire.emulator.conversation import FunctionCall, FunctionResult
from groundwire.emulator.openai.client_tools import client_tools
from groundwire.emulator.openai.openrouter_chat import read_chat
from groundwire.emulator.openai.request import read_conversation, search_tool

MARKED = "[[scenario:thoughts]] weather"
TOOL = {"type": "function", "name": "look", "parameters": {"type": "object"}}


def test_a_string_is_one_user_message() -> None:
    conversation = read_conversation({"model": "m", "input": "hi", "instructions": "be brief"}, search=False)
    assert [(m.role, m.text) for m in conversation.messages] == [("system", "be brief"), ("user", "hi")]


@pytest.mark.parametrize("content", [MARKED, [{"type": "input_text", "text": MARKED}]])
def test_a_scenario_named_in_the_prompt_is_not_part_of_it(content: Any) -> None:
    message = {"role": "user", "content": content}
    assert read_conversation({"input": [message]}, search=True).prompt == "weather"
    assert read_chat({"messages": [message]}).prompt == "weather"
    assert read_conversation({"input": MARKED}, search=True).prompt == "weather"


def test_several_results_of_one_turn_are_one_entry_and_know_their_functions() -> None:
    given = [
        {"role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "call_id": "1", "name": "look", "arguments": '{"at": "sky"}'},
        {"type": "custom_tool_call", "call_id": "2", "name": "patch", "input": "text"},
        {"type": "function_call_output", "call_id": "1", "output": "blue"},
        {
            "type": "custom_tool_call_output",
            "call_id": "2",
            "output": [{"type": "input_text", "text": "done"}],
        },
    ]
    conversation = read_conversation({"input": given}, search=False)
    assert conversation.prompt == "go"
    assert conversation.messages[-2].calls == (
        FunctionCall("look", {"at": "sky"}, "1"),
        FunctionCall("patch", {"input": "text"}, "2"),
    )
    assert conversation.last.results == (
        FunctionResult("look", "blue", "1"),
        FunctionResult("patch", "done", "2"),
    )


def test_lite_requests_carry_their_tools_inside_the_input() -> None:
    functions = {
        "type": "namespace",
        "name": "functions",
        "tools": [TOOL, {"type": "custom", "name": "patch"}],
    }
    web = {"type": "namespace", "name": "web", "tools": [{"type": "function", "name": "run"}]}
    given = [{"type": "additional_tools", "role": "developer", "tools": [functions, web]}]
    tools = client_tools({"input": given})
    assert [(tool.name, tool.freeform) for tool in tools] == [
        ("look", False),
        ("patch", True),
        ("web__run", False),
    ]


def test_a_call_in_a_namespace_keeps_one_name_through_the_history() -> None:
    given = [
        {"type": "function_call", "call_id": "1", "name": "run", "namespace": "web", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": "found"},
    ]
    assert read_conversation({"input": given}, search=False).last.results[0].name == "web__run"


@pytest.mark.parametrize(
    ("choice", "must_call"),
    [
        ("auto", ()),
        ("required", ("look",)),
        ({"type": "function", "name": "look"}, ("look",)),
        ({"type": "function", "name": "other"}, ()),
        ({"type": "web_search"}, ()),
    ],
)
def test_what_a_request_insists_on_must_be_called(choice: Any, must_call: tuple[str, ...]) -> None:
    request = {"input": "hi", "tools": [TOOL], "tool_choice": choice}
    assert read_conversation(request, search=False).must_call == must_call


def test_a_wanted_json_form_and_wanted_thoughts_are_read() -> None:
    form = {"type": "json_schema", "name": "n", "schema": {"type": "object"}}
    request = {"input": "hi", "text": {"format": form}, "reasoning": {"summary": "auto"}}
    conversation = read_conversation(request, search=False)
    assert conversation.output_schema == {"type": "object"}
    assert conversation.thoughts


def test_a_search_tool_can_be_switched_off_and_is_forced_by_name() -> None:
    tools = [{"type": "web_search", "filters": {"allowed_domains": ["a.example"]}}]
    assert search_tool({"tools": tools, "tool_choice": "none"}) is None
    assert search_tool({"tools": [TOOL]}) is None
    found = search_tool({"tools": tools, "tool_choice": {"type": "web_search"}})
    assert found is not None
    assert (found.forced, found.allowed_domains) == (True, ("a.example",))


@pytest.mark.parametrize(
    "odd", [None, 5, {"a": 1}, [1, None, {"type": "message"}], [{"type": "function_call"}]]
)
def test_odd_input_is_read_without_complaint(odd: Any) -> None:
    assert read_conversation({"input": odd, "tools": odd}, search=False).functions == ()
