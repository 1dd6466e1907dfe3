"""What the emulated Gemini API refuses, in the words of the real one."""

from __future__ import annotations

from typing import Any

import pytest

from groundwire.emulator.google import fields
from groundwire.emulator.google.rules import (
    AFTER_CALL_RULE,
    BEFORE_CALL_RULE,
    COUNT_RULE,
    NAME_RULE,
    Rulebook,
)

PATH = "/v1beta/models/gemini-2.5-flash:generateContent"
GEMINI_3 = "/v1beta/models/gemini-3-pro-preview:generateContent"


def function(name: str = "f", **more: Any) -> dict[str, Any]:
    return {"functionDeclarations": [{"name": name, **more}]}


def parameters(**properties: Any) -> dict[str, Any]:
    return function(parameters={"type": "OBJECT", "properties": properties})


def said(role: str, *parts: Any) -> dict[str, Any]:
    return {"role": role, "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


CALL = {"functionCall": {"name": "f", "args": {}}}
RESULT = {"functionResponse": {"name": "f", "response": {"output": "x"}}}
UNKNOWN = "Invalid JSON payload received. Unknown name "

REFUSED = {
    "no contents": ({}, "* GenerateContentRequest.contents: contents is not specified\n"),
    "no parts": (
        {"contents": [{"role": "user", "parts": []}]},
        "* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.\n",
    ),
    "an empty part": (
        {"contents": [said("user", {})]},
        "* GenerateContentRequest.contents[0].parts[0].data: "
        "required oneof field 'data' must have one initialized field\n",
    ),
    "a role of another API": (
        {"contents": [said("assistant", "x")]},
        "Please use a valid role: user, model.",
    ),
    "an unknown field": ({"message": "x"}, f'{UNKNOWN}"message": Cannot find field.'),
    "an unknown field inside": (
        {"contents": [{"role": "user", "content": "x"}]},
        f"{UNKNOWN}\"content\" at 'contents[0]': Cannot find field.",
    ),
    "a list for one value": (
        {"contents": [said("user", {"text": ["x"]})]},
        f"{UNKNOWN}\"text\" at 'contents[0].parts[0]': Proto field is not repeating, cannot start list.",
    ),
    "a number for a text": (
        {"contents": [said("user", {"text": 5})]},
        "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 5",
    ),
    "text for a message": (
        {"contents": "hi"},
        "Invalid value at 'contents[0]' "
        '(type.googleapis.com/google.ai.generativelanguage.v1beta.Content), "hi"',
    ),
    "search with functions": (
        {"contents": [said("user", "x")], "tools": [{"googleSearch": {}}, function()]},
        "Multiple tools are supported only when they are all search tools.",
    ),
    "search with functions in one tool": (
        {"contents": [said("user", "x")], "tools": [{"google_search": {}, **function()}]},
        "Multiple tools are supported only when they are all search tools.",
    ),
    "a bad function name": (
        {"contents": [said("user", "x")], "tools": [function("1 bad")]},
        f"* GenerateContentRequest.tools[0].function_declarations[0].name: {NAME_RULE}\n",
    ),
    "a function twice": (
        {"contents": [said("user", "x")], "tools": [function("f"), function("f")]},
        "Duplicate function declaration found: f",
    ),
    "a string format": (
        {"contents": [said("user", "x")], "tools": [parameters(url={"type": "string", "format": "uri"})]},
        "* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[url].format: "
        "only 'enum' and 'date-time' are supported for STRING type\n",
    ),
    "a schema declaration": (
        {"contents": [said("user", "x")], "tools": [function(parameters={"$schema": "x", "type": "object"})]},
        f"{UNKNOWN}\"$schema\" at 'tools[0].function_declarations[0].parameters': Cannot find field.",
    ),
    "additional properties": (
        {
            "contents": [said("user", "x")],
            "tools": [parameters(o={"type": "OBJECT", "additionalProperties": False})],
        },
        f'{UNKNOWN}"additionalProperties" at '
        "'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.",
    ),
    "an array without items": (
        {"contents": [said("user", "x")], "tools": [parameters(a={"type": "ARRAY"})]},
        "* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[a].items: "
        "missing field.\n",
    ),
    "a required property nobody defines": (
        {
            "contents": [said("user", "x")],
            "tools": [
                function(
                    parameters={"type": "OBJECT", "properties": {"a": {"type": "STRING"}}, "required": ["b"]}
                )
            ],
        },
        "* GenerateContentRequest.tools[0].function_declarations[0].parameters.required[0]: "
        "property is not defined\n",
    ),
    "a response without a call": ({"contents": [said("user", RESULT)]}, AFTER_CALL_RULE),
    "too few responses": (
        {"contents": [said("user", "x"), said("model", CALL, CALL), said("user", RESULT)]},
        COUNT_RULE,
    ),
    "a call that nobody answers": (
        {"contents": [said("user", "x"), said("model", CALL), said("user", "and?")]},
        COUNT_RULE,
    ),
    "a call at the beginning": ({"contents": [said("model", CALL), said("user", RESULT)]}, BEFORE_CALL_RULE),
}


@pytest.mark.parametrize(("request_body", "message"), REFUSED.values(), ids=REFUSED)
async def test_it_refuses(ask: Any, request_body: Any, message: str) -> None:
    heard = await ask("POST", PATH, request_body)
    assert heard.status == 400
    assert heard.json["error"]["message"] == message
    assert heard.json["error"]["status"] == "INVALID_ARGUMENT"


ACCEPTED = {
    "fields in snake case": {
        "contents": [said("user", "x")],
        "system_instruction": {"parts": [{"text": "s"}]},
        "generation_config": {
            "thinking_config": {"include_thoughts": True, "thinking_budget": 1},
            "top_p": 1,
        },
        "tools": [{"function_declarations": [{"name": "f"}]}],
        "tool_config": {"function_calling_config": {"mode": "auto"}},
    },
    "a single value for a list": {"contents": said("user", "x")},
    "no role": {"contents": [{"parts": [{"text": "x"}]}]},
    "any JSON schema where it is allowed": {
        "contents": [said("user", "x")],
        "tools": [
            function(
                parametersJsonSchema={
                    "$schema": "http://json-schema.org/draft-07/schema#",
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"url": {"type": "string", "format": "uri"}},
                }
            )
        ],
    },
    "two user entries in a row": {"contents": [said("user", "x"), said("user", "y")]},
    "responses in entries of their own": {
        "contents": [said("user", "x"), said("model", CALL, CALL), said("user", RESULT), said("user", RESULT)]
    },
    "text after responses": {
        "contents": [
            said("user", "x"),
            said("model", "I call", CALL),
            said("user", RESULT),
            said("user", "go on"),
        ]
    },
    "an answer kept chunk by chunk": {
        "contents": [said("user", "x"), said("model", "I"), said("model", CALL), said("user", RESULT)]
    },
    "nulls": {"contents": [said("user", "x")], "tools": None, "toolConfig": None},
}


