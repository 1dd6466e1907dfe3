"""groundwire: cited web search and Gemini CLI's tools, for any agent.

The public names, nothing else. Importing this package touches no disk, environment or network;
each name is loaded from its module when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.agent.approval import Proposal, Verdict
    from groundwire.agent.loop import Agent
    from groundwire.agent.outcome import Outcome
    from groundwire.agent.prices import Price
    from groundwire.agent.tally import Limits
    from groundwire.citations import GroundedAnswer, Source, WebSearchError, WebSearchResult
    from groundwire.errors import GroundwireError
    from groundwire.library import open_agent, search, search_stream, search_sync
    from groundwire.tools.base import ToolResult
    from groundwire.tools.gemini_editor import GeminiEditor
    from groundwire.tools.run_shell_command import Shell
    from groundwire.tools.toolset import Toolset, toolset
    from groundwire.version import __version__
    from groundwire.workspace.boundary import Workspace

_HOME_OF = {
    "Agent": "groundwire.agent.loop",
    "GeminiEditor": "groundwire.tools.gemini_editor",
    "GroundedAnswer": "groundwire.citations",
    "GroundwireError": "groundwire.errors",
    "Limits": "groundwire.agent.tally",
    "Outcome": "groundwire.agent.outcome",
    "Price": "groundwire.agent.prices",
    "Proposal": "groundwire.agent.approval",
    "Shell": "groundwire.tools.run_shell_command",
    "Source": "groundwire.citations",
    "ToolResult": "groundwire.tools.base",
    "Toolset": "groundwire.tools.toolset",
    "Verdict": "groundwire.agent.approval",
    "WebSearchError": "groundwire.citations",
    "WebSearchResult": "groundwire.citations",
    "Workspace": "groundwire.workspace.boundary",
    "__version__": "groundwire.version",
    "open_agent": "groundwire.library",
    "search": "groundwire.library",
    "search_stream": "groundwire.library",
    "search_sync": "groundwire.library",
    "toolset": "groundwire.tools.toolset",
}

__all__ = [
    "Agent",
    "GeminiEditor",
    "GroundedAnswer",
    "GroundwireError",
    "Limits",
    "Outcome",
    "Price",
    "Proposal",
    "Shell",
    "Source",
    "ToolResult",
    "Toolset",
    "Verdict",
    "WebSearchError",
    "WebSearchResult",
    "Workspace",
    "__version__",
    "open_agent",
    "search",
    "search_stream",
    "search_sync",
    "toolset",
]


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'groundwire' has no attribute '{name}'")
    from importlib import import_module  # noqa: PLC0415  (lazy: importing groundwire stays free)

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
