"""The types a Config is made of: what can be set, and what holds when nothing was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from groundwire.config.files import ConfigProblem
from groundwire.secret import Secret

Upstream = Literal["auto", "api-key", "vertex", "code-assist"]
"""The ways to Gemini: an API key, Vertex AI with Application Default Credentials, Code Assist with a Google
sign-in. `auto` takes the first that has a credential, in this order."""

WebTool = Literal["plugin", "server_tool"]
"""The two ways OpenRouter searches: its `web` plugin, or the tool `openrouter:web_search`."""


@dataclass(frozen=True, slots=True)
class BaseUrls:
    """Where each service lives. No trailing slash; plain http only where it was checked to be allowed."""

    gemini: str = "https://generativelanguage.googleapis.com"
    code_assist: str = "https://cloudcode-pa.googleapis.com"
    vertex: str | None = None
    """None: the server of the location."""
    codex: str = "https://chatgpt.com/backend-api/codex"
    openrouter: str = "https://openrouter.ai/api/v1"
    google_oauth: str = "https://oauth2.googleapis.com"
    google_accounts: str = "https://accounts.google.com"
    openai_oauth: str = "https://auth.openai.com"


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """What was set for one provider. `api_key` holds only a key from arguments or OpenCode's config;
    keys found elsewhere are the business of `groundwire.credentials`."""

    base_url: str
    model: str | None = None
    api_key: Secret | None = None
    upstream: Upstream = "auto"
    web_tool: WebTool = "plugin"
    engine: str | None = None
    max_results: int = 3


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How to search, whichever provider answers. `provider` None means: the first with a credential."""

    provider: str | None = None
    max_sources: int | None = None
    language: str | None = None
    region: str | None = None
    raw: bool = False
    resolve_links: bool = False
    timeout: float = 120.0


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """The folder of documents behind the provider `local`."""

    corpus: Path | None = None


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """What an agent may do and spend. Only the user's own file and the environment can say so."""

    shell: bool = False
    proxy_looks_up: bool = False
    """Whether a proxy may look names up for web_fetch, because it keeps private addresses away itself."""
    max_cost: float | None = None
    """US dollars for one run."""
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: MappingProxyType({}))
    """By the beginning of a model's name: input, output, input_long, output_long (US dollars for a million
    tokens) and search (for one)."""


@dataclass(frozen=True, slots=True)
class GoogleSettings:
    """For signing in to Google: whose OAuth client, and which project to ask Code Assist for."""

    client_id: str | None = None
    client_secret: Secret | None = None
    use_gemini_cli_client: bool = False
    """Take the client of a Gemini CLI that is installed on this machine."""
    project: str | None = None


@dataclass(frozen=True, slots=True)
class VertexSettings:
    """Whose models are asked on Vertex AI, and where they run."""

    project: str | None = None
    location: str = "global"


@dataclass(frozen=True, slots=True)
class Paths:
    """Where files of ours and of the programs we share credentials with are kept."""

    home: Path
    config_dir: Path
    data_dir: Path
    state_dir: Path
    cache_dir: Path
    opencode_auth: Path
    codex_home: Path
    gemini_home: Path

    @property
    def own_store(self) -> Path:
        """Our own credential store."""
        return self.data_dir / "credentials.json"

    @property
    def codex_auth(self) -> Path:
        """The store of the Codex CLI."""
        return self.codex_home / "auth.json"


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be set, in one place. `origins` says for each setting that is not a default
    where it came from; `problems` lists what could not be used and why."""

    gemini: ProviderSettings
    openai_oauth: ProviderSettings
    openrouter: ProviderSettings
    geminisearch: ProviderSettings
    local: LocalSettings
    google: GoogleSettings
    vertex: VertexSettings
    search: SearchSettings
    urls: BaseUrls
    paths: Paths
    agent: AgentSettings = field(default_factory=AgentSettings)
    problems: tuple[ConfigProblem, ...] = ()
    files: tuple[Path, ...] = ()
    origins: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
