"""From files, environment and arguments to one Config: the layers, in their order, and each setting's check.

Low to high; a higher layer wins setting by setting:

 1. defaults
 2. the user's groundwire.toml (`$XDG_CONFIG_HOME/groundwire/`, by default `~/.config/groundwire/`)
 3. the project's groundwire.toml: the nearest one from the working directory up to the worktree root
    (outside a worktree only the working directory's own)
 4. opencode.json and opencode.jsonc, in OpenCode's own order (see `opencode`)
 5. environment variables
 6. arguments, named like the settings

| setting, as in groundwire.toml | environment variable | in OpenCode, under `provider` |
|---|---|---|
| search.provider | GROUNDWIRE_PROVIDER | |
| search.max_sources, language, region, raw, resolve_links, timeout | GROUNDWIRE_MAX_SOURCES, … | |
| gemini.model | GROUNDWIRE_GEMINI_MODEL | google.options.websearch.model |
| openai_oauth.model | GROUNDWIRE_OPENAI_OAUTH_MODEL | openai.options.websearch.model |
| openrouter.model | GROUNDWIRE_OPENROUTER_MODEL | openrouter.options.websearch.model |
| openrouter.web_tool, engine, max_results | GROUNDWIRE_OPENROUTER_WEB_TOOL, … | |
| gemini.upstream | GROUNDWIRE_GEMINI_UPSTREAM, else GOOGLE_GENAI_USE_VERTEXAI | |
| vertex.project | GOOGLE_CLOUD_PROJECT | |
| vertex.location | GOOGLE_CLOUD_LOCATION | |
| google.client_id, client_secret, use_gemini_cli_client | GROUNDWIRE_GOOGLE_CLIENT_ID, … | |
| google.project | OPENCODE_GEMINI_PROJECT_ID, else GOOGLE_CLOUD_PROJECT | gemini-cli.options.projectId |
| geminisearch.model | GROUNDWIRE_GEMINISEARCH_MODEL | geminisearch.options.model |
| gemini.api_key, openrouter.api_key (not in groundwire.toml) | see `credentials.resolve` | X.options.apiKey |
| local.corpus | GROUNDWIRE_CORPUS | |
| agent.shell, proxy_looks_up, max_cost, prices (a table, or JSON) | GROUNDWIRE_AGENT_SHELL, … | |
| urls.gemini | GOOGLE_GEMINI_BASE_URL | |
| urls.code_assist | CODE_ASSIST_ENDPOINT | |
| urls.vertex | GOOGLE_VERTEX_BASE_URL | |
| urls.codex | GROUNDWIRE_CODEX_BASE_URL | |
| urls.openrouter | OPENROUTER_BASE_URL | |
| urls.google_oauth | GROUNDWIRE_GOOGLE_OAUTH_URL | |
| urls.openai_oauth | GROUNDWIRE_OPENAI_OAUTH_URL | |
| allow_insecure_http | GROUNDWIRE_ALLOW_INSECURE_HTTP | |

A project's file comes with a repository somebody else may have written, so it cannot say where keys are
sent, who signs in, who pays, nor what an agent may do: `urls`, `google`, `vertex`, `gemini.upstream`,
`allow_insecure_http` and `agent` count only in the user's own file. A value that cannot be used is reported
in `Config.problems` and the lower layer's stays; only arguments, and addresses that would leak a key, fail
at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from groundwire.config import checks
from groundwire.config.files import ConfigProblem
from groundwire.config.layer import Found, Layer
from groundwire.config.opencode import read_opencode
from groundwire.config.settings import (
    AgentSettings,
    BaseUrls,
    Config,
    GoogleSettings,
    LocalSettings,
    Paths,
    ProviderSettings,
    SearchSettings,
    VertexSettings,
)
from groundwire.config.toml import FILE_NAME, project_file, read_toml
from groundwire.config.urls import checked_base_url
from groundwire.errors import InvalidConfig, UnknownProvider

_VARIABLES: Mapping[str, str] = {
    "urls.gemini": "GOOGLE_GEMINI_BASE_URL",
    "urls.code_assist": "CODE_ASSIST_ENDPOINT",
    "urls.vertex": "GOOGLE_VERTEX_BASE_URL",
    "vertex.project": "GOOGLE_CLOUD_PROJECT",
    "vertex.location": "GOOGLE_CLOUD_LOCATION",
    "urls.codex": "GROUNDWIRE_CODEX_BASE_URL",
    "urls.openrouter": "OPENROUTER_BASE_URL",
    "urls.google_oauth": "GROUNDWIRE_GOOGLE_OAUTH_URL",
    "urls.openai_oauth": "GROUNDWIRE_OPENAI_OAUTH_URL",
    "local.corpus": "GROUNDWIRE_CORPUS",
}


def load_config(
    *,
    env: Mapping[str, str],
    cwd: Path,
    home: Path,
    arguments: Mapping[str, object] | None = None,
    opencode_managed: Path | None = None,
) -> Config:
    """Read every layer and give the one Config. Raises InvalidConfig for a wrong argument and InsecureUrl
    for an address that would send a key in the clear; everything else becomes a problem in the Config."""
    paths = _paths(env, home)
    problems: list[ConfigProblem] = []
    files: list[Path] = []
    chosen: dict[str, object] = {}
    origins: dict[str, str] = {}

    def take(layer: Layer) -> None:
        files.extend(layer.files)
        problems.extend(layer.problems)
        for setting, found in layer.found.items():
            try:
                chosen[setting] = checks.CHECKS[setting](found.value)
                origins[setting] = found.source
            except ValueError as wrong:
                problems.append(ConfigProblem(found.source, found.line, f"{found.key} {wrong}"))

    own_file, theirs = paths.config_dir / FILE_NAME, project_file(cwd)
    take(read_toml(own_file, trusted=True))  # 2
    if theirs is not None and theirs != own_file:
        take(read_toml(theirs, trusted=False))  # 3
    take(read_opencode(env=env, cwd=cwd, home=home, managed=opencode_managed))  # 4
    take(_from_environment(env))  # 5
    for setting, value in _from_arguments(arguments or {}, chosen).items():  # 6
        chosen[setting] = value
        origins[setting] = "argument"
    return _assemble(chosen, origins, cwd, paths, tuple(problems), tuple(files))


def _paths(env: Mapping[str, str], home: Path) -> Paths:
    def folder(variable: str, default: Path) -> Path:
        # The XDG specification: a relative path counts as not set.
        given = env.get(variable, "")
        return Path(given) if given and Path(given).is_absolute() else default

    data = folder("XDG_DATA_HOME", home / ".local" / "share")
    return Paths(
        home=home,
        config_dir=folder("XDG_CONFIG_HOME", home / ".config") / "groundwire",
        data_dir=data / "groundwire",
        state_dir=folder("XDG_STATE_HOME", home / ".local" / "state") / "groundwire",
        cache_dir=folder("XDG_CACHE_HOME", home / ".cache") / "groundwire",
        opencode_auth=data / "opencode" / "auth.json",
        codex_home=folder("CODEX_HOME", home / ".codex"),
        gemini_home=folder("GEMINI_CLI_HOME", home) / ".gemini",
    )


def variable_of(setting: str) -> str:
    """The environment variable that sets a setting."""
    return (
        _VARIABLES.get(setting) or "GROUNDWIRE_" + setting.removeprefix("search.").replace(".", "_").upper()
    )


def _google_project(env: Mapping[str, str]) -> Mapping[str, Found]:
    """The project by the names other programs use, best first: the first one that is set."""
    names = ("OPENCODE_GEMINI_PROJECT_ID", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID")
    found = next(((name, value) for name in names if (value := env.get(name, "").strip())), None)
    return {} if found is None else {"google.project": Found(found[1], found[0], None, found[0])}


def _upstream(env: Mapping[str, str]) -> Mapping[str, Found]:
    """Vertex AI, when it is chosen by the switch of google-genai, by its old name or its new one."""
    for name in ("GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_ENTERPRISE"):
        if env.get(name, "").strip().lower() in ("true", "1"):
            return {"gemini.upstream": Found("vertex", name, None, name)}
    return {}


def _from_environment(env: Mapping[str, str]) -> Layer:
    found: dict[str, Found] = {}
    for setting in checks.CHECKS:
        variable = variable_of(setting)
        # Keys in the environment are the business of credentials.resolve.
        if not setting.endswith(".api_key") and (value := env.get(variable, "")) != "":
            found[setting] = Found(checks.from_text(setting, value), variable, None, variable)
    return Layer({**_google_project(env), **_upstream(env), **found})


def _from_arguments(arguments: Mapping[str, object], chosen: Mapping[str, object]) -> dict[str, object]:
    """Arguments are named like settings; `search.` may be left out, and `model` and `api_key` alone belong
    to the provider that was chosen."""
    given = {name: value for name, value in arguments.items() if value is not None}
    provider = given.get("provider", given.get("search.provider", chosen.get("search.provider")))
    checked: dict[str, object] = {}
    for name, value in given.items():
        setting = name if name in checks.CHECKS else f"search.{name}"
        if name in ("model", "api_key"):
            setting = f"{provider}.{name}"
            if provider is None:
                raise InvalidConfig(f"'{name}' was given without a provider.", hint="Name the provider too.")
        if setting not in checks.CHECKS:
            raise InvalidConfig(f"There is no setting '{name}'.")
        try:
            checked[setting] = checks.CHECKS[setting](value)
        except ValueError as wrong:
            kind = UnknownProvider if setting == "search.provider" else InvalidConfig
            raise kind(f"{name} {wrong}.") from None
        if name == "api_key" and checked[setting] is None:
            raise InvalidConfig("api_key is empty.", hint="Leave it out to use the key that is found.")
    return checked


def _assemble(
    chosen: Mapping[str, object],
    origins: dict[str, str],
    cwd: Path,
    paths: Paths,
    problems: tuple[ConfigProblem, ...],
    files: tuple[Path, ...],
) -> Config:
    urls = _base_urls(chosen, origins)
    corpus = chosen.get("local.corpus")
    return Config(
        gemini=ProviderSettings(urls.gemini, **_section("gemini", chosen)),
        openai_oauth=ProviderSettings(urls.codex, **_section("openai_oauth", chosen)),
        openrouter=ProviderSettings(urls.openrouter, **_section("openrouter", chosen)),
        geminisearch=ProviderSettings(urls.gemini, **_section("geminisearch", chosen)),
        local=LocalSettings(None if corpus is None else _corpus(str(corpus), cwd, paths.home)),
        google=GoogleSettings(**_section("google", chosen)),
        vertex=VertexSettings(**_section("vertex", chosen)),
        search=SearchSettings(**_section("search", chosen)),
        urls=urls,
        paths=paths,
        agent=AgentSettings(**_section("agent", chosen)),
        problems=problems,
        files=files,
        origins=MappingProxyType(origins),
    )


def _section(section: str, chosen: Mapping[str, object]) -> dict[str, Any]:
    """The checked values of one section, by field name. `Any`: each check gives its field's own type."""
    prefix = f"{section}."
    return {
        setting.removeprefix(prefix): value
        for setting, value in chosen.items()
        if setting.startswith(prefix) and value is not None
    }


def _corpus(folder: str, cwd: Path, home: Path) -> Path:
    return home / folder[2:] if folder.startswith("~/") else cwd / folder


def _base_urls(chosen: Mapping[str, object], origins: Mapping[str, str]) -> BaseUrls:
    allow = chosen.get("allow_insecure_http") is True
    given = {
        name: checked_base_url(str(chosen[key]), where=origins[key], allow_insecure=allow)
        for name in (field.name for field in fields(BaseUrls))
        if chosen.get(key := f"urls.{name}") is not None
    }
    if "google_oauth" in given:
        # One address replaces both of Google's: the page where a person signs in and the token endpoint.
        given["google_accounts"] = given["google_oauth"]
    return replace(BaseUrls(), **given)
