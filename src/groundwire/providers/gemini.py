"""Gemini with Google Search: one request whose only tool is `googleSearch`, an answer grounded by the API.

Gemini describes its citations in `groundingMetadata`: chunks are the library's books, segments are
sentences of the answer (in UTF-8 bytes), supports are the footnotes that join the two.
https://ai.google.dev/gemini-api/docs/google-search
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import compress, repeat
from operator import contains
from typing import Any
from urllib.parse import quote

import msgspec

from groundwire.citations import ByteCitations, ByteOffset, GroundedAnswer, Source
from groundwire.errors import GeminiSearchFailed
from groundwire.providers.base import (
    ByContent,
    Question,
    Reader,
    WholeBodyReader,
    broke_off,
    preferences,
)
from groundwire.providers.foreign_json import decoded, quoted, record, records, text, told
from groundwire.providers.patience import when_to_retry
from groundwire.transport.base import Request
from groundwire.transport.retry import Refusal
from groundwire.transport.sse import Event, EventParser

DEFAULT_BASE_URL = "https://generativelanguage.googleapis.com"
DEFAULT_MODELS = ("gemini-2.5-flash", "gemini-3-flash-preview")

_BLOCKED = frozenset({"SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY"})
_ORIGIN = "groundwire doctor shows which credential is used and where it came from."
_BROKE_OFF = "Gemini's answer broke off before its end."
_CUT_SHORT = "(The answer was cut off at the model's length limit.)"


class Gemini:
    """The provider `gemini`."""

    label = "Gemini"
    failed = GeminiSearchFailed

    def __init__(self, *, base_url: str = DEFAULT_BASE_URL, model: str | None = None) -> None:
        self._base_url = base_url.rstrip("/").removesuffix("/v1beta")
        self.models = (model,) if model else DEFAULT_MODELS

    def ask(self, question: Question) -> Request:
        """A generateContent request with the query and nothing but Google Search."""
        model = quote(question.model.removeprefix("models/"), safe="-._~")
        verb = "streamGenerateContent?alt=sse" if question.stream else "generateContent"
        body: dict[str, Any] = {
            "contents": [{"role": "user", "parts": [{"text": question.query}]}],
            "tools": [{"googleSearch": {}}],
        }
        if wishes := preferences(question):
            body["systemInstruction"] = {"parts": [{"text": wishes}]}
        return Request(
            "POST",
            f"{self._base_url}/v1beta/models/{model}:{verb}",
            {"content-type": "application/json"},
            msgspec.json.encode(body),
        )

    def reader(self, question: Question) -> Reader:
        """Reads one JSON body, or the events of a stream."""
        return ByContent(
            events=StreamReader(keep_raw=question.raw),
            whole=WholeBodyReader(lambda body: whole_answer(body, keep_raw=question.raw)),
        )

    def refused(self, refusal: Refusal) -> GeminiSearchFailed:
        """What Google's error status means for the person who asked."""
        words = told(refusal.body)
        status = refusal.status
        if status == 403 and "API key" not in words and "unregistered callers" not in words:
            return GeminiSearchFailed(f"Gemini refused access (403): {words}", hint=_ORIGIN)
        if status == 401 and "API key" not in words:
            return GeminiSearchFailed(f"Gemini refused the credential (401): {words}", hint=_ORIGIN)
        if status in (401, 403) or "API key" in words:
            return GeminiSearchFailed(
                f"Gemini refused the API key ({status}): {words}",
                hint="Check it at https://aistudio.google.com/apikey; groundwire doctor tells its origin.",
            )
        if status == 404:
            return GeminiSearchFailed(
                f"Gemini does not know the model or address (404): {words}",
                hint="Choose a model with provider.google.options.websearch.model or --model.",
                model_at_fault=True,
            )
        if status == 429:
            return GeminiSearchFailed(
                f"Gemini's quota is used up (429): {words}", hint=when_to_retry(refusal)
            )
        if status >= 500:
            return GeminiSearchFailed(
                f"Gemini is not working ({status}): {words}", hint=when_to_retry(refusal)
            )
        return GeminiSearchFailed(f"Gemini did not accept the request ({status}): {words}")


def whole_answer(body: bytes, *, keep_raw: bool = False) -> GroundedAnswer:
    """The answer in a generateContent body."""
    response = decoded(body)
    if not isinstance(response, dict):
        if broke_off(body):
            raise GeminiSearchFailed(_BROKE_OFF, hint="Try again.")
        raise GeminiSearchFailed(
            f"Gemini's answer is not JSON: {quoted(body[:200].decode('utf-8', 'replace'))}",
            hint="A proxy may stand in between: check GOOGLE_GEMINI_BASE_URL.",
        )
    said = Said()
    said.add(response)
    return said.answer(keep_raw=keep_raw)


class StreamReader:
    """Reads streamGenerateContent events."""

    def __init__(self, *, keep_raw: bool = False) -> None:
        self._events = EventParser()
        self._said = Said()
        self._keep_raw = keep_raw

    def feed(self, chunk: bytes) -> str:
        """The new text in this chunk, thoughts left out."""
        return "".join(self._take(event) for event in self._events.feed(chunk))

    def rest(self) -> str:
        """The text of an event that the stream's end completes; half an event says nothing."""
        return "".join(self._take(event) for event in self._events.close() if decoded(event.data) is not None)

    def finish(self) -> GroundedAnswer:
        """The answer, if the stream came to its end."""
        if not self._said.finish_reason and not self._said.block_reason:
            raise GeminiSearchFailed(_BROKE_OFF, hint="Try again.")
        return self._said.answer(keep_raw=self._keep_raw)

    def _take(self, event: Event) -> str:
        if event.data.strip() == "[DONE]":
            return ""
        response = decoded(event.data)
        if not isinstance(response, dict):
            raise GeminiSearchFailed(
                f"Gemini sent an event that is not JSON: {quoted(event.data[:200])}", hint="Try again."
            )
        return self._said.add(response)


