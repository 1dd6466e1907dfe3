"""Which credential is used: one list of steps per provider, walked from the top until a step has one.

Gemini (`gemini`, tool `websearch_gemini`) by an API key:
 1. the argument `api_key`
 2. what OpenCode uses for its provider `google`: `options.apiKey` in its config, then its store
 3. the variable GEMINI_API_KEY
 4. the variables GOOGLE_API_KEY, then GOOGLE_GENERATIVE_AI_API_KEY, which other programs read
 5. our own store, filled by `groundwire login gemini`
 6. `provider.geminisearch.options.apiKey` in OpenCode's config, meant for the tool of that name
and without a key:
 7. Vertex AI: Application Default Credentials, in the file that GOOGLE_APPLICATION_CREDENTIALS names or where
    gcloud keeps them, when GOOGLE_CLOUD_PROJECT names a project; before them, when Vertex AI is chosen and no
    project named, GOOGLE_API_KEY, which is then a key of Vertex AI's express mode
 8. Code Assist: a Google sign-in, by the list below, but for Gemini CLI's own: Google's terms forbid its use
    by other programs, so it counts only when Code Assist is chosen

`gemini.upstream` chooses one of these ways: `api-key` leaves 1 to 6, `vertex` 1 and 7, `code-assist` 1 and 8.
GOOGLE_GENAI_USE_VERTEXAI chooses `vertex`, as for Google's own library. Once Vertex AI is chosen, the project
may also be the one its credentials name, and without a file this machine's metadata server is asked.

Gemini for the tool `geminisearch`, whose own block wins:
 1. the argument `api_key`
 2. `provider.geminisearch.options.apiKey` in OpenCode's config
 3. the variable GEMINI_API_KEY, unless Vertex AI or Code Assist is chosen
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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from groundwire.config import Config, ConfigProblem, Upstream
from groundwire.credentials.adc_tokens import AdcTokens
from groundwire.credentials.base import Clock, Credential, CredentialKind
from groundwire.credentials.candidates import NOT_BY_ITSELF, Candidate, Places
from groundwire.credentials.google_client import client_for
from groundwire.credentials.google_oauth import GoogleIssuer
from groundwire.credentials.google_sign_in import Discovery, GoogleSignIn
from groundwire.credentials.openai_oauth import OpenAIIssuer, ends_at
from groundwire.credentials.stored_sign_in import FixedToken, Issuer, StoredSignIn
from groundwire.errors import (
    CredentialError,
    MissingGeminiKey,
    MissingGoogleSignIn,
    MissingOpenAISession,
    MissingOpenRouterKey,
    MissingVertexCredentials,
    UnknownProvider,
)
from groundwire.transport.auth import ApiKey, Authorizer
from groundwire.transport.base import Transport
from groundwire.transport.vertex import VertexProject

Steps = Literal["gemini", "gemini_key", "geminisearch", "openai_oauth", "openrouter", "vertex", "code_assist"]

STEPS: Mapping[str, Steps] = {
    "gemini": "gemini",
    "websearch_gemini": "gemini",
    "gemini_key": "gemini_key",
    "geminisearch": "geminisearch",
    "openai_oauth": "openai_oauth",
    "websearch_openai_oauth": "openai_oauth",
    "openrouter": "openrouter",
    "websearch_openrouter": "openrouter",
    "vertex": "vertex",
    "code_assist": "code_assist",
}
"""The list of steps that each provider, each tool and each way to Gemini uses."""

_MISSING: Mapping[Steps, tuple[type[CredentialError], str]] = {
    "gemini": (MissingGeminiKey, "No Gemini API key was found."),
    "gemini_key": (MissingGeminiKey, "No Gemini API key was found."),
    "geminisearch": (MissingGeminiKey, "No Gemini API key was found."),
    "openai_oauth": (MissingOpenAISession, "No ChatGPT sign-in was found."),
    "openrouter": (MissingOpenRouterKey, "No OpenRouter API key was found."),
    "vertex": (MissingVertexCredentials, "No Application Default Credentials can be used."),
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
    vertex: VertexProject | None = None


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
            return _credential(steps, candidate, config, env, transport, clock)
        skipped.append(candidate)
    error, message = _MISSING[_chosen(steps, config)]
    reasons = dict.fromkeys(f" ({found.where}: {found.unusable}.)" for found in skipped)
    raise error(message + "".join(reasons))


def _chosen(steps: Steps, config: Config) -> Steps:
    """The list whose absence is told: that of the way to Gemini that was chosen."""
    if steps not in ("gemini", "geminisearch"):
        return steps
    ways: Mapping[Upstream, Steps] = {"vertex": "vertex", "code-assist": "code_assist"}
    return ways.get(config.gemini.upstream, steps)


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
        yield Finding(name, found.where, found.kind, state, found.unusable, ends, found.vertex)


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
        case "gemini_key":
            return _gemini_keys(places)
        case "geminisearch":
            return _geminisearch(places)
        case "openai_oauth":
            return _openai_oauth(places)
        case "openrouter":
            return _openrouter(places)
        case "vertex":
            return places.vertex(chosen=True)
        case "code_assist":
            return _google(places)


def _gemini(places: Places) -> Iterator[Candidate]:
    match places.upstream:
        case "vertex":
            yield from places.argument("gemini")  # 1
            yield from places.vertex(chosen=True)  # 7
        case "code-assist":
            yield from places.argument("gemini")  # 1
            yield from _google(places)  # 8
        case "api-key":
            yield from _gemini_keys(places)  # 1 to 6
        case "auto":
            yield from _gemini_keys(places)  # 1 to 6
            yield from places.vertex(chosen=False)  # 7
            yield from _google(places, chosen=False)  # 8


def _gemini_keys(places: Places) -> Iterator[Candidate]:
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
    if places.upstream in ("auto", "api-key"):
        yield from places.variable("GEMINI_API_KEY")  # 3
    yield from _gemini(places)  # 4


def _openai_oauth(places: Places) -> Iterator[Candidate]:
    yield from places.argument_token("openai_oauth")  # 1
    yield from places.opencode_sign_in("openai")  # 2
    yield from places.own_sign_in("openai_oauth")  # 3
    yield from places.variable_token("CODEX_ACCESS_TOKEN")  # 4
    yield from places.codex_sign_in()


def _openrouter(places: Places) -> Iterator[Candidate]:
    yield from places.argument("openrouter")  # 1
    yield from places.variable("OPENROUTER_API_KEY")  # 2
    yield from places.opencode_config("openrouter")  # 3
    yield from places.opencode_key("openrouter")
    yield from places.own_key("openrouter")  # 4


def _google(places: Places, *, chosen: bool = True) -> Iterator[Candidate]:
    yield from places.google_token()  # 1
    yield from places.own_google()  # 2
    yield from places.opencode_google("gemini-cli")  # 3
    yield from places.opencode_google("google")
    for found in places.gemini_cli_google():  # 4
        yield found if chosen or found.unusable else replace(found, unusable=NOT_BY_ITSELF)


def _credential(
    steps: Steps,
    found: Candidate,
    config: Config,
    env: Mapping[str, str],
    transport: Transport,
    clock: Clock,
) -> Credential:
    if found.adc is not None:
        tokens = AdcTokens(found.adc, transport=transport, clock=clock, token_server=config.urls.google_oauth)
        return Credential("gemini", found.kind, found.where, tokens, vertex=found.vertex)
    if found.tokens is not None and steps != "openai_oauth":
        return _code_assist(found, config, env, transport, clock)
    provider = steps if steps in ("openai_oauth", "openrouter") else "gemini"
    authorizer = _authorizer(steps, found, config, transport, clock)
    return Credential(provider, found.kind, found.where, authorizer, vertex=found.vertex)


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
    google = GoogleSignIn(_sign_in(found, issuer, transport, clock), discovery)
    return Credential("gemini", found.kind, found.where, google, google.project)


def _sign_in(
    found: Candidate, issuer: Issuer, transport: Transport, clock: Clock
) -> StoredSignIn | FixedToken:
    assert found.tokens is not None
    if found.place is None:
        return FixedToken(found.tokens, issuer)
    return StoredSignIn(found.tokens, found.place, issuer, transport=transport, clock=clock)
