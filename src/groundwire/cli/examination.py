"""What `groundwire doctor` knows: one Report about providers, credentials, settings, files and problems.

Nothing is sent and no key is in it.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from groundwire.config import Config, ConfigProblem, Upstream
from groundwire.credentials.adc_files import LOG_IN
from groundwire.credentials.base import Clock
from groundwire.credentials.resolve import Finding, store_files, store_problems, survey
from groundwire.version import __version__


class Need(msgspec.Struct, frozen=True):
    """What a provider cannot do without, the command that gets it, and what else helps."""

    what: str
    command: str
    note: str


UPSTREAM_OF: Mapping[str, Upstream] = {
    "api_key": "api-key",
    "vertex_key": "vertex",
    "adc": "vertex",
    "oauth": "code-assist",
}
"""The way to Gemini that each kind of credential opens, in the order in which they are tried."""

CHOSEN_NEEDS: Mapping[Upstream, Need] = {
    "vertex": Need(
        "Vertex AI is chosen, and one of its needs",
        LOG_IN,
        "then: export GOOGLE_CLOUD_PROJECT=...; GOOGLE_APPLICATION_CREDENTIALS=FILE works too, and so "
        "does a key of express mode: export GOOGLE_API_KEY=...",
    ),
    "code-assist": Need(
        "Code Assist is chosen, and a Google sign-in", "groundwire login google", "docs/sign-in.md tells more"
    ),
}
"""What Gemini cannot do without when a way to it was chosen."""

NEEDS: Mapping[str, Need] = {
    "gemini": Need(
        "a Gemini API key",
        "groundwire login gemini",
        "get a key at https://aistudio.google.com/apikey; export GEMINI_API_KEY=... works too; "
        "without a key: Vertex AI, see docs/vertex.md",
    ),
    "openai_oauth": Need(
        "a ChatGPT sign-in",
        "groundwire login openai",
        "codex login and opencode auth login (choose OpenAI, then ChatGPT) work too",
    ),
    "openrouter": Need(
        "an OpenRouter API key",
        "groundwire login openrouter",
        "get a key at https://openrouter.ai/keys; export OPENROUTER_API_KEY=... works too",
    ),
    "local": Need(
        "a folder of documents",
        "export GROUNDWIRE_CORPUS=DIR",
        "groundwire search QUERY --provider local --corpus DIR works too",
    ),
}


class FoundCredential(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a credential is, never what it is."""

    where: str
    kind: str
    ends: float | None = None
    reason: str | None = None
    project: str | None = None
    """Of Vertex AI, with its location."""
    location: str | None = None


