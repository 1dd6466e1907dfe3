"""OpenRouter's Responses API with web search: the `web` plugin, or its successor, the server tool.

The plugin always searches once; with the server tool the model decides, so an answer without a search
counts as failed. OpenRouter reports errors by status and, once generation began, inside a 200.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from groundwire.address import with_path
from groundwire.citations import GroundedAnswer
from groundwire.errors import OpenRouterSearchFailed
from groundwire.providers.base import (
    ByContent,
    Question,
    Reader,
    WholeBodyReader,
    broke_off,
    preferences,
)
from groundwire.providers.foreign_json import decoded, quoted, record, text, told
from groundwire.providers.links import grounded
from groundwire.providers.patience import when_to_retry
from groundwire.providers.responses_api import Outcome, ResponsesStream, from_object, noted
from groundwire.transport.base import Request
from groundwire.transport.retry import Refusal, error_object

DEFAULT_BASE_URL = "https://openrouter.ai/api/v1"
DEFAULT_MODELS = ("openai/o4-mini", "openrouter/auto")
MAX_OUTPUT_TOKENS = 9000
NO_SOURCES = "(OpenRouter named no sources for this answer.)"

WebTool = Literal["plugin", "server_tool"]


class OpenRouter:
    """The provider `openrouter`."""

    label = "OpenRouter"
    failed = OpenRouterSearchFailed

    def __init__(
        self,
        *,
        base_url: str = DEFAULT_BASE_URL,
        model: str | None = None,
        web_tool: WebTool = "plugin",
        engine: str | None = None,
        max_results: int = 3,
    ) -> None:
        self._base_url = with_path(base_url, "/api/v1")
        self.models = (model,) if model else DEFAULT_MODELS
        self._web_tool = web_tool
        self._engine = {"engine": engine} if engine else {}
        self._max_results = max_results

    def ask(self, question: Question) -> Request:
        """A request with the query and one way to search."""
        body: dict[str, Any] = {"model": question.model, "input": question.query}
        options = {**self._engine, "max_results": self._max_results}
        if self._web_tool == "plugin":
            body["plugins"] = [{"id": "web", **options}]
        else:
            if question.region:
                options |= {"user_location": {"type": "approximate", "country": question.region}}
            body["tools"] = [{"type": "openrouter:web_search", "parameters": options}]
        body["max_output_tokens"] = MAX_OUTPUT_TOKENS
        if wishes := preferences(question):
            body["instructions"] = wishes
        if question.stream:
            body["stream"] = True
        return Request(
            "POST",
            f"{self._base_url}/responses",
            {"content-type": "application/json", "x-title": "groundwire"},
            msgspec.json.encode(body),
        )

    def reader(self, question: Question) -> Reader:
        """Reads one JSON body, or the events of a stream."""
        must_search = self._web_tool == "server_tool"
        return ByContent(
            events=StreamReader(must_search=must_search, keep_raw=question.raw),
            whole=WholeBodyReader(lambda body: _whole(body, must_search=must_search, keep_raw=question.raw)),
        )

    def refused(self, refusal: Refusal) -> OpenRouterSearchFailed:
        """What an error status means for the person who asked."""
        return refused(refusal.status, error_object(refusal.body), told(refusal.body), when_to_retry(refusal))


def refused(status: int, error: dict[str, Any], words: str, patience: str) -> OpenRouterSearchFailed:
    """The failure for an error code, whether it came as a status or inside a 200."""
    metadata = record(error.get("metadata"))
    if status == 401:
        return OpenRouterSearchFailed(
            f"OpenRouter refused the API key (401): {words}",
            hint="Check it at https://openrouter.ai/keys; groundwire doctor shows where it came from.",
        )
    if status == 402:
        if metadata.get("limit_source") == "openrouter_key_limit":
            hint = "Raise this key's limit at https://openrouter.ai/keys."
        else:
            hint = "Add credits at https://openrouter.ai/credits."
        return OpenRouterSearchFailed(f"OpenRouter wants payment (402): {words}", hint=hint)
    if status == 403:
        reasons = metadata.get("reasons")
        why = f" ({quoted(', '.join(map(str, reasons)))})" if isinstance(reasons, list) and reasons else ""
        return OpenRouterSearchFailed(
            f"OpenRouter refused the query (403): {words}{why}", hint="Rephrase the query."
        )
    if status == 404 or (status == 400 and "model" in words.lower()):
        return OpenRouterSearchFailed(
            f"OpenRouter has no such model ({status}): {words}",
            hint="Choose one with provider.openrouter.options.websearch.model or --model.",
            model_at_fault=True,
        )
    if status == 429:
        who = text(metadata.get("provider_name"))
        return OpenRouterSearchFailed(
            f"OpenRouter is asking for a pause (429{', ' + quoted(who) if who else ''}): {words}",
            hint=patience,
        )
    if status >= 500 or status == 408:
        return OpenRouterSearchFailed(f"OpenRouter is not answering ({status}): {words}", hint=patience)
    return OpenRouterSearchFailed(f"OpenRouter did not accept the request ({status}): {words}")


class StreamReader:
    """Reads OpenRouter's event stream."""

    def __init__(self, *, must_search: bool, keep_raw: bool = False) -> None:
        self._stream = ResponsesStream()
        self._must_search = must_search
        self._keep_raw = keep_raw

    def feed(self, chunk: bytes) -> str:
        """The text to show after this chunk."""
        return self._stream.feed(chunk)

    def rest(self) -> str:
        """The text still held back when the stream ended."""
        return self._stream.rest()

    def finish(self) -> GroundedAnswer:
        """The answer, if there is one."""
        return judged(self._stream.outcome(), must_search=self._must_search, keep_raw=self._keep_raw)


