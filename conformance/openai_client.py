"""Drives the real `openai` package against the emulator: Codex and OpenRouter, streamed and not.

    python conformance/openai_client.py [--url http://127.0.0.1:PORT]

Needs only `openai` from PyPI in the Python that runs it; `--url` (or EMULATOR_URL) is a running
emulator. Prints one line per check and exits 1 when one fails.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any

import openai

CLIENT_ID = "app_EMoamEEZ73f0CkXaXp7hrann"
CALLBACK = "http://localhost:1455/auth/callback"
QUERY = "weather in Beijing"
ASKING: dict[str, Any] = {
    "model": "gpt-5.5",
    "instructions": "Search the web and cite your sources.",
    "input": [{"role": "user", "content": QUERY}],
    "tools": [{"type": "web_search"}],
    "tool_choice": {"type": "web_search"},
    "include": ["web_search_call.action.sources"],
    "store": False,
    "stream": True,
}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def access_token(url: str) -> str:
    """A bearer token, by the browser flow: authorize, read the code from the redirect, exchange it."""
    verifier = "v" * 64
    digest = hashlib.sha256(verifier.encode()).digest()
    query = {
        "response_type": "code",
        "client_id": CLIENT_ID,
        "redirect_uri": CALLBACK,
        "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
        "state": "s",
        "scope": "openid profile email offline_access",
    }
    try:
        urllib.request.build_opener(_NoRedirects).open(
            f"{url}/oauth/authorize?{urllib.parse.urlencode(query)}"
        )
        raise AssertionError("there was no redirect")
    except urllib.error.HTTPError as redirect:
        location = urllib.parse.urlsplit(redirect.headers["location"])
        redirect.close()
    fields = {
        "grant_type": "authorization_code",
        "client_id": CLIENT_ID,
        "code": urllib.parse.parse_qs(location.query)["code"][0],
        "redirect_uri": CALLBACK,
        "code_verifier": verifier,
    }
    with urllib.request.urlopen(f"{url}/oauth/token", urllib.parse.urlencode(fields).encode()) as reply:
        token: str = json.load(reply)["access_token"]
    return token


class Clients:
    """Makes clients of the package for one emulator, all signed in."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.token = access_token(url)

    def codex(self, scenario: str = "", kind: type[Any] = openai.OpenAI) -> Any:
        """A client of the Codex backend; a scenario becomes part of the base URL."""
        root = f"{self.url}/~{scenario}" if scenario else self.url
        return kind(
            base_url=f"{root}/backend-api/codex",
            api_key=self.token,
            default_headers={"chatgpt-account-id": "acct-emulator-0001"},
            max_retries=0,
        )

    def openrouter(self, scenario: str = "") -> Any:
        """A client of OpenRouter."""
        root = f"{self.url}/~{scenario}" if scenario else self.url
        return openai.OpenAI(base_url=f"{root}/api/v1", api_key="sk-or-v1-conformance", max_retries=0)


def finished_message(events: list[Any]) -> Any:
    """The message of a stream, from the event that finishes it."""
    done = [event.item for event in events if event.type == "response.output_item.done"]
    return next(item for item in reversed(done) if item.type == "message")


def check_streamed_search(clients: Clients) -> None:
    """Every event is typed; the annotations point at their links."""
    events = list(clients.codex("style-native").responses.create(**ASKING))
    assert events[0].type == "response.created"
    assert events[-1].type == "response.completed"
    assert all(type(event).__name__.startswith("Response") for event in events), {
        type(e).__name__ for e in events
    }
    part = finished_message(events).content[0]
    assert part.annotations
    for annotation in part.annotations:
        assert annotation.url in part.text[annotation.start_index : annotation.end_index]


def check_streaming_helper(clients: Clients) -> None:
    """The package's own accumulator (`responses.stream`) follows the events without complaint."""
    asking = {name: value for name, value in ASKING.items() if name not in ("stream", "tool_choice")}
    with clients.codex("style-native+full-output").responses.stream(**asking) as stream:
        for _ in stream:
            pass
        final = stream.get_final_response()
    assert "weather.example.org" in final.output_text, final


def check_async_stream(clients: Clients) -> None:
    """The same over the asynchronous client."""

    async def texts() -> str:
        async with clients.codex("style-native", openai.AsyncOpenAI) as client:
            stream = await client.responses.create(**ASKING)
            return "".join(
                [event.delta async for event in stream if event.type == "response.output_text.delta"]
            )

    assert "weather.example.org" in asyncio.run(texts())


def check_function_round(clients: Clients) -> None:
    """A function call arrives in a stream, and its result reaches the model."""
    function = {
        "type": "function",
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    }
    asking = {**ASKING, "tools": [function], "tool_choice": "required", "include": []}
    events = list(clients.codex().responses.create(**asking))
    finished = [event.item for event in events if event.type == "response.output_item.done"]
    call = next(item for item in finished if item.type == "function_call")
    assert (call.name, list(json.loads(call.arguments))) == ("get_weather", ["city"]), call
    answered = {"type": "function_call_output", "call_id": call.call_id, "output": "dry and cold"}
    asking |= {
        "input": [*ASKING["input"], call.model_dump(exclude_none=True), answered],
        "tool_choice": "auto",
    }
    text = finished_message(list(clients.codex().responses.create(**asking))).content[0].text
    assert text == "Thank you for the result of get_weather.", text


