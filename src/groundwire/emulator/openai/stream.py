"""The event sequence of a streamed response, in the order the real backend was recorded to send it.

`created`, `in_progress`, then for each item its own little story (`added`, progress or deltas,
`done`), then one ending. An annotation is announced right after the delta that finishes its marker.
The sequence is a pure generator of events; `frames` turns events into server-sent-event bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from groundwire.emulator.openai.items import Wire
from groundwire.emulator.wire import to_json

Ending = Literal["completed", "incomplete", "failed", "error", "cut"]


@dataclass(frozen=True, slots=True)
class Shape:
    """How a stream deviates from the plain sequence."""

    output_in_completed: bool = False
    """The last event repeats every item; the Codex backend leaves `output` empty."""
    items_done: bool = True
    """Without them a message exists only as deltas."""
    deltas: bool = True
    """Without them a message exists only in `output_item.done`."""
    delta_size: int = 24
    ending: Ending = "completed"
    error: Wire | None = None
    incomplete_reason: str = "max_output_tokens"
    last_event: str = "response.completed"
    noise: bool = False
    """Keep-alive comments and events no client knows stand between the others."""


def response_events(response: Wire, items: Sequence[Wire], finished: Wire, shape: Shape) -> Iterator[Wire]:
    """All events of a response, numbered. `response` is its beginning, `finished` what the end adds to it."""
    for number, event in enumerate(_unnumbered(response, items, finished, shape)):
        yield {**event, "sequence_number": number}


def frames(events: Iterable[Wire], *, named: bool = True, comment: bytes = b"") -> Iterator[bytes]:
    """Each event as the bytes of one server-sent event, each after a comment line when one is given."""
    for event in events:
        name = b"event: " + str(event["type"]).encode() + b"\n" if named else b""
        if comment:
            yield b": " + comment + b"\n\n"
        yield name + b"data: " + to_json(event) + b"\n\n"


def _unnumbered(response: Wire, items: Sequence[Wire], finished: Wire, shape: Shape) -> Iterator[Wire]:
    yield {"type": "response.created", "response": response}
    yield {"type": "response.in_progress", "response": response}
    if shape.noise:
        yield {"type": "codex.rate_limits", "rate_limits": {"allowed": True, "limit_reached": False}}
        yield {"type": "response.metadata", "metadata": {}}
    for index, item in enumerate(items):
        yield from _STORIES.get(item["type"], _plain)(item, index, shape)
    yield from _ending(response, items, finished, shape)


def _ending(response: Wire, items: Sequence[Wire], finished: Wire, shape: Shape) -> Iterator[Wire]:
    output = list(items) if shape.output_in_completed else []
    last = {**response, **finished, "status": shape.ending, "output": output}
    if shape.ending == "failed":
        yield {"type": "response.failed", "response": {**last, "error": shape.error}}
    elif shape.ending == "incomplete":
        details = {"reason": shape.incomplete_reason}
        yield {"type": "response.incomplete", "response": {**last, "incomplete_details": details}}
    elif shape.ending == "completed":
        yield {"type": shape.last_event, "response": last}
    elif shape.ending == "error":
        yield {"type": "error", "param": None, **(shape.error or {})}


def _search(item: Wire, index: int, shape: Shape) -> Iterator[Wire]:
    begun = {**item, "status": "in_progress", "action": {"type": item["action"]["type"]}}
    yield {"type": "response.output_item.added", "item": begun, "output_index": index}
    for step in ("in_progress", "searching", "completed"):
        yield {"type": f"response.web_search_call.{step}", "item_id": item["id"], "output_index": index}
    yield {"type": "response.output_item.done", "item": item, "output_index": index}


def _message(item: Wire, index: int, shape: Shape) -> Iterator[Wire]:
    part = item["content"][0]
    place = {"content_index": 0, "item_id": item["id"], "output_index": index}
    begun = {**item, "status": "in_progress", "content": []}
    yield {"type": "response.output_item.added", "item": begun, "output_index": index}
    yield {"type": "response.content_part.added", "part": {**part, "annotations": [], "text": ""}, **place}
    if shape.deltas:
        yield from _text_deltas(part, place, shape.delta_size)
    if shape.items_done:
        yield {"type": "response.output_text.done", "text": part["text"], "logprobs": [], **place}
        yield {"type": "response.content_part.done", "part": part, **place}
        yield {"type": "response.output_item.done", "item": item, "output_index": index}


def _text_deltas(part: Wire, place: Wire, size: int) -> Iterator[Wire]:
    text, waiting = part["text"], list(enumerate(part["annotations"]))
    for start in range(0, len(text), size):
        piece = text[start : start + size]
        yield {"type": "response.output_text.delta", "delta": piece, "logprobs": [], **place}
        last = start + size >= len(text)
        ready = [one for one in waiting if last or one[1]["end_index"] <= start + len(piece)]
        waiting = [one for one in waiting if one not in ready]
        for number, annotation in ready:
            yield {
                "type": "response.output_text.annotation.added",
                "annotation": annotation,
                "annotation_index": number,
                **place,
            }


def _reasoning(item: Wire, index: int, shape: Shape) -> Iterator[Wire]:
    begun = {**item, "summary": []}
    yield {"type": "response.output_item.added", "item": begun, "output_index": index}
    for number, part in enumerate(item["summary"]):
        place = {"item_id": item["id"], "output_index": index, "summary_index": number}
        kind = "response.reasoning_summary"
        yield {"type": f"{kind}_part.added", "part": {**part, "text": ""}, **place}
        yield {"type": f"{kind}_text.delta", "delta": part["text"], **place}
        yield {"type": f"{kind}_text.done", "text": part["text"], **place}
        yield {"type": f"{kind}_part.done", "part": part, **place}
    yield {"type": "response.output_item.done", "item": item, "output_index": index}


def _function_call(item: Wire, index: int, shape: Shape) -> Iterator[Wire]:
    yield from _typed_out(item, index, "arguments", "response.function_call_arguments")


def _custom_tool_call(item: Wire, index: int, shape: Shape) -> Iterator[Wire]:
    yield from _typed_out(item, index, "input", "response.custom_tool_call_input")


def _typed_out(item: Wire, index: int, key: str, event: str) -> Iterator[Wire]:
    place = {"item_id": item["id"], "output_index": index}
    begun = {**item, "status": "in_progress", key: ""}
    yield {"type": "response.output_item.added", "item": begun, "output_index": index}
    yield {"type": f"{event}.delta", "delta": item[key], **place}
    yield {"type": f"{event}.done", key: item[key], "name": item["name"], **place}
    yield {"type": "response.output_item.done", "item": item, "output_index": index}


def _plain(item: Wire, index: int, shape: Shape) -> Iterator[Wire]:
    begun = {**item, "status": "in_progress"}
    yield {"type": "response.output_item.added", "item": begun, "output_index": index}
    yield {"type": "response.output_item.done", "item": item, "output_index": index}


_STORIES: Final[dict[str, Callable[[Wire, int, Shape], Iterator[Wire]]]] = {
    "web_search_call": _search,
    "message": _message,
    "reasoning": _reasoning,
    "function_call": _function_call,
    "custom_tool_call": _custom_tool_call,
}
