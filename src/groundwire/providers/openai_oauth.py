"""ChatGPT's models by a ChatGPT sign-in: the Codex backend, a forced `web_search`, a streamed answer.

The backend always streams, keeps nothing, and cites by links in the text; what it accepts and refuses
is undocumented, so every quirk below was seen on the wire of real clients.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from groundwire.address import with_path
from groundwire.citations import GroundedAnswer
from groundwire.errors import OpenAISearchFailed
from groundwire.providers.base import (
    ByContent,
    Question,
    Reader,
    WholeBodyReader,
    broke_off,
    preferences,
)
from groundwire.providers.foreign_json import decoded, quoted, told
from groundwire.providers.links import grounded
from groundwire.providers.patience import in_words, when_to_retry
from groundwire.providers.responses_api import Outcome, ResponsesStream, from_object, noted
from groundwire.transport.base import Request
from groundwire.transport.retry import Refusal, error_object

DEFAULT_BASE_URL = "https://chatgpt.com/backend-api/codex"
DEFAULT_MODELS = ("gpt-5.6-luna", "gpt-5.5")

INSTRUCTIONS = (
    "You answer one web search query. Search the web first, then answer briefly from what you found. "
    "Put a markdown link to the page right after each statement it supports. Do not number the links "
    "and do not add a list of sources."
)

_BROKE_OFF = "ChatGPT's answer broke off: the stream closed before response.completed."
_SIGN_IN = "Sign in again: groundwire login openai, codex login, or opencode auth login."
_WORDS_FOR_CODE = {
    "rate_limit_exceeded": "ChatGPT is asking for a pause",
    "usage_limit_reached": "The usage limit of the ChatGPT plan is reached",
    "usage_not_included": "The ChatGPT plan does not include Codex",
    "insufficient_quota": "The account has no quota left",
    "context_length_exceeded": "The query is too long for the model",
    "server_is_overloaded": "ChatGPT is overloaded",
    "slow_down": "ChatGPT is overloaded",
    "invalid_prompt": "ChatGPT does not accept this query",
}


class OpenAIOAuth:
    """The provider `openai_oauth`."""

    label = "ChatGPT"
    failed = OpenAISearchFailed

    def __init__(self, *, base_url: str = DEFAULT_BASE_URL, model: str | None = None) -> None:
        self._base_url = with_path(base_url, "/backend-api/codex")
        self.models = (model.removeprefix("openai/"),) if model else DEFAULT_MODELS

    def ask(self, question: Question) -> Request:
        """A streamed request that must search before it answers."""
        # Without a location the backend takes the United States for granted.
        location = {"type": "approximate"} | ({"country": question.region} if question.region else {})
        body: dict[str, Any] = {
            "model": question.model,
            "instructions": f"{INSTRUCTIONS} {preferences(question)}".strip(),
            "input": [
                {
                    "type": "message",
                    "role": "user",
                    "content": [{"type": "input_text", "text": question.query}],
                }
            ],
            "tools": [{"type": "web_search", "external_web_access": True, "user_location": location}],
            "tool_choice": {"type": "web_search"},
            "include": ["web_search_call.action.sources"],
            "reasoning": {"effort": "low"},
            "store": False,
            "stream": True,
        }
        return Request(
            "POST",
            f"{self._base_url}/responses",
            {"content-type": "application/json", "accept": "text/event-stream", "originator": "groundwire"},
            msgspec.json.encode(body),
        )

    def reader(self, question: Question) -> Reader:
        """Reads the event stream; a plain JSON body (some proxies gather the stream) as well."""
        return ByContent(
            events=StreamReader(keep_raw=question.raw),
            whole=WholeBodyReader(lambda body: _whole(body, keep_raw=question.raw)),
        )

    def refused(self, refusal: Refusal) -> OpenAISearchFailed:
        """What an error status of the backend means for the person who asked."""
        words, status = told(refusal.body), refusal.status
        error = error_object(refusal.body)
        kind = str(error.get("type") or error.get("code") or "")
        if kind == "usage_limit_reached":  # sent as 429, by some proxies as 404
            return OpenAISearchFailed(
                f"The usage limit of the ChatGPT plan is reached{_plan(error)}.", hint=_reset(error)
            )
        if kind == "usage_not_included":
            return OpenAISearchFailed(
                f"The ChatGPT plan does not include Codex{_plan(error)}: {words}",
                hint="Use another provider.",
            )
        if status == 403 and "html" in refusal.headers.get("content-type", ""):
            return OpenAISearchFailed(
                "Cloudflare stopped the request before it reached ChatGPT (403).",
                hint="This happens on server addresses and VPNs: try another network or another provider.",
            )
        if status in (401, 403):
            return OpenAISearchFailed(f"ChatGPT refused the sign-in ({status}): {words}", hint=_SIGN_IN)
        if status == 400 and "model" in words and "not supported" in words:
            return OpenAISearchFailed(
                f"ChatGPT does not offer this model: {words}",
                hint="Choose one with provider.openai.options.websearch.model or --model.",
                model_at_fault=True,
            )
        if status == 429 or status >= 500:
            return OpenAISearchFailed(
                f"ChatGPT is not answering ({status}): {words}", hint=when_to_retry(refusal)
            )
        return OpenAISearchFailed(f"ChatGPT did not accept the request ({status}): {words}")


def _plan(error: dict[str, Any]) -> str:
    plan = error.get("plan_type")
    return f" (plan: {quoted(plan)})" if isinstance(plan, str) and plan else ""


def _reset(error: dict[str, Any]) -> str:
    seconds, at = error.get("resets_in_seconds"), error.get("resets_at")
    if isinstance(seconds, int | float):
        return f"It resets in {in_words(seconds)}; use another provider meanwhile."
    if isinstance(at, int | float) and 0 < at < 1e11:
        moment = f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}"
        return f"It resets at {moment} UTC; use another provider meanwhile."
    return "Use another provider until it resets."


class StreamReader:
    """Reads the backend's event stream."""

    def __init__(self, *, keep_raw: bool = False) -> None:
        self._stream = ResponsesStream()
        self._keep_raw = keep_raw
        self._unshown = ""

    def feed(self, chunk: bytes) -> str:
        """The text to show after this chunk; none before a search: answers from memory are thrown away."""
        self._unshown += self._stream.feed(chunk)
        if not self._stream.has_searched:
            return ""
        shown, self._unshown = self._unshown, ""
        return shown

    def rest(self) -> str:
        """The text still held back when the stream ended."""
        rest = self._stream.rest()
        return self._unshown + rest if self._stream.has_searched else ""

    def finish(self) -> GroundedAnswer:
        """The answer, if the backend searched and came to an end."""
        return judged(self._stream.outcome(), keep_raw=self._keep_raw)


