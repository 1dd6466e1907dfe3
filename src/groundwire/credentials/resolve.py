"""Which credential is used: one list of steps per provider, walked from the top until a step has one.

Gemini (`gemini`, tool `websearch_gemini`):
 1. the argument `api_key`
 2. what OpenCode uses for its provider `google`: `options.apiKey` in its config, then its store
 3. the variable GEMINI_API_KEY
 4. the variables GOOGLE_API_KEY, then GOOGLE_GENERATIVE_AI_API_KEY, which other programs read
 5. our own store, filled by `groundwire login gemini`
 6. `provider.geminisearch.options.apiKey` in OpenCode's config, meant for the tool of that name

Gemini for the tool `geminisearch`, whose own block wins:
 1. the argument `api_key`
 2. `provider.geminisearch.options.apiKey` in OpenCode's config
 3. the variable GEMINI_API_KEY
 4. everything else of the list above, in its order

ChatGPT (`openai_oauth`, tool `websearch_openai_oauth`), always a sign-in and never an API key:
 1. the argument `api_key`, here an access token
 2. OpenCode's store, the `oauth` record `openai`
 3. our own store
 4. Codex: the variable CODEX_ACCESS_TOKEN, then its auth.json, as Codex itself does

OpenRouter (`openrouter`, tool `websearch_openrouter`):
 1. the argument `api_key`
 2. the variable OPENROUTER_API_KEY
 3. what OpenCode uses for its provider `openrouter`: `options.apiKey` in its config, then its store
 4. our own store

Code Assist (`code_assist`), always a Google sign-in:
 1. the variable GOOGLE_CLOUD_ACCESS_TOKEN when GOOGLE_GENAI_USE_GCA is true, as Gemini CLI has it
 2. our own store, filled by `groundwire login google`
 3. OpenCode's store, the `oauth` records `gemini-cli`, then `google`
 4. Gemini CLI: its oauth_creds.json, then its encrypted store

An argument is an explicit choice: one that cannot be used fails when the Config is made, and nothing else
is tried. Everything below it was discovered: a broken or ended one is skipped, `survey` says why, and the
next is tried. Nothing here touches the network.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from groundwire.config import Config, ConfigProblem
from groundwire.credentials.base import Clock, Credential, CredentialKind
from groundwire.credentials.candidates import Candidate, Places
from groundwire.credentials.google_client import client_for
from groundwire.credentials.google_oauth import GoogleIssuer
from groundwire.credentials.google_session import Discovery, GoogleSession
from groundwire.credentials.openai_oauth import OpenAIIssuer, ends_at
from groundwire.credentials.token_cache import FixedToken, Issuer, Session
from groundwire.errors import (
    CredentialError,
    MissingGeminiKey,
    MissingGoogleSignIn,
    MissingOpenAISession,
    MissingOpenRouterKey,
    UnknownProvider,
)
from groundwire.transport.auth import ApiKey, Authorizer
from groundwire.transport.base import Transport

Steps = Literal["gemini", "geminisearch", "openai_oauth", "openrouter", "code_assist"]

STEPS: Mapping[str, Steps] = {
    "gemini": "gemini",
    "websearch_gemini": "gemini",
    "geminisearch": "geminisearch",
    "openai_oauth": "openai_oauth",
    "websearch_openai_oauth": "openai_oauth",
    "openrouter": "openrouter",
    "websearch_openrouter": "openrouter",
    "code_assist": "code_assist",
}
"""The list of steps that each provider and each tool uses."""

_MISSING: Mapping[Steps, tuple[type[CredentialError], str]] = {
    "gemini": (MissingGeminiKey, "No Gemini API key was found."),
    "geminisearch": (MissingGeminiKey, "No Gemini API key was found."),
    "openai_oauth": (MissingOpenAISession, "No ChatGPT sign-in was found."),
    "openrouter": (MissingOpenRouterKey, "No OpenRouter API key was found."),
    "code_assist": (MissingGoogleSignIn, "No Google sign-in was found."),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A candidate as `groundwire doctor` shows it: used, in the shadow of a better one, or unusable.
    `ends` is when a sign-in's current token ends, in seconds since 1970."""

    provider: str
    where: str
    kind: CredentialKind
    state: Literal["used", "shadowed", "unusable"]
    reason: str | None = None
    ends: float | None = None


def resolve(
    name: str, config: Config, env: Mapping[str, str], transport: Transport, clock: Clock
) -> Credential:
    """The credential of a provider or tool, or the error that says how to get one. `transport` is kept for
    renewing a sign-in later; nothing is sent now."""
    steps = STEPS.get(name)
    if steps is None:
        raise UnknownProvider(f"'{name}' is not a provider that takes a credential.")
    skipped: list[Candidate] = []
    for candidate in candidates(steps, Places(config, env, clock)):
        if candidate.unusable is None:
            if steps == "code_assist":
                return _code_assist(candidate, config, env, transport, clock)
            authorizer = _authorizer(steps, candidate, config, transport, clock)
            provider = "gemini" if steps == "geminisearch" else steps
            return Credential(provider, candidate.kind, candidate.where, authorizer)
        skipped.append(candidate)
    error, message = _MISSING[steps]
    reasons = dict.fromkeys(f" ({found.where}: {found.unusable}.)" for found in skipped)
    raise error(message + "".join(reasons))


