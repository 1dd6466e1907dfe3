"""OpenAI-style libraries on PyPI: `openai` for Codex and OpenRouter, and OpenRouter's own `openrouter`.

The checks are in `openai_client.py` and `openrouter_client.py`, run where the packages are installed.
"""

from __future__ import annotations

from conformance.pasting import check_pasted
from conformance.told import told_by
from conformance.trial import PROGRAMS, Trial
from groundwire.emulator import Emulator


async def run_openai(trial: Trial) -> None:
    """The program's checks, and what the emulator was asked."""
    async with Emulator() as emulator:
        trial.checks += await told_by(trial, PROGRAMS / "openai_client.py", "--url", emulator.base_url)
        asked = [call for call in emulator.requests if call.kind == "generate"]
        agents = {call.headers.get("user-agent", "") for call in asked}
        trial.check(
            f"The emulator was asked by the openai package {trial.version}.",
            agents and all(f"/Python {trial.version}" in agent for agent in agents),
            agents,
        )
        apis = {call.api for call in asked}
        trial.check("Both Codex and OpenRouter were asked.", apis == {"codex", "openrouter"}, apis)
    await check_pasted(trial, "openai (Python and JavaScript)", "You said: hello")


async def run_openrouter(trial: Trial) -> None:
    """The program's checks, and what the emulator was asked."""
    async with Emulator() as emulator:
        trial.checks += await told_by(trial, PROGRAMS / "openrouter_client.py", "--url", emulator.base_url)
        agents = {call.headers.get("user-agent", "") for call in emulator.requests}
        trial.check(
            f"The emulator was asked by the openrouter package {trial.version}.",
            agents and all(f"python {trial.version}" in agent for agent in agents),
            agents,
        )
