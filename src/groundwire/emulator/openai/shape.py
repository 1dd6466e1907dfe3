"""Which scenarios change the shape of a Responses stream, and into what.

A table from scenario name to a change of `Shape`; the catalogue of scenarios lists the same names
with the sentence given here, so a shape cannot exist without being listed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from groundwire.emulator.openai.stream import Shape

FAILURES: Final[dict[str, str]] = {
    "rate_limit_exceeded": "Rate limit reached for this model. Please try again in 350ms.",
    "context_length_exceeded": "Your input exceeds the context window of this model.",
    "insufficient_quota": "You exceeded your current quota, please check your plan and billing details.",
    "usage_not_included": "Your plan does not include Codex.",
    "server_is_overloaded": "Our servers are currently overloaded. Please try again later.",
    "slow_down": "Please slow down and try again later.",
    "invalid_prompt": "Your prompt was flagged as potentially violating our usage policy.",
    "cyber_policy": "This request was refused under the cyber policy.",
    "server_error": "An error occurred while processing your request.",
}
"""Codes of `response.failed` and the words that come with them."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a scenario does to the shape of a stream, and the sentence it is listed with."""

    about: str
    fields: Mapping[str, Any]


def _change(about: str, **fields: Any) -> Change:
    return Change(about, fields)


def _error(code: str) -> dict[str, str]:
    return {"code": code, "message": FAILURES[code]}


SHAPES: Final[dict[str, Change]] = {
    "full-output": _change("response.completed repeats every output item", output_in_completed=True),
    "empty-output-field": _change("response.completed has output: []", output_in_completed=False),
    "deltas-only": _change("the message exists only as deltas; no output_item.done", items_done=False),
    "items-only": _change("the message exists only in output_item.done; no deltas", deltas=False),
    "completed-only": _change(
        "the message exists only in response.completed",
        items_done=False,
        deltas=False,
        output_in_completed=True,
    ),
    "no-completed": _change("the stream ends properly but without response.completed", ending="cut"),
    "done-event": _change("the last event is called response.done", last_event="response.done"),
    "incomplete": _change("the answer stops at max_output_tokens", ending="incomplete"),
    "incomplete-filtered": _change(
        "the answer stops at a content filter", ending="incomplete", incomplete_reason="content_filter"
    ),
    "error-event": _change(
        "a bare error event instead of an ending", ending="error", error=_error("server_error")
    ),
    "stream-noise": _change("comments and unknown events between the known ones", noise=True),
    **{
        f"failed-{code.replace('_', '-')}": _change(
            f"response.failed with code {code}", ending="failed", error=_error(code)
        )
        for code in FAILURES
    },
}


def shape_for(scenarios: Collection[str], finish: str, plain: Shape) -> Shape:
    """The plain shape, changed by how the turn finished and then by each scenario that names a shape."""
    shape = plain
    if finish in ("length", "filtered"):
        reason = "max_output_tokens" if finish == "length" else "content_filter"
        shape = replace(shape, ending="incomplete", incomplete_reason=reason)
    elif finish == "none":
        shape = replace(shape, ending="cut")
    for name in scenarios:
        if name in SHAPES:
            shape = replace(shape, **SHAPES[name].fields)
    return shape