class ProviderReport(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a provider can be asked, and with what."""

    name: str
    ready: bool
    model: str | None
    base_url: str | None
    credential: FoundCredential | None = None
    shadowed: list[FoundCredential] = []
    unusable: list[FoundCredential] = []
    geminisearch: FoundCredential | None = None
    """What the tool of that name uses, when its own steps lead elsewhere."""
    missing: str | None = None
    fix: str | None = None
    note: str | None = None


class SettingReport(msgspec.Struct, frozen=True):
    """A setting that is not a default."""

    name: str
    value: str | int | float | bool
    where: str


class ProblemReport(msgspec.Struct, frozen=True):
    """Something that could not be used."""

    file: str
    line: int | None
    reason: str


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything the doctor knows; `--json` prints exactly this."""

    version: str
    default_provider: str | None
    default_because: str
    gemini_upstream: str | None
    """The way to Gemini: api-key, vertex or code-assist."""
    gemini_upstream_because: str
    providers: list[ProviderReport]
    settings: list[SettingReport]
    files: list[str]
    problems: list[ProblemReport]


def examine(config: Config, env: Mapping[str, str], clock: Clock) -> Report:
    """Everything that can be known without sending anything."""
    findings = survey(config, env, clock, ("gemini", "openai_oauth", "openrouter", "geminisearch"))
    providers = [_provider(name, config, findings) for name in NEEDS if name != "local"]
    providers.append(_local(config))
    default, because = _default(config, providers)
    upstream, upstream_because = _upstream(config, providers[0])
    return Report(
        version=__version__,
        default_provider=default,
        default_because=because,
        gemini_upstream=upstream,
        gemini_upstream_because=upstream_because,
        providers=providers,
        settings=_settings(config),
        files=[str(path) for path in (*config.files, *store_files(config, env, clock))],
        problems=[_problem(one) for one in (*config.problems, *store_problems(config, env, clock))],
    )


def _provider(name: str, config: Config, findings: list[Finding]) -> ProviderReport:
    settings = {
        "gemini": config.gemini,
        "openai_oauth": config.openai_oauth,
        "openrouter": config.openrouter,
    }[name]
    found = {
        state: [_described(one) for one in findings if one.provider == name and one.state == state]
        for state in ("used", "shadowed", "unusable")
    }
    ready = bool(found["used"])
    need = CHOSEN_NEEDS.get(config.gemini.upstream, NEEDS[name]) if name == "gemini" else NEEDS[name]
    special = [one for one in findings if one.provider == "geminisearch" and one.state == "used"]
    elsewhere = name == "gemini" and special and special[0].where != found["used"][0].where
    return ProviderReport(
        name=name,
        ready=ready,
        model=settings.model,
        base_url=settings.base_url,
        credential=found["used"][0] if ready else None,
        shadowed=found["shadowed"],
        unusable=found["unusable"],
        geminisearch=_described(special[0]) if elsewhere else None,
        missing=None if ready else f"{need.what} is missing",
        fix=None if ready else need.command,
        note=None if ready else need.note,
    )


def _described(one: Finding) -> FoundCredential:
    return FoundCredential(
        where=one.where,
        kind=one.kind,
        ends=one.ends,
        reason=one.reason,
        project=one.vertex.project if one.vertex else None,
        location=one.vertex.location if one.vertex else None,
    )


def _upstream(config: Config, gemini: ProviderReport) -> tuple[str | None, str]:
    """The way to Gemini that is used, and why it is that one."""
    used = UPSTREAM_OF[gemini.credential.kind] if gemini.credential else None
    choice, where = config.gemini.upstream, config.origins.get("gemini.upstream")
    if gemini.credential is not None and gemini.credential.where == "argument":
        return used, "a key was given as an argument"
    if choice != "auto":
        return used, f"{choice} is set by {where}" + ("" if used else ", but it is not ready")
    order = ", ".join(dict.fromkeys(UPSTREAM_OF.values()))
    return used, f"the first that is ready, of: {order}" if used else f"none is ready, of: {order}"


def _local(config: Config) -> ProviderReport:
    corpus = config.local.corpus
    ready = corpus is not None and corpus.is_dir()
    need = NEEDS["local"]
    missing = f"{need.what} is missing" if corpus is None else f"{corpus} is not a folder"
    return ProviderReport(
        name="local",
        ready=ready,
        model=None,
        base_url=None,
        credential=FoundCredential(where=str(corpus), kind="corpus") if ready else None,
        missing=None if ready else missing,
        fix=None if ready else need.command,
        note=None if ready else need.note,
    )


def _default(config: Config, providers: list[ProviderReport]) -> tuple[str | None, str]:
    ready = [provider.name for provider in providers if provider.ready]
    if (chosen := config.search.provider) is not None:
        because = f"set by {config.origins['search.provider']}"
        return chosen, because if chosen in ready else f"{because}, but it is not ready"
    if not ready:
        return None, "no provider is ready"
    return ready[0], "the first that is ready"


def _settings(config: Config) -> list[SettingReport]:
    shown: list[SettingReport] = []
    for name, where in config.origins.items():
        section, _, field = name.partition(".")
        value = getattr(getattr(config, section, None), field, None) if field else None
        if field not in ("api_key", "client_secret") and value is not None:
            plain = value if isinstance(value, str | int | float) else str(value)
            shown.append(SettingReport(name, plain, where))
    return sorted(shown, key=lambda setting: setting.name)


def _problem(problem: ConfigProblem) -> ProblemReport:
    return ProblemReport(problem.file, problem.line, problem.reason)
