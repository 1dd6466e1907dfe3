"""What `groundwire auth` knows of each credential: whose it is, where, how long it lasts, what it opens.

Without `http` nothing is sent. With it, Google is asked whose the token is, which project it runs in and how
much quota is left; what cannot be found out is left open and its reason told. No token is in a report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from groundwire.config import Config
from groundwire.credentials.adc_files import METADATA_SERVER
from groundwire.credentials.base import Clock, Credential
from groundwire.credentials.candidates import NOT_BY_ITSELF
from groundwire.credentials.google_oauth import email_in, email_of, token_info_request
from groundwire.credentials.google_quota import buckets_in, quota_request
from groundwire.credentials.google_sign_in import GoogleSignIn
from groundwire.credentials.openai_oauth import account_of
from groundwire.credentials.openai_sign_in import email_of as openai_email
from groundwire.credentials.openai_sign_in import plan_of
from groundwire.credentials.resolve import Finding, resolve, survey
from groundwire.credentials.stored_sign_in import FixedToken, StoredSignIn
from groundwire.errors import ConnectFailed, GroundwireError
from groundwire.transport.auth import Auth
from groundwire.transport.base import Request, Response, Transport

SERVICES: Mapping[str, str] = {
    "gemini": "Gemini API",
    "vertex": "Vertex AI",
    "code_assist": "Google sign-in (Code Assist)",
    "openai_oauth": "ChatGPT sign-in",
    "openrouter": "OpenRouter",
}
"""The services that are shown, and their titles."""

STEPS: Mapping[str, str] = {service: service for service in SERVICES} | {"gemini": "gemini_key"}
"""The steps that lead to a service: to Gemini itself only by a key, since the others are services too."""

_MAX_REPLY_BYTES = 1024 * 1024


class Quota(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is left for one model."""

    model: str
    left: float | None = None
    amount: float | None = None
    resets: float | None = None


class Account(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One credential. `state` is used, shadowed (a better one comes first) or unusable."""

    service: str
    title: str
    state: str
    kind: str
    where: str
    reason: str | None = None
    who: str | None = None
    plan: str | None = None
    account_id: str | None = None
    ends: float | None = None
    project: str | None = None
    quota: list[Quota] | None = None
    trouble: str | None = None
    """What could not be found out, and what to do about it."""


async def accounts(
    config: Config, env: Mapping[str, str], clock: Clock, http: Transport | None
) -> list[Account]:
    """Every credential there is, in the order of the services and of their steps."""
    found = [
        _account(finding)
        for finding in survey(config, env, clock, list(STEPS.values()))
        # The metadata server can be asked on any machine; only who chose Vertex AI means it.
        if finding.where != METADATA_SERVER.where or config.gemini.upstream == "vertex"
    ]
    unasked = _not_by_themselves(config, env, clock)
    for account in found:
        if account.state == "used" and account.kind == "oauth":
            credential = resolve(account.service, config, env, http or _Nobody(), clock)
            _from_tokens(account, credential)
            if account.where in unasked:
                account.trouble = f"Google was not asked. {NOT_BY_ITSELF}"
            elif account.service == "code_assist" and http is not None:
                await _ask_google(account, credential, config, http)
    return found


def _not_by_themselves(config: Config, env: Mapping[str, str], clock: Clock) -> set[str]:
    """Where the sign-ins are that are used only by who has chosen Code Assist."""
    if config.gemini.upstream == "code-assist":
        return set()
    by_itself = replace(config, gemini=replace(config.gemini, upstream="auto"))
    findings = survey(by_itself, env, clock, ["gemini"])
    return {finding.where for finding in findings if finding.reason == NOT_BY_ITSELF}


def _account(finding: Finding) -> Account:
    service = next(service for service, steps in STEPS.items() if steps == finding.provider)
    return Account(
        service=service,
        title=SERVICES[service],
        state=finding.state,
        kind=finding.kind,
        where=finding.where,
        reason=finding.reason,
        ends=finding.ends,
        project=finding.vertex.project if finding.vertex else None,
    )


def _from_tokens(account: Account, credential: Credential) -> None:
    """What a sign-in says about itself."""
    keeper = credential.authorizer
    assert isinstance(keeper, GoogleSignIn | StoredSignIn | FixedToken)
    tokens = keeper.tokens
    if account.service == "code_assist":
        account.who = tokens.email or email_of(tokens.id_token)
        account.project = tokens.project
        return
    account.who = tokens.email or openai_email(tokens.id_token) or openai_email(tokens.access)
    account.plan = plan_of(tokens.id_token) or plan_of(tokens.access)
    account.account_id = account_of(tokens)


async def _ask_google(account: Account, credential: Credential, config: Config, http: Transport) -> None:
    signed = Auth(http, credential.authorizer)
    try:
        if account.who is None:
            account.who = email_in(*await _answer(signed, token_info_request(config.urls.google_oauth)))
        assert credential.project is not None
        account.project = await credential.project()
        buckets = buckets_in(*await _answer(signed, quota_request(config.urls.code_assist, account.project)))
        if buckets is not None:
            account.quota = [
                Quota(model=one.model, left=one.left, amount=one.amount, resets=one.resets) for one in buckets
            ]
    except GroundwireError as error:
        account.trouble = str(error)
    keeper = credential.authorizer
    assert isinstance(keeper, GoogleSignIn)
    account.ends = keeper.tokens.expires


async def _answer(transport: Transport, request: Request) -> tuple[int, bytes]:
    response = await transport.send(request)
    async with response:
        return response.status, await response.read(_MAX_REPLY_BYTES)


class _Nobody:
    """The network when nothing may be sent."""

    async def send(self, request: Request) -> Response:
        raise ConnectFailed("Nothing is sent here.")