def _whole(body: bytes, *, must_search: bool, keep_raw: bool) -> GroundedAnswer:
    response = decoded(body)
    if not isinstance(response, dict):
        if broke_off(body):
            raise OpenRouterSearchFailed("OpenRouter's answer broke off before its end.", hint="Try again.")
        raise OpenRouterSearchFailed(
            f"OpenRouter's answer is not JSON: {quoted(body[:200].decode('utf-8', 'replace'))}",
            hint="A proxy may stand in between: check OPENROUTER_BASE_URL.",
        )
    error = record(response.get("error"))
    if error and isinstance(error.get("code"), int):
        raise refused(error["code"], error, told(body), "Try again later, or use another provider.")
    return judged(from_object(response), must_search=must_search, keep_raw=keep_raw)


def judged(outcome: Outcome, *, must_search: bool, keep_raw: bool = False) -> GroundedAnswer:
    """The answer in an outcome, or the reason there is none."""
    if outcome.error_code or outcome.error:
        code = int(outcome.error_code) if outcome.error_code.isdigit() else 0
        if code:
            raise refused(code, {}, outcome.error, "Try again later, or use another provider.")
        raise OpenRouterSearchFailed(f"OpenRouter failed: {outcome.error or outcome.error_code}")
    if outcome.cut:
        if outcome.malformed:
            words = quoted(outcome.malformed)
            raise OpenRouterSearchFailed(
                f"OpenRouter sent an event that is not JSON: {words}", hint="Try again."
            )
        raise OpenRouterSearchFailed("OpenRouter's answer broke off before its end.", hint="Try again.")
    if not any(part.text.strip() for part in outcome.parts):
        reason = outcome.refusal or outcome.incomplete or "its output is empty"
        raise OpenRouterSearchFailed(
            f"OpenRouter gave no answer: {quoted(reason)}", hint="Try another model."
        )
    if must_search and not searched(outcome):
        raise OpenRouterSearchFailed(
            "The model answered from memory without searching the web, so nothing it said can be cited.",
            hint="Try again, choose another model, or set web_tool to plugin.",
            model_at_fault=True,
        )
    answer = grounded(outcome.parts, outcome.consulted, raw={"output": outcome.items} if keep_raw else None)
    return noted(answer, outcome, "" if answer.sources else NO_SOURCES)


def searched(outcome: Outcome) -> bool:
    """Whether a search took place, by any of the three signs OpenRouter gives."""
    counted = record(outcome.usage.get("server_tool_use_details")).get("web_search_requests")
    return bool(outcome.searches or counted or any(part.annotations for part in outcome.parts))