def survey(
    config: Config,
    env: Mapping[str, str],
    clock: Clock,
    names: Sequence[str] = ("gemini", "openai_oauth", "openrouter"),
) -> list[Finding]:
    """Every candidate of these providers in the order of their steps; the first usable one is used."""
    places = Places(config, env, clock)
    return [finding for name in names for finding in _findings(name, places)]


def _findings(name: str, places: Places) -> Iterator[Finding]:
    used = False
    for found in candidates(STEPS[name], places):
        state: Literal["used", "shadowed", "unusable"] = "shadowed" if used else "used"
        if found.unusable is not None:
            state = "unusable"
        used = used or state == "used"
        ends = ends_at(found.tokens) if found.tokens else None
        yield Finding(name, found.where, found.kind, state, found.unusable, ends)


def usable_providers(config: Config, env: Mapping[str, str], clock: Clock) -> list[str]:
    """The providers that can be asked, in the order gemini, openai_oauth, openrouter, then local when a
    corpus is configured. The first is asked when nobody names a provider."""
    usable = [finding.provider for finding in survey(config, env, clock) if finding.state == "used"]
    return usable if config.local.corpus is None else [*usable, "local"]


def store_problems(config: Config, env: Mapping[str, str], clock: Clock) -> list[ConfigProblem]:
    """What is wrong with the credential stores as files."""
    return Places(config, env, clock).problems()


def store_files(config: Config, env: Mapping[str, str], clock: Clock) -> list[Path]:
    """The credential stores that are there."""
    return Places(config, env, clock).files()


def candidates(steps: Steps, places: Places) -> Iterator[Candidate]:
    """What each step of a list has, in order. The numbers are those at the top of this file."""
    match steps:
        case "gemini":
            return _gemini(places)
        case "geminisearch":
            return _geminisearch(places)
        case "openai_oauth":
            return _openai_oauth(places)
        case "openrouter":
            return _openrouter(places)
        case "code_assist":
            return _google(places)


def _gemini(places: Places) -> Iterator[Candidate]:
    yield from places.argument("gemini")  # 1
    yield from places.opencode_config("gemini")  # 2
    yield from places.opencode_key("google")
    yield from places.variable("GEMINI_API_KEY")  # 3
    yield from places.variable("GOOGLE_API_KEY")  # 4
    yield from places.variable("GOOGLE_GENERATIVE_AI_API_KEY")
    yield from places.own_key("gemini")  # 5
    yield from places.opencode_config("geminisearch")  # 6


def _geminisearch(places: Places) -> Iterator[Candidate]:
    yield from places.argument("geminisearch")  # 1
    yield from places.argument("gemini")
    yield from places.opencode_config("geminisearch")  # 2
    yield from places.variable("GEMINI_API_KEY")  # 3
    yield from _gemini(places)  # 4


def _openai_oauth(places: Places) -> Iterator[Candidate]:
    yield from places.argument_token("openai_oauth")  # 1
    yield from places.opencode_session("openai")  # 2
    yield from places.own_session("openai_oauth")  # 3
    yield from places.variable_token("CODEX_ACCESS_TOKEN")  # 4
    yield from places.codex_session()


def _openrouter(places: Places) -> Iterator[Candidate]:
    yield from places.argument("openrouter")  # 1
    yield from places.variable("OPENROUTER_API_KEY")  # 2
    yield from places.opencode_config("openrouter")  # 3
    yield from places.opencode_key("openrouter")
    yield from places.own_key("openrouter")  # 4


def _google(places: Places) -> Iterator[Candidate]:
    yield from places.google_token()  # 1
    yield from places.own_google()  # 2
    yield from places.opencode_google("gemini-cli")  # 3
    yield from places.opencode_google("google")
    yield from places.gemini_cli_google()  # 4


def _authorizer(
    steps: Steps, found: Candidate, config: Config, transport: Transport, clock: Clock
) -> Authorizer:
    if found.key is not None:
        if steps == "openrouter":
            return ApiKey(found.key, "Authorization", "Bearer")
        return ApiKey(found.key, "x-goog-api-key")
    return _sign_in(found, OpenAIIssuer(config.urls.openai_oauth), transport, clock)


def _code_assist(
    found: Candidate, config: Config, env: Mapping[str, str], transport: Transport, clock: Clock
) -> Credential:
    issuer = GoogleIssuer(config.urls.google_oauth, client_for(config, env))
    discovery = Discovery(transport, config.urls.code_assist, config.google.project, config.paths.state_dir)
    session = GoogleSession(_sign_in(found, issuer, transport, clock), discovery)
    return Credential("gemini", found.kind, found.where, session, session.project)


def _sign_in(found: Candidate, issuer: Issuer, transport: Transport, clock: Clock) -> Session | FixedToken:
    assert found.tokens is not None
    if found.place is None:
        return FixedToken(found.tokens, issuer)
    return Session(found.tokens, found.place, issuer, transport=transport, clock=clock)