class Said:
    """What Gemini has said so far, over one response or many."""

    def __init__(self) -> None:
        self.finish_reason = ""
        self.block_reason = ""
        self._parts: list[str] = []
        self._grounding: dict[str, Any] = {}

    def add(self, response: dict[str, Any]) -> str:
        """Take in one response; its new text."""
        if "error" in response:
            raise GeminiSearchFailed(f"Gemini reported an error: {told(msgspec.json.encode(response))}")
        self.block_reason = (
            text(record(response.get("promptFeedback")).get("blockReason")) or self.block_reason
        )
        candidates = records(response.get("candidates"))
        if not candidates:
            return ""
        candidate = candidates[0]
        self.finish_reason = text(candidate.get("finishReason")) or self.finish_reason
        # A stream may repeat the metadata; the last complete statement of each part of it counts.
        self._grounding |= {
            key: value for key, value in record(candidate.get("groundingMetadata")).items() if value
        }
        parts = [
            "" if part.get("thought") else text(part.get("text"))
            for part in records(record(candidate.get("content")).get("parts"))
        ]
        self._parts += parts
        return "".join(parts)

    def answer(self, *, keep_raw: bool) -> GroundedAnswer:
        """The grounded answer in all that was said."""
        said = "".join(self._parts)
        if (not said or said.isspace()) and (self.block_reason or self.finish_reason in _BLOCKED):
            raise GeminiSearchFailed(
                f"Gemini refused to answer this query ({self.block_reason or self.finish_reason}).",
                hint="Rephrase the query.",
            )
        chunks = records(self._grounding.get("groundingChunks"))
        return GroundedAnswer(
            text=said,
            citations=placed(self._parts, records(self._grounding.get("groundingSupports")), len(chunks)),
            sources=tuple(source(chunk) for chunk in chunks),
            note=_CUT_SHORT if self.finish_reason == "MAX_TOKENS" else "",
            raw=self._grounding or None if keep_raw else None,
        )


def source(chunk: dict[str, Any]) -> Source:
    """A grounding chunk as a source, its own record kept."""
    web = record(chunk.get("web"))
    return Source(title=text(web.get("title")) or None, uri=text(web.get("uri")) or None, wire=chunk)


def placed(parts: list[str], supports: list[dict[str, Any]], chunk_count: int) -> ByteCitations:
    """Citations for the supports that have a place and name chunks that exist."""
    numbers_of = cache(partial(_numbers, chunk_count=chunk_count))  # supports repeat what they cite
    try:
        # How servers write them: in a long answer there are thousands, so they are read in bulk.
        segments = [support["segment"] for support in supports]
        offsets = [segment["endIndex"] for segment in segments]
        cited = [numbers_of(tuple(support["groundingChunkIndices"])) for support in supports]
        plain = {*map(type, offsets)} <= {int} and min(offsets, default=1) > 0
        plain = plain and not any(map(contains, segments, repeat("partIndex")))
    except (KeyError, TypeError):
        plain = False
    if not plain:
        pairs = [_place(support, parts, numbers_of) for support in supports]
        offsets, cited = [pair[0] for pair in pairs if pair], [pair[1] for pair in pairs if pair]
    if not all(cited):  # nothing that exists is cited there
        offsets = list(compress(offsets, cited))
        cited = list(filter(None, cited))
    return ByteCitations("".join(parts), offsets, cited)


def _place(
    support: dict[str, Any], parts: list[str], numbers_of: Callable[[tuple[Any, ...]], tuple[int, ...]]
) -> tuple[ByteOffset, tuple[int, ...]] | None:
    """One support that may be of any form: where it stands and what it cites, or None."""
    segment, indices = record(support.get("segment")), support.get("groundingChunkIndices")
    end = segment.get("endIndex")
    if not isinstance(indices, list) or type(end) is not int or end <= 0:
        return None
    numbers = numbers_of(tuple(index for index in indices if type(index) is int))
    return ByteOffset(end + part_shift(parts, segment)), numbers


def _numbers(indices: tuple[Any, ...], *, chunk_count: int) -> tuple[int, ...]:
    """The numbers for chunk indices: those that exist, ascending, each once."""
    return tuple(sorted({index + 1 for index in indices if type(index) is int and 0 <= index < chunk_count}))


def part_shift(parts: list[str], segment: dict[str, Any]) -> int:
    """How many bytes to add to the indices of a segment that counts from its own part.

    The documentation says an index counts within the part `partIndex`; the servers count over the whole
    text. The segment's own text tells which is true.
    """
    index, start, end = segment.get("partIndex"), segment.get("startIndex", 0), segment.get("endIndex")
    quotation = text(segment.get("text")).encode("utf-8", "surrogatepass")
    if not (type(index) is int and type(start) is int and type(end) is int and quotation):
        return 0
    if not 0 < index < len(parts):
        return 0
    first = len("".join(parts[:index]).encode("utf-8", "surrogatepass"))
    own = parts[index].encode("utf-8", "surrogatepass")[start:end]
    whole = "".join(parts).encode("utf-8", "surrogatepass")[start:end]
    return first if own == quotation and whole != quotation else 0
