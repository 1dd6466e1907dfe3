"""Show what is configured, where each credential came from, and what is missing.

No key is shown and nothing is sent. The exit code is 0 when at least one provider can be asked, else 3.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from groundwire.config import Config, ConfigProblem, load_config
from groundwire.credentials.base import Clock
from groundwire.credentials.resolve import Finding, store_files, store_problems, survey
from groundwire.errors import CredentialError
from groundwire.version import __version__


class Need(msgspec.Struct, frozen=True):
    """What a provider cannot do without, the command that gets it, and what else helps."""

    what: str
    command: str
    note: str


NEEDS: Mapping[str, Need] = {
    "gemini": Need(
        "a Gemini API key",
        "groundwire login gemini",
        "get a key at https://aistudio.google.com/apikey; export GEMINI_API_KEY=... works too",
    ),
    "openai_oauth": Need(
        "a ChatGPT sign-in", "codex login", "opencode auth login (choose OpenAI, then ChatGPT) works too"
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


class ProviderReport(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a provider can be asked, and with what."""

    name: str
    ready: bool
    model: str | None
    base_url: str | None
    credential: FoundCredential | None = None
    shadowed: list[FoundCredential] = []
    unusable: list[FoundCredential] = []
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
    providers: list[ProviderReport]
    settings: list[SettingReport]
    files: list[str]
    problems: list[ProblemReport]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words of this command."""
    parser.add_argument("--json", action="store_true", help="print the report as one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Look, print, and say by the exit code whether anything can be asked."""
    home = Path.home()
    config = load_config(env=os.environ, cwd=Path.cwd(), home=home)
    report = examine(config, os.environ, time.time)
    if arguments.json:
        print(msgspec.json.format(msgspec.json.encode(report), indent=2).decode("utf-8"))
    else:
        print(as_text(report, home=home, now=time.time()))
    return 0 if any(provider.ready for provider in report.providers) else CredentialError.exit_code


def examine(config: Config, env: Mapping[str, str], clock: Clock) -> Report:
    """Everything that can be known without sending anything."""
    findings = survey(config, env, clock)
    providers = [_provider(name, config, findings) for name in NEEDS if name != "local"]
    providers.append(_local(config))
    default, because = _default(config, providers)
    return Report(
        version=__version__,
        default_provider=default,
        default_because=because,
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
        state: [
            FoundCredential(where=one.where, kind=one.kind, ends=one.ends, reason=one.reason)
            for one in findings
            if one.provider == name and one.state == state
        ]
        for state in ("used", "shadowed", "unusable")
    }
    ready = bool(found["used"])
    need = NEEDS[name]
    return ProviderReport(
        name=name,
        ready=ready,
        model=settings.model,
        base_url=settings.base_url,
        credential=found["used"][0] if ready else None,
        shadowed=found["shadowed"],
        unusable=found["unusable"],
        missing=None if ready else f"{need.what} is missing",
        fix=None if ready else need.command,
        note=None if ready else need.note,
    )


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
        if field != "api_key" and value is not None:
            plain = value if isinstance(value, str | int | float) else str(value)
            shown.append(SettingReport(name, plain, where))
    return sorted(shown, key=lambda setting: setting.name)


def _problem(problem: ConfigProblem) -> ProblemReport:
    return ProblemReport(problem.file, problem.line, problem.reason)


def as_text(report: Report, *, home: Path, now: float) -> str:
    """The report for a person."""
    blocks = [
        [f"groundwire {report.version}"],
        ["Providers", *_table([row for one in report.providers for row in _rows(one, now)])],
        [f"Asked when you name none: {report.default_provider or 'nothing'} ({report.default_because})"],
    ]
    if report.settings:
        rows = [(one.name, str(one.value), f"from {one.where}") for one in report.settings]
        blocks.append(["Settings that are not the default", *_table(rows)])
    if report.files:
        blocks.append(["Files read", *(f"  {file}" for file in report.files)])
    if report.problems:
        lines = [str(ConfigProblem(one.file, one.line, one.reason)) for one in report.problems]
        blocks.append(["Problems", *(f"  {line}" for line in lines)])
    text = "\n\n".join("\n".join(block) for block in blocks)
    return _printable(text.replace(f"{home}{os.sep}", f"~{os.sep}"))


def _rows(provider: ProviderReport, now: float) -> list[tuple[str, str, str]]:
    """A provider's lines: its state first, below it what else there is to know."""
    if provider.credential is None:
        rows = [
            (provider.name, "missing", str(provider.missing)),
            ("", "", f"fix: {provider.fix}"),
            ("", "", f"     ({provider.note})"),
        ]
    else:
        rows = [(provider.name, "ready", _described(provider.credential, now))]
    rows += [("", "", f"also there, not used: {_described(one, now)}") for one in provider.shadowed]
    rows += [("", "", f"not usable: {one.where}: {one.reason}") for one in provider.unusable]
    return rows


def _described(found: FoundCredential, now: float) -> str:
    kind = {"api_key": "API key from ", "oauth": "sign-in from ", "corpus": "documents in "}[found.kind]
    if found.ends is None:
        return kind + found.where
    if found.ends <= now:
        return f"{kind}{found.where}; its token has ended and is renewed at the next use"
    return f"{kind}{found.where}; its token lasts {_span(found.ends - now)} more"


def _span(seconds: float) -> str:
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{int(seconds // length)} {unit}"
    return f"{int(seconds)} seconds"


def _table(rows: list[tuple[str, str, str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return [f"  {a:<{widths[0]}}  {b:<{widths[1]}}  {c}".rstrip() for a, b, c in rows]


def _printable(text: str) -> str:
    """Names of files and folders can hold anything, also what a terminal would obey."""
    return "".join(
        char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text
    )
