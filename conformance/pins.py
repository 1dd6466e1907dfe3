"""The versions of the real programs, in one table: what is installed for each peer, and from where.

PINS are the clients that `make conformance` tries, some of which `make bench` measures as well; MEASURED are
those that are only measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Registry = Literal["npm", "pypi"]


@dataclass(frozen=True, slots=True)
class Pin:
    """Packages of one registry at exact versions; the first one is the peer itself."""

    registry: Registry
    packages: tuple[tuple[str, str], ...]
    """Names and versions."""
    oldest_python: tuple[int, int] = (3, 11)
    with_groundwire: bool = False
    """Whether groundwire itself is installed beside it, from this repository."""

    @property
    def name(self) -> str:
        """The peer's own package."""
        return self.packages[0][0]

    @property
    def version(self) -> str:
        """The version of the peer's own package."""
        return self.packages[0][1]

    @property
    def specifications(self) -> tuple[str, ...]:
        """The packages as the registry's client wants them named."""
        sign = "@" if self.registry == "npm" else "=="
        return tuple(f"{name}{sign}{version}" for name, version in self.packages)


OURS = (("msgspec", "0.22.0"), ("pyqwest", "0.12.0"), ("pyjson5", "2.0.1"))
"""What groundwire itself needs where it works inside of a peer."""

PINS: dict[str, Pin] = {
    "google-genai-3": Pin("pypi", (("google-genai", "3.1.0"), *OURS)),
    "google-genai-2": Pin("pypi", (("google-genai", "2.34.0"), *OURS)),
    "openai": Pin("pypi", (("openai", "3.49.0"),)),
    "openrouter": Pin("pypi", (("openrouter", "1.3.84"),)),
    "openhands": Pin(
        "pypi",
        (("openhands-sdk", "1.57.0"), ("openhands-tools", "1.57.0")),
        oldest_python=(3, 12),
        with_groundwire=True,
    ),
    "ray": Pin("pypi", (("ray", "2.60.0"),), with_groundwire=True),
    "google-genai-js": Pin("npm", (("@google/genai", "2.32.0"),)),
    "ai-sdk-google": Pin("npm", (("@ai-sdk/google", "4.0.117"), ("ai", "7.0.169"))),
    "gemini-cli": Pin("npm", (("@google/gemini-cli", "0.61.0"),)),
    "gemini-cli-core": Pin("npm", (("@google/gemini-cli-core", "0.61.0"),)),
    "opencode": Pin("npm", (("opencode-ai", "1.18.33"),)),
    "mcp-python": Pin("pypi", (("mcp", "2.3.0"),)),
    "mcp-typescript": Pin(
        "npm",
        (
            ("@modelcontextprotocol/sdk", "1.32.2"),
            ("sdk-2024-11-05", "npm:@modelcontextprotocol/sdk@1.0.4"),
            ("sdk-2025-03-26", "npm:@modelcontextprotocol/sdk@1.12.0"),
            ("sdk-2025-06-18", "npm:@modelcontextprotocol/sdk@1.20.0"),
        ),
    ),
    "mcp-inspector": Pin("npm", (("@modelcontextprotocol/inspector", "2.12.0"),)),
    "codex": Pin("npm", (("@openai/codex", "0.166.0"),)),
    "claude-code": Pin("npm", (("@anthropic-ai/claude-code", "2.1.197"),)),
}

MEASURED: dict[str, Pin] = {
    "server-filesystem": Pin("npm", (("@modelcontextprotocol/server-filesystem", "2026.8.31"),)),
    "http-proxy": Pin("npm", (("http-proxy", "1.18.1"),)),
    "litellm": Pin("pypi", (("litellm[proxy]", "1.101.6"),)),
    "starlette": Pin(
        "pypi",
        (
            ("starlette", "1.10.0"),
            ("httpx", "0.28.1"),
            ("uvicorn", "0.54.0"),
            ("uvloop", "0.23.0"),
            ("httptools", "0.9.0"),
        ),
    ),
}

OLDEST_NODE = (20, 0)
"""The oldest node all of these start on."""
