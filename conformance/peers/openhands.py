"""OpenHands: its SDK and litellm with our toolset, the emulator as the model.

The checks are in `openhands_toolset.py`, run by the Python that the packages are installed for.
"""

from __future__ import annotations

from conformance.told import told_by
from conformance.trial import PROGRAMS, SCRIPTS, Trial
from groundwire.emulator import Emulator


async def run(trial: Trial) -> None:
    """The program's checks, and what the emulator was asked."""
    async with Emulator(script=SCRIPTS / "openhands_edit.toml") as emulator:
        trial.checks += await told_by(trial, PROGRAMS / "openhands_toolset.py", "--url", emulator.base_url)
        asked = [call for call in emulator.requests if call.kind == "generate"]
        agents = {call.headers.get("user-agent", "") for call in asked}
        trial.check(
            "The emulator was asked by litellm.",
            agents and all("litellm" in agent for agent in agents),
            agents,
        )
