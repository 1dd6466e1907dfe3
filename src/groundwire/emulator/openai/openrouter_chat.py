"""OpenRouter's Chat Completions form: reads the messages, writes a completion or its chunks.

Annotations are nested one level deeper than in the Responses form; in a stream they come in a chunk
of their own whose content is empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, Literal

import msgspec

from groundwire.emulator.conversation import Conversation, FunctionCall, FunctionResult, Message, Turn
from groundwire.emulator.openai.loose_json import object_in, objects_in
from groundwire.emulator.openai.phrasing import CitedAnswer
from groundwire.emulator.openai.request import insisted
from groundwire.emulator.scenarios import unmarked
from groundwire.emulator.wire import Call, Chunk, Reply, event_stream, json_reply, to_json
from groundwire.emulator.world import World

Wire = dict[str, Any]
FINISH: Final = {"stop": "stop", "length": "length", "filtered": "content_filter", "none": None}
_ROLES: Final[dict[str, Literal["user", "model", "system"]]] = {
    "user": "user",
    "assistant": "model",
    "system": "system",
    "developer": "system",
    "tool": "user",
}


def read_chat(request: Mapping[str, Any]) -> Conversation:
    """The messages of a Chat Completions request as a conversation."""
    names_by_id: dict[str, str] = {}
    messages: list[Message] = []
    for given in request["messages"]:
        message = _message(given, names_by_id)
        if message.results and messages and messages[-1].results:
            earlier = messages.pop()
            message = replace(earlier, results=earlier.results + message.results)
        messages.append(message)
    functions = list(_functions(request))
    names = tuple(function["name"] for function in functions)
    return Conversation(
        model=str(request.get("model", "")),
        messages=tuple(messages),
        functions=names,
        schemas={one["name"]: object_in(one.get("parameters")) for one in functions},
        must_call=insisted(request.get("tool_choice"), names),
        output_schema=_output_schema(request.get("response_format")),
    )


def chat_reply(
    turn: Turn, answer: CitedAnswer, request: Mapping[str, Any], call: Call, world: World
) -> Reply:
    """The turn as one completion, or as chunks when the request asks to stream."""
    said: Wire = {"role": "assistant", "content": answer.text or None, "refusal": None}
    if turn.thoughts:
        said["reasoning"] = "\n".join(turn.thoughts)
    if annotations := _annotations(answer):
        said["annotations"] = annotations
    if turn.calls:
        said["tool_calls"] = [_tool_call(index, one, world) for index, one in enumerate(turn.calls)]
    envelope = {
        "id": world.next_id("gen-"),
        "provider": "Emulator",
        "model": request.get("model"),
        "created": int(world.clock()),
        "system_fingerprint": None,
    }
    finish = "tool_calls" if turn.calls else FINISH[turn.finish]
    counts = _usage(call, answer)
    if request.get("stream"):
        chunks = _chunks(envelope, said, finish, counts, answer.delta_size)
        return replace(event_stream(chunks), wait=turn.wait)
    choice = {
        "index": 0,
        "logprobs": None,
        "finish_reason": finish,
        "native_finish_reason": finish,
        "message": said,
    }
    completion = {**envelope, "object": "chat.completion", "choices": [choice], "usage": counts}
    return replace(json_reply(completion), wait=turn.wait)


def _chunks(envelope: Wire, said: Wire, finish: str | None, counts: Wire, size: int) -> Iterator[Chunk]:
    def chunk(delta: Wire, finished: str | None = None, **more: Any) -> Chunk:
        choice = {"index": 0, "delta": delta, "finish_reason": finished, "native_finish_reason": finished}
        event = {
            **envelope,
            "object": "chat.completion.chunk",
            "choices": [{**choice, "logprobs": None}],
            **more,
        }
        return Chunk(b"data: " + to_json(event) + b"\n\n")

    text = said["content"] or ""
    yield Chunk(b": OPENROUTER PROCESSING\n\n")
    if "reasoning" in said:
        yield chunk({"role": "assistant", "content": "", "reasoning": said["reasoning"]})
    for start in range(0, len(text), size):
        yield chunk({"role": "assistant", "content": text[start : start + size]})
    if "annotations" in said:
        yield chunk({"role": "assistant", "content": "", "annotations": said["annotations"]})
    if "tool_calls" in said:
        yield chunk({"role": "assistant", "content": None, "tool_calls": said["tool_calls"]})
    yield chunk({"role": "assistant", "content": ""}, finish)
    yield chunk({"role": "assistant", "content": ""}, None, usage=counts)
    yield Chunk(b"data: [DONE]\n\n")


def _annotations(answer: CitedAnswer) -> list[Wire]:
    """All annotations, nested; those of later messages are moved behind the text of earlier ones."""
    nested: list[Wire] = []
    before = 0
    for message in answer.messages:
        for annotation in message.annotations:
            flat = annotation.to_wire(message.text)
            del flat["type"]
            if annotation.end:
                flat["start_index"] += before
                flat["end_index"] += before
            nested.append({"type": "url_citation", "url_citation": flat})
        before += len(message.text)
    return nested


def _message(given: Mapping[str, Any], names: dict[str, str]) -> Message:
    role = str(given["role"])
    content = given.get("content")
    text = content if isinstance(content, str) else _joined(content)
    if role == "tool":
        call_id = str(given.get("tool_call_id", ""))
        return Message("user", results=(FunctionResult(names.get(call_id, ""), text, call_id),))
    calls = tuple(_call(one, names) for one in objects_in(given.get("tool_calls")))
    return Message(_ROLES.get(role, "user"), unmarked(text), calls)


def _call(given: Mapping[str, Any], names: dict[str, str]) -> FunctionCall:
    function = object_in(given.get("function"))
    name, call_id = str(function.get("name", "")), str(given.get("id", ""))
    names[call_id] = name
    try:
        arguments = msgspec.json.decode(str(function.get("arguments") or "{}"), type=dict[str, Any])
    except msgspec.MsgspecError:
        arguments = {}
    return FunctionCall(name, arguments, call_id)


def _joined(parts: Any) -> str:
    return "\n".join(str(part["text"]) for part in objects_in(parts) if "text" in part)


def _functions(request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for tool in objects_in(request.get("tools")):
        function = object_in(tool.get("function"))
        if isinstance(function.get("name"), str):
            yield function


def _output_schema(form: Any) -> Mapping[str, Any] | None:
    given = object_in(form)
    if given.get("type") not in ("json_schema", "json_object"):
        return None
    return object_in(object_in(given.get("json_schema")).get("schema"))


def _tool_call(index: int, wanted: FunctionCall, world: World) -> Wire:
    function = {"name": wanted.name, "arguments": to_json(wanted.arguments).decode()}
    return {
        "index": index,
        "id": wanted.id or world.next_id("call_"),
        "type": "function",
        "function": function,
    }


def _usage(call: Call, answer: CitedAnswer) -> Wire:
    asked, said = -(-len(call.body) // 4), -(-len(answer.text) // 4)
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