def check_empty_completed_output(clients: Clients) -> None:
    """The last event's output is empty, as on the real backend."""
    events = list(clients.codex().responses.create(**ASKING))
    assert events[-1].response.output == []


def check_failed_and_incomplete(clients: Clients) -> None:
    """Both come as events, not as exceptions."""
    failed = list(clients.codex("failed-rate-limit-exceeded").responses.create(**ASKING))[-1]
    assert (failed.type, failed.response.error.code) == ("response.failed", "rate_limit_exceeded")
    cut_short = list(clients.codex("incomplete").responses.create(**ASKING))[-1]
    assert cut_short.response.incomplete_details.reason == "max_output_tokens"


def raised(call: Callable[[], Any], kind: type[Exception]) -> Any:
    """The exception a call raises."""
    try:
        call()
    except kind as problem:
        return problem
    raise AssertionError(f"{kind.__name__} was not raised")


def check_codex_errors(clients: Clients) -> None:
    """Limits, expired tokens, Cloudflare and refusals become the package's own exceptions."""

    def asking(scenario: str, **changes: Any) -> Callable[[], Any]:
        return lambda: clients.codex(scenario).responses.create(**{**ASKING, **changes})

    limit = raised(asking("codex-usage-limit"), openai.RateLimitError)
    assert limit.body["type"] == "usage_limit_reached", limit.body
    raised(asking("codex-token-expired"), openai.AuthenticationError)
    challenge = raised(asking("codex-cloudflare"), openai.PermissionDeniedError)
    assert "text/html" in challenge.response.headers["content-type"]
    refused = raised(asking("", temperature=0.5), openai.BadRequestError)
    assert refused.body == {"detail": "Unsupported parameter: temperature"}, refused.body
    raised(asking("codex-overloaded"), openai.InternalServerError)


def check_openrouter_json(clients: Clients) -> None:
    """OpenRouter's JSON answer has the package's shape and Exa's annotations."""
    response = clients.openrouter("style-exa").responses.create(
        model="deepseek/deepseek-chat-v3.1",
        input=QUERY,
        extra_body={"plugins": [{"id": "web", "max_results": 3}]},
    )
    part = response.output[-1].content[0]
    assert "weather.example.org" in response.output_text
    assert {(one.start_index, one.end_index) for one in part.annotations} == {(0, 0)}


def check_openrouter_stream(clients: Clients) -> None:
    """OpenRouter's stream, with its comment lines and [DONE], is read to its end."""
    events = list(
        clients.openrouter().responses.create(
            model="openai/gpt-5.5", input=QUERY, stream=True, extra_body={"plugins": [{"id": "web"}]}
        )
    )
    assert events[-1].type == "response.completed"
    assert events[-1].response.output_text


def check_openrouter_chat(clients: Clients) -> None:
    """Chat Completions nests its annotations, also in a stream."""
    asking: dict[str, Any] = {
        "model": "deepseek/deepseek-chat-v3.1:online",
        "messages": [{"role": "user", "content": QUERY}],
    }
    message = clients.openrouter().chat.completions.create(**asking).choices[0].message
    assert message.annotations[0].url_citation.url.startswith("https://")
    chunks = list(clients.openrouter().chat.completions.create(**asking, stream=True))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == message.content


def check_openrouter_errors(clients: Clients) -> None:
    """Errors by status, and the one that hides in a 200."""
    asking: dict[str, Any] = {"model": "openai/gpt-5.5", "input": QUERY}
    unpaid = raised(
        lambda: clients.openrouter("openrouter-402").responses.create(**asking), openai.APIStatusError
    )
    assert unpaid.status_code == 402
    limit = raised(
        lambda: clients.openrouter("openrouter-429").responses.create(**asking), openai.RateLimitError
    )
    assert limit.response.headers["retry-after"] == "2"
    hidden = clients.openrouter("openrouter-200-error").responses.create(**asking)
    assert hidden.error is not None


def check_model_list(clients: Clients) -> None:
    """OpenRouter's models can be listed."""
    assert "openai/gpt-5.5" in [model.id for model in clients.openrouter().models.list()]


CHECKS: tuple[Callable[[Clients], None], ...] = (
    check_streamed_search,
    check_streaming_helper,
    check_async_stream,
    check_function_round,
    check_empty_completed_output,
    check_failed_and_incomplete,
    check_codex_errors,
    check_openrouter_json,
    check_openrouter_stream,
    check_openrouter_chat,
    check_openrouter_errors,
    check_model_list,
)


def one_line(problem: Exception) -> str:
    """A problem in one line, so that one line stays one check."""
    return f"{type(problem).__name__}: {' '.join(str(problem).split())[:600]}"


def main() -> int:
    """Run all checks; 1 when one failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--url", default=os.environ.get("EMULATOR_URL"), required="EMULATOR_URL" not in os.environ
    )
    clients = Clients(parser.parse_args().url.rstrip("/"))
    failures = 0
    for check in CHECKS:
        sentence = (check.__doc__ or "").splitlines()[0]
        try:
            check(clients)
        except Exception as problem:  # noqa: BLE001  (whatever a foreign package raises is a failed check)
            failures += 1
            print(f"FAIL  {sentence} -- {one_line(problem)}", flush=True)
        else:
            print(f"ok    {sentence}", flush=True)
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
