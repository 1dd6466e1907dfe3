"""The emulator as a whole: on a socket, in process, with sticky scenarios and recorded requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyreqwest.client import ClientBuilder

from groundwire.emulator import Emulator, Script, ScriptNotFollowed
from groundwire.emulator.script import Step
from groundwire.errors import InvalidConfig

PATH = "/v1beta/models/gemini-2.5-flash:generateContent"


async def test_it_answers_on_a_socket_and_records_what_was_sent(user: Callable[..., Any]) -> None:
    async with Emulator() as emulator, ClientBuilder().build() as client:
        request = client.post(emulator.base_url + PATH).header("x-goog-api-key", "k").body_json(user("hi"))
        response = await request.build().send()
        assert response.status == 200
        assert (await response.json())["candidates"][0]["content"]["parts"] == [{"text": "You said: hi"}]
    assert [call.path for call in emulator.requests] == [PATH]
    assert emulator.requests[0].json == user("hi")
    assert emulator.requests[0].headers["x-goog-api-key"] == "k"


async def test_the_environment_points_at_the_address_it_listens_on() -> None:
    async with Emulator() as emulator:
        env = emulator.env()
    assert env["GOOGLE_GEMINI_BASE_URL"] == emulator.base_url
    assert env["OPENROUTER_BASE_URL"] == f"{emulator.base_url}/api/v1"
    assert env["GEMINI_API_KEY"]


async def test_a_taken_port_is_reported_with_what_to_do() -> None:
    async with Emulator() as emulator:
        port = int(emulator.base_url.rpartition(":")[2])
        with pytest.raises(InvalidConfig, match="another --port"):
            async with Emulator(port=port):
                pass


async def test_leaving_with_script_steps_unused_is_an_error() -> None:
    with pytest.raises(ScriptNotFollowed, match="step 1 of 1 was never asked for"):
        async with Emulator(script=Script(step=[Step(text="hello")])):
            pass


async def test_a_failure_inside_the_block_is_not_hidden_by_the_script_report() -> None:
    with pytest.raises(ZeroDivisionError):
        async with Emulator(script=Script(step=[Step(text="hello")])):
            raise ZeroDivisionError


def test_an_unknown_scenario_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(InvalidConfig, match="latency"):
        Emulator(scenario="latencyy")


async def test_only_the_newest_requests_are_kept_when_asked(asking: Callable[..., Any]) -> None:
    ask = asking(keep=2)
    for number in range(4):
        await ask("GET", f"/{number}")
    assert [call.path for call in ask.emulator.requests] == ["/2", "/3"]
    assert ask.emulator.world.counts["requests"] == 4
