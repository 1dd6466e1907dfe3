"""Every scenario of the catalogue, played on every OpenAI-style address: an answer, never a crash."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from groundwire.emulator.scenarios import catalogue

SLOW = {"huge-answer"}
"""Proven elsewhere; thirty megabytes four times over prove nothing more."""


@pytest.mark.parametrize("name", sorted(set(catalogue()) - SLOW))
async def test_each_scenario_is_answered_by_each_api(
    asking: Any,
    documents: Any,
    signed_in: dict[str, str],
    keyed: dict[str, str],
    codex_request: Callable[..., dict[str, Any]],
    name: str,
) -> None:
    ask = asking(corpus=documents, scenario=name)
    routed = {"model": "openai/gpt-5.5", "plugins": [{"id": "web"}]}
    messages = [{"role": "user", "content": "weather"}]
    tools = [{"type": "function", "name": "look", "parameters": {"type": "object"}}]
    heard = [
        await ask("POST", "/backend-api/codex/responses", codex_request(), headers=signed_in),
        await ask(
            "POST",
            "/backend-api/codex/responses",
            codex_request(tools=tools, tool_choice="auto"),
            headers=signed_in,
        ),
        await ask("POST", "/api/v1/responses", {**routed, "input": "weather"}, headers=keyed),
        await ask("POST", "/api/v1/responses", {**routed, "input": "weather", "stream": True}, headers=keyed),
        await ask("POST", "/api/v1/chat/completions", {**routed, "messages": messages}, headers=keyed),
        await ask(
            "POST",
            "/api/v1/chat/completions",
            {**routed, "messages": messages, "stream": True},
            headers=keyed,
        ),
    ]
    assert all(one.status in (200, 307) or one.status >= 400 for one in heard)
    assert all(one.status != 500 or name == "openrouter-500" for one in heard)
