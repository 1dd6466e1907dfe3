"""The peers: what each one shows in a sentence, what must be installed for it, and who runs its checks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from conformance.peers import (
    chromium,
    claude_code,
    codex_cli,
    gemini_cli,
    gemini_sdk,
    gemini_tools,
    git,
    groundwire_itself,
    hosts,
    mcp_clients,
    openai_sdk,
    opencode,
    openhands,
    ray,
)
from conformance.pins import PINS, Pin
from conformance.trial import Trial


@dataclass(frozen=True, slots=True)
class Peer:
    """One real client."""

    name: str
    shows: str
    run: Callable[[Trial], Awaitable[None]]
    program: str = ""
    """The program of this machine that it is, when nothing is installed for it."""

    @property
    def pin(self) -> Pin | None:
        """What is installed for it; None for what is here already."""
        return PINS.get(self.name)


PEERS: tuple[Peer, ...] = (
    Peer("groundwire", "our own search on gemini, openai_oauth, openrouter", groundwire_itself.run),
    Peer(
        "google-genai-3",
        "unary, streams, async, search, functions; with a key, signed in, through the gateway",
        gemini_sdk.run_python,
    ),
    Peer(
        "google-genai-2",
        "unary, streams, async, search, functions; with a key, signed in, through the gateway",
        gemini_sdk.run_python,
    ),
    Peer(
        "google-genai-js",
        "unary, streams, search, functions; through the gateway",
        gemini_sdk.run_google_genai_js,
    ),
    Peer("ai-sdk-google", "unary, streams, search, functions; through the gateway", gemini_sdk.run_ai_sdk),
    Peer("openai", "Responses streams of Codex and OpenRouter, search, functions", openai_sdk.run_openai),
    Peer("openrouter", "Responses and chat of OpenRouter, plugin and server tool", openai_sdk.run_openrouter),
    Peer(
        "gemini-cli", "API key, Code Assist, the gateway; search, file tools; our extension", gemini_cli.run
    ),
    Peer("gemini-cli-core", "its file tools, search and store of sign-ins beside ours", gemini_tools.run),
    Peer("opencode", "`opencode run`: answers, file tools, refusals; our tools; the gateway", opencode.run),
    Peer("codex", "`codex exec`: sign-in, search, tools, faults; our server", codex_cli.run),
    Peer("claude-code", "`claude mcp`: connects to what our install writes", claude_code.run),
    Peer("hosts", "install, again, uninstall: every host's file byte for byte", hosts.run),
    Peer(
        "chromium", "signs in by `groundwire login`, at Google and OpenAI", chromium.run, program="chromium"
    ),
    Peer(
        "mcp-python", "our MCP server by the Python SDK, every tool, pipes and HTTP", mcp_clients.run_python
    ),
    Peer(
        "mcp-typescript",
        "our MCP server by TypeScript SDKs of each protocol version",
        mcp_clients.run_typescript,
    ),
    Peer("mcp-inspector", "our MCP server by the inspector's command line", mcp_clients.run_inspector),
    Peer("openhands", "its SDK and litellm with our toolset: gating, calls, an edit, resume", openhands.run),
    Peer("ray", "an evaluation on a cluster gives the results of the process pool", ray.run),
    Peer("git", "our ignore rules are git's", git.run, program="git"),
)


def chosen(words: list[str]) -> tuple[Peer, ...]:
    """The peers of these names, in the order of the roster; all of them without names.

    Raises LookupError with the names there are.
    """
    names = [peer.name for peer in PEERS]
    unknown = [word for word in words if word not in names]
    if unknown:
        raise LookupError(f"There is no peer '{unknown[0]}'. The peers are: {', '.join(names)}.")
    return tuple(peer for peer in PEERS if not words or peer.name in words)
