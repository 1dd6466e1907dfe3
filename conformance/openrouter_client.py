"""Drives OpenRouter's own package against the emulator; it checks every field of every answer.

    python conformance/openrouter_client.py [--url http://127.0.0.1:PORT]

Needs only `openrouter` from PyPI in the Python that runs it; `--url` (or EMULATOR_URL) is a running
emulator. Prints one line per check and exits 1 when one fails.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import Any

from openrouter import OpenRouter, errors

QUERY = "weather in Beijing"
EXA_MODEL = "deepseek/deepseek-chat-v3.1"
MESSAGES: list[Any] = [{"role": "user", "content": QUERY}]


class Clients:
    """Makes clients for one emulator; a scenario becomes part of the base URL."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __call__(self, scenario: str = "") -> Any:
        root = f"{self.url}/~{scenario}" if scenario else self.url
        return OpenRouter(api_key="sk-or-v1-conformance", server_url=f"{root}/api/v1")


def check_plugin(clients: Clients) -> None:
    """The web plugin: one message, annotations without positions."""
    with clients("style-exa") as client:
        answer = client.beta.responses.send(model=EXA_MODEL, input=QUERY, plugins=[{"id": "web"}])
    part = answer.output[-1].content[0]
    assert "weather.example.org" in part.text
    assert {(one.start_index, one.end_index) for one in part.annotations} == {(0, 0)}


def check_server_tool(clients: Clients) -> None:
    """The server tool: an item of its own, and a count of searches."""
    with clients("style-native") as client:
        answer = client.beta.responses.send(
            model="openai/gpt-5.5", input=QUERY, tools=[{"type": "openrouter:web_search"}]
        )
    assert "openrouter:web_search" in [item.type for item in answer.output]
    assert answer.usage.cost > 0


def check_stream(clients: Clients) -> None:
    """A stream in which every event is one the package knows."""
    with (
        clients("style-native") as client,
        client.beta.responses.send(
            model="openai/gpt-5.5", input=QUERY, plugins=[{"id": "web"}], stream=True
        ) as stream,
    ):
        types = [event.type for event in stream]
    assert types[0] == "response.created", types
    assert types[-1] == "response.completed", types
    assert "UNKNOWN" not in types, types


def check_chat(clients: Clients) -> None:
    """Chat Completions, whole and streamed."""
    asking: dict[str, Any] = {"model": f"{EXA_MODEL}:online", "messages": MESSAGES}
    with clients("style-exa") as client:
        whole = client.chat.send(**asking).choices[0].message.content
        with client.chat.send(**asking, stream=True) as stream:
            pieces = [chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices]
    assert "".join(pieces) == whole


def check_account(clients: Clients) -> None:
    """Key, credits and models."""
    with clients() as client:
        assert client.api_keys.get_current_key_metadata().data.limit_remaining > 0
        assert client.credits.get_credits().data.total_credits > 0
        assert "openai/gpt-5.5" in [model.id for model in client.models.list().result.data]


def check_errors(clients: Clients) -> None:
    """Each status becomes the package's own exception; a failed answer is an answer."""
    expected = {
        "openrouter-401": errors.UnauthorizedResponseError,
        "openrouter-402": errors.PaymentRequiredResponseError,
        "openrouter-429": errors.TooManyRequestsResponseError,
        "openrouter-502": errors.BadGatewayResponseError,
        "openrouter-503": errors.ServiceUnavailableResponseError,
        "openrouter-529": errors.ProviderOverloadedResponseError,
    }
    for scenario, kind in expected.items():
        try:
            with clients(scenario) as client:
                client.beta.responses.send(model="openai/gpt-5.5", input=QUERY, retries=None)
        except kind:
            continue
        raise AssertionError(f"{scenario} did not raise {kind.__name__}")
    with clients("failed-server-error") as client:
        assert client.beta.responses.send(model="openai/gpt-5.5", input=QUERY).status == "failed"


CHECKS: tuple[Callable[[Clients], None], ...] = (
    check_plugin,
    check_server_tool,
    check_stream,
    check_chat,
    check_account,
    check_errors,
)


def one_line(problem: Exception) -> str:
    """A problem in one line, so that one line stays one check."""
    return f"{type(problem).__name__}: {' '.join(str(problem).split())[:600]}"


def main() -> int:
    """Run all checks; 1 when one failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    url = os.environ.get("EMULATOR_URL")
    parser.add_argument("--url", default=url, required=url is None)
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
