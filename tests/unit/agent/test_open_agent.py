"""The agent from the library: wired from the configuration of this process."""

from __future__ import annotations

from pathlib import Path

import pytest

import groundwire
from groundwire.emulator import Emulator


async def test_an_opened_agent_works_with_the_configured_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Emulator(script="weather") as emulator:
        for name, value in emulator.env().items():
            monkeypatch.setenv(name, value)
        async with groundwire.open_agent(tmp_path, approve="edits") as agent:
            outcome = await agent.run("Save the weather in Beijing")
    assert outcome.ok
    assert "[1]" in (tmp_path / "weather.txt").read_text(encoding="utf-8")


async def test_without_a_key_the_outcome_says_so(tmp_path: Path) -> None:
    async with groundwire.open_agent(tmp_path) as agent:
        outcome = await agent.run("anything")
    assert (outcome.ending, outcome.error, outcome.exit_code) == ("model_error", "MISSING_GEMINI_API_KEY", 3)


@pytest.mark.parametrize(
    ("limits", "ending"), [(None, "money_budget"), (groundwire.Limits(cost=1.0, turns=2), "turn_limit")]
)
async def test_the_configured_budget_counts_unless_another_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: groundwire.Limits | None, ending: str
) -> None:
    monkeypatch.setenv("GROUNDWIRE_AGENT_MAX_COST", "0.0000001")
    script = tmp_path / "script.toml"
    endless = '[[step]]\ntimes = 0\ncall = [{ name = "glob", args = { pattern = "*" } }]\n'
    script.write_text(endless, encoding="utf-8")
    async with Emulator(script=str(script)) as emulator:
        for name, value in emulator.env().items():
            monkeypatch.setenv(name, value)
        async with groundwire.open_agent(tmp_path, limits=limits) as agent:
            outcome = await agent.run("look")
    assert outcome.ending == ending