def _whole(body: bytes, *, keep_raw: bool) -> GroundedAnswer:
    response = decoded(body)
    if not isinstance(response, dict):
        if broke_off(body):
            raise OpenAISearchFailed(_BROKE_OFF, hint="Try again.")
        raise OpenAISearchFailed(
            f"ChatGPT's answer is neither events nor JSON: {quoted(body[:200].decode('utf-8', 'replace'))}",
            hint="A proxy may stand in between: check GROUNDWIRE_CODEX_BASE_URL.",
        )
    return judged(from_object(response), keep_raw=keep_raw)


def judged(outcome: Outcome, *, keep_raw: bool = False) -> GroundedAnswer:
    """The answer in an outcome, or the reason there is none."""
    if outcome.error_code or outcome.error:
        words = _WORDS_FOR_CODE.get(outcome.error_code, "ChatGPT failed")
        detail = outcome.error or outcome.error_code
        raise OpenAISearchFailed(f"{words}: {detail}")
    if outcome.malformed and outcome.cut:
        raise OpenAISearchFailed(
            f"ChatGPT sent an event that is not JSON: {quoted(outcome.malformed)}", hint="Try again."
        )
    if outcome.cut:
        raise OpenAISearchFailed(_BROKE_OFF, hint="Try again.")
    has_text = any(part.text.strip() for part in outcome.parts)
    if not has_text and (outcome.incomplete or outcome.refusal):
        reason = outcome.refusal or outcome.incomplete
        raise OpenAISearchFailed(f"ChatGPT gave no answer: {quoted(reason)}", hint="Rephrase the query.")
    if not has_text and not outcome.searches:
        raise OpenAISearchFailed(
            "ChatGPT gave no answer: its output is empty.", hint="Try again.", model_at_fault=True
        )
    if not outcome.searches:
        raise OpenAISearchFailed(
            "ChatGPT answered from memory without searching the web, so nothing it said can be cited.",
            hint="Try again, or choose another model.",
            model_at_fault=True,
        )
    answer = grounded(outcome.parts, outcome.consulted, raw={"output": outcome.items} if keep_raw else None)
    return noted(answer, outcome)
