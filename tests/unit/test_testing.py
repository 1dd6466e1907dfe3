"""The doubles we ship: strict about what was not foreseen and what was not used."""

from __future__ import annotations

import doctest

import pytest

from groundwire import testing
from groundwire.agent.model import Prompt
from groundwire.errors import ConnectFailed
from groundwire.testing import (
    ManualClock,
    ScriptedModel,
    ScriptedTransport,
    UnexpectedRequest,
    UnusedAnswers,
    reply,
    says,
)
from groundwire.transport.base import Request

GET = Request("GET", "https://example.org")


def test_the_example_runs() -> None:
    assert doctest.testmod(testing).failed == 0


async def test_a_request_nobody_scripted_is_an_error() -> None:
    with pytest.raises(UnexpectedRequest, match="GET https://example"):
        await ScriptedTransport([]).send(GET)


async def test_an_answer_nobody_asked_for_is_an_error() -> None:
    with pytest.raises(UnusedAnswers, match="1 scripted"):
        async with ScriptedTransport([reply("unused")]):
            pass


async def test_a_scripted_error_is_raised() -> None:
    async with ScriptedTransport([ConnectFailed("down")]) as transport:
        with pytest.raises(ConnectFailed, match="down"):
            await transport.send(GET)


async def test_a_manual_clock_moves_when_it_is_told() -> None:
    clock = ManualClock(10.0)
    await clock.sleep(5)
    assert (clock(), clock.slept) == (15.0, [5])


async def test_a_model_asked_too_often_is_an_error_and_so_is_a_reply_nobody_asked_for() -> None:
    with pytest.raises(UnexpectedRequest, match="turn 1"):
        await ScriptedModel([]).reply(Prompt("", []), print)
    with pytest.raises(UnusedAnswers, match="1 scripted replies"):
        async with ScriptedModel([says("unused")]):
            pass
