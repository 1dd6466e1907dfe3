"""Gemini CLI's file tools for agents of the OpenHands SDK, as one toolset that suits the agent's model.

    from openhands.sdk import Agent, LLM, Tool
    from groundwire.integrations.openhands import TOOLSET

    agent = Agent(llm=LLM(model="gemini/gemini-3-pro"), tools=[Tool(name=TOOLSET)])

A Gemini model gets the seven tools of its generation, any other model OpenHands' own `file_editor`. The names
below need the extra `groundwire[openhands]` and Python 3.12; the first use of one registers the toolset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.integrations.openhands.definitions import TOOLSET, GroundwireFiles

__all__ = ["TOOLSET", "GroundwireFiles"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'groundwire.integrations.openhands' has no attribute '{name}'")
    from groundwire.integrations.openhands.requirement import check_sdk  # noqa: PLC0415  (lazy: an extra)

    check_sdk()
    from groundwire.integrations.openhands import definitions  # noqa: PLC0415  (only where the SDK is)

    return getattr(definitions, name)