@pytest.mark.parametrize("request_body", ACCEPTED.values(), ids=ACCEPTED)
async def test_it_accepts(ask: Any, request_body: Any) -> None:
    heard = await ask("POST", PATH, request_body)
    assert heard.status == 200, heard.json


async def test_every_violation_is_listed_at_once(ask: Any) -> None:
    heard = await ask("POST", PATH, {"contents": [said("user", "x")], "one": 1, "two": 2})
    details = heard.json["error"]["details"]
    assert [violation["description"] for violation in details[0]["fieldViolations"]] == [
        f'{UNKNOWN}"one": Cannot find field.',
        f'{UNKNOWN}"two": Cannot find field.',
    ]


async def test_gemini_3_wants_its_thought_signature_back(ask: Any, user: Any) -> None:
    first = await ask("POST", GEMINI_3, user("[[scenario:tool-call]] x", tools=[function()]))
    content = first.json["candidates"][0]["content"]
    assert content["parts"][0]["thoughtSignature"]
    history = [said("user", "x"), content, said("user", RESULT)]
    assert (await ask("POST", GEMINI_3, {"contents": history})).status == 200

    del content["parts"][0]["thoughtSignature"]
    heard = await ask("POST", GEMINI_3, {"contents": history})
    assert heard.status == 400
    assert "missing a thought_signature" in heard.json["error"]["message"]
    assert "`default_api:f` , position 2" in heard.json["error"]["message"]

    content["parts"][0]["thoughtSignature"] = "bm90IG91cnM="
    assert (await ask("POST", GEMINI_3, {"contents": history})).json["error"]["message"] == (
        "Corrupted thought signature."
    )
    content["parts"][0]["thoughtSignature"] = "skip_thought_signature_validator"
    assert (await ask("POST", GEMINI_3, {"contents": history})).status == 200


async def test_older_models_do_not_ask_for_signatures(ask: Any) -> None:
    heard = await ask(
        "POST", PATH, {"contents": [said("user", "x"), said("model", CALL), said("user", RESULT)]}
    )
    assert heard.status == 200


async def test_gemini_3_does_not_check_turns_before_the_newest_user_text(ask: Any) -> None:
    history = [
        said("user", "x"),
        said("model", CALL),
        said("user", RESULT),
        said("model", "ok"),
        said("user", "y"),
    ]
    assert (await ask("POST", GEMINI_3, {"contents": history})).status == 200


def test_reading_keeps_function_arguments_as_they_are() -> None:
    arguments = {"some_key": {"inner_key": 1}, "otherKey": None}
    request = Rulebook(fields.GEMINI).read(
        {"contents": [said("user", "x"), said("model", {"function_call": {"name": "f", "args": arguments}})]},
        "GenerateContentRequest",
    )
    assert request["contents"][1]["parts"][0]["functionCall"]["args"] == arguments
