"""The Responses API as Codex and OpenRouter speak it: events or one object in, text parts and searches out.

Truth is in `response.output_item.done`: the Codex backend leaves `response.completed.output` empty, and
deltas are reported incomplete by some. So items come, in this order, from the `done` events, else from
the completed response, else from what the deltas and annotation events add up to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from groundwire.citations import GroundedAnswer
from groundwire.providers.annotations import Annotation, read_annotation, read_annotations
from groundwire.providers.foreign_json import decoded, quoted, record, records, text, told
from groundwire.providers.links import TextPart
from groundwire.providers.live_text import LiveText
from groundwire.transport.sse import Event, EventParser

SEARCH_ITEMS = frozenset({"web_search_call", "openrouter:web_search"})
ENDINGS = frozenset({"response.completed", "response.done", "response.incomplete", "response.failed"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a response ended. `error` holds its code and message; `cut` means it did not end at all."""

    items: list[dict[str, Any]]
    error_code: str = ""
    error: str = ""
    incomplete: str = ""
    cut: bool = False
    malformed: str = ""
    usage: dict[str, Any] = field(default_factory=dict)

    @property
    def searches(self) -> list[dict[str, Any]]:
        """The web searches the model made."""
        return [item for item in self.items if item.get("type") in SEARCH_ITEMS]

    @property
    def consulted(self) -> list[str]:
        """Addresses the searches looked at; entries that are no pages (`type: api`) are passed over."""
        return [
            text(source.get("url"))
            for search in self.searches
            for source in records(record(search.get("action")).get("sources"))
        ]

    @property
    def parts(self) -> list[TextPart]:
        """The answer's text with its annotations: final messages only, when the model tells them apart."""
        messages = [item for item in self.items if item.get("type") == "message"]
        final = [message for message in messages if message.get("phase") == "final_answer"]
        parts: list[TextPart] = []
        for message in final or messages:
            if parts and parts[-1].text:
                parts.append(TextPart("\n\n"))
            parts += [
                TextPart(text(piece.get("text")), read_annotations(piece.get("annotations")))
                for piece in records(message.get("content"))
                if piece.get("type") == "output_text"
            ]
        return parts

    @property
    def refusal(self) -> str:
        """What the model said instead of answering, when it declined."""
        pieces = (
            text(piece.get("refusal"))
            for item in self.items
            for piece in records(item.get("content"))
            if piece.get("type") == "refusal"
        )
        return " ".join(piece for piece in pieces if piece)


def noted(answer: GroundedAnswer, outcome: Outcome, *notes: str) -> GroundedAnswer:
    """The answer with these notes, and one more when it is incomplete."""
    if outcome.incomplete:
        notes = (*notes, f"(The answer is incomplete: {quoted(outcome.incomplete)}.)")
    return msgspec.structs.replace(answer, note=" ".join(filter(None, [answer.note, *notes])))


def from_object(response: dict[str, Any]) -> Outcome:
    """The outcome in a whole response object."""
    error = record(response.get("error"))
    status = text(response.get("status"))
    return Outcome(
        items=records(response.get("output")),
        error_code=str(error.get("code") or error.get("type") or ("failed" if status == "failed" else "")),
        error=told(msgspec.json.encode({"error": error})) if error else "",
        incomplete=text(record(response.get("incomplete_details")).get("reason"))
        if status == "incomplete"
        else "",
        usage=record(response.get("usage")),
    )


class ResponsesStream:
    """Reads a Responses event stream: `feed` gives text to show, `outcome` what came of it."""

    def __init__(self) -> None:
        self._events = EventParser()
        self._live = LiveText()
        self._done: dict[int, dict[str, Any]] = {}
        self._deltas: list[str] = []
        self._phases: dict[Any, str] = {}
        self._showing: Any = None
        self._annotations: list[Annotation] = []
        self._ending: dict[str, Any] | None = None
        self._error: dict[str, Any] = {}
        self._malformed = ""
        self.has_searched = False

    def feed(self, chunk: bytes) -> str:
        """The text to show after this chunk."""
        return "".join(self._take(event) for event in self._events.feed(chunk))

    def rest(self) -> str:
        """The text still held back when the stream ended."""
        whole = (event for event in self._events.close() if decoded(event.data) is not None)
        shown = "".join(self._take(event) for event in whole)
        return shown + self._live.close()

    def outcome(self) -> Outcome:
        """What all events add up to, once the stream has ended and its rest was taken."""
        ended = from_object(self._ending or {})
        return Outcome(
            items=self._items(ended.items),
            error_code=str(self._error.get("code") or self._error.get("type") or ended.error_code or ""),
            error=told(msgspec.json.encode({"error": self._error})) if self._error else ended.error,
            incomplete=ended.incomplete,
            cut=self._ending is None and not self._error,
            malformed=self._malformed,
            usage=ended.usage,
        )

    def _items(self, completed: list[dict[str, Any]]) -> list[dict[str, Any]]:
        items = [self._done[index] for index in sorted(self._done)]
        for others in (completed, self._from_deltas()):
            if not any(item.get("type") == "message" for item in items):
                items += [item for item in others if item not in items]
        return items

    def _from_deltas(self) -> list[dict[str, Any]]:
        said = "".join(self._deltas)
        annotations = [
            {"url": note.url, "title": note.title, "start_index": note.start, "end_index": note.end}
            for note in self._annotations
        ]
        content = {"type": "output_text", "text": said, "annotations": annotations}
        return [{"type": "message", "content": [content]}] if said else []

    def _delta(self, wire: dict[str, Any]) -> str:
        """New text: kept in any case, shown unless its message is only a commentary."""
        delta, message = text(wire.get("delta")), wire.get("output_index")
        self._deltas.append(delta)
        if self._phases.get(message) == "commentary":
            return ""
        if self._showing not in (None, message):
            delta = f"\n\n{delta}"
        self._showing = message
        return self._live.feed(delta)

    def _take(self, event: Event) -> str:
        if event.data.strip() == "[DONE]":
            return ""
        wire = decoded(event.data)
        if not isinstance(wire, dict):
            self._malformed = self._malformed or event.data[:200]
            return ""
        kind = text(wire.get("type")) or event.name
        if kind == "response.output_text.delta":
            return self._delta(wire)
        self._note(kind, wire)
        return ""

    def _note(self, kind: str, wire: dict[str, Any]) -> None:
        """Remember what an event without text to show tells."""
        item, index = record(wire.get("item")), wire.get("output_index")
        if kind == "response.output_item.added":
            if item.get("type") == "message":
                self._phases[index] = text(item.get("phase"))
        elif kind == "response.output_item.done":
            self.has_searched = self.has_searched or item.get("type") in SEARCH_ITEMS
            self._done[index if isinstance(index, int) else len(self._done)] = item
        elif kind == "response.output_text.annotation.added":
            annotation = read_annotation(wire.get("annotation"))
            self._annotations += [annotation] if annotation else []
        elif kind in ENDINGS:
            self._ending = record(wire.get("response"))
            if kind == "response.failed" and not self._ending.get("error"):
                self._error = {"code": "failed", "message": "no reason given"}
        elif kind == "error" or (not kind.startswith("response.") and "error" in wire):
            self._error = record(wire.get("error")) or wire
