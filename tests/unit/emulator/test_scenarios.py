"""Scenarios: one table, four ways to choose, each described."""

from __future__ import annotations

from typing import Any

import pytest

from groundwire.emulator.apis import APIS
from groundwire.emulator.faults import FAULTS
from groundwire.emulator.scenarios import REDIRECT_LINKS, STYLE_SCENARIOS, catalogue, names_in
from groundwire.errors import InvalidConfig

PATH = "/v1beta/models/gemini-2.5-flash:generateContent"


def test_no_two_scenarios_have_the_same_name() -> None:
    assert len(catalogue()) == len(FAULTS) + len(STYLE_SCENARIOS) + len([REDIRECT_LINKS])


@pytest.mark.parametrize("scenario", catalogue().values(), ids=lambda scenario: str(scenario.name))
def test_every_scenario_is_described_and_belongs_to_known_apis(scenario: Any) -> None:
    assert 10 < len(scenario.about) < 110
    assert set(scenario.apis) <= {api.name for api in APIS}
    kinds = {route.kind for api in APIS for route in api.routes}
    assert set(scenario.kinds) <= kinds


async def test_a_header_chooses_for_one_request(ask: Any, user: Any) -> None:
    heard = await ask("POST", PATH, user("hi"), headers={"x-emulator-scenario": "quota"})
    assert heard.status == 429
    assert (await ask("POST", PATH, user("hi"))).status == 200


async def test_a_path_prefix_chooses_for_one_base_url(ask: Any, user: Any) -> None:
    assert (await ask("POST", "/~overloaded" + PATH, user("hi"))).status == 503
    assert ask.emulator.requests[-1].path == PATH


async def test_a_marker_in_the_prompt_chooses_and_is_not_part_of_the_prompt(ask: Any, user: Any) -> None:
    heard = await ask("POST", PATH, user("hello [[scenario:thoughts]]"))
    parts = heard.json["candidates"][0]["content"]["parts"]
    assert parts[0]["thought"]
    assert parts[-1] == {"text": "You said: hello"}


async def test_a_sticky_scenario_yields_to_a_requests_own(asking: Any, user: Any) -> None:
    ask = asking(scenario="overloaded")
    assert (await ask("POST", PATH, user("hi"))).status == 503
    assert (await ask("POST", PATH, user("hi"), headers={"x-emulator-scenario": "quota"})).status == 429
    assert (await ask("POST", PATH, user("hi"), headers={"x-emulator-scenario": ""})).status == 503


async def test_several_scenarios_play_together(asking: Any, user: Any) -> None:
    ask = asking(scenario="thoughts+latency")
    heard = await ask("POST", PATH, user("hi"))
    assert heard.json["candidates"][0]["content"]["parts"][0]["thought"]
    assert ask.waits == [2.0]


async def test_an_unknown_name_in_a_request_is_an_error_that_helps(ask: Any, user: Any) -> None:
    heard = await ask("POST", PATH, user("hi"), headers={"x-emulator-scenario": "quotta"})
    assert heard.status == 400
    assert "Did you mean 'quota'" in heard.json["error"]["message"]


def test_names_are_joined_with_plus() -> None:
    assert names_in("cut+thoughts") == ("cut", "thoughts")
    assert names_in("") == ()
    with pytest.raises(InvalidConfig, match="no scenario 'x'"):
        names_in("cut+x")
