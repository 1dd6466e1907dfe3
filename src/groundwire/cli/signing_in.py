"""What `groundwire login google` and `login openai` do: consent, browser or code, store, first look."""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import sys
import textwrap
import time
from dataclasses import replace

from groundwire.cli.terminal import Terminal
from groundwire.cli.waiting import Waiting
from groundwire.config import Config
from groundwire.credentials.google_client import configured_client
from groundwire.credentials.google_project import checked_project
from groundwire.credentials.google_records import OWN_RECORD, own_record
from groundwire.credentials.login import by_browser, by_code, why_no_browser
from groundwire.credentials.login_google import TERMS, TERMS_LINK, GoogleFlow
from groundwire.credentials.login_openai import OpenAIFlow
from groundwire.credentials.memory import Memory
from groundwire.credentials.openai_oauth import own_record as openai_record
from groundwire.credentials.own_store import own_store, save_record
from groundwire.credentials.pkce import new_attempt
from groundwire.credentials.records import OAuthTokens
from groundwire.credentials.resolve import resolve, survey
from groundwire.credentials.store import FileStore
from groundwire.errors import GroundwireError, SignInFailed, UsageError
from groundwire.runtime import config_from_world, open_http
from groundwire.transport.base import Transport


def sign_in(arguments: argparse.Namespace) -> int:
    """Sign in and say what can be used now."""
    config = config_from_world({"google.project": arguments.project})
    person = Terminal()
    if arguments.provider == "openai":
        return asyncio.run(_openai(arguments, config, person))
    return asyncio.run(_google(arguments, config, person))


async def _google(arguments: argparse.Namespace, config: Config, person: Terminal) -> int:
    checked_project(config.google.project)
    client = configured_client(config, os.environ, use_gemini_cli=bool(arguments.use_gemini_cli_client))
    _agree(person, Memory(config.paths.state_dir), confirmed=bool(arguments.yes))
    attempt = new_attempt(secrets.token_bytes)

    def keep(tokens: OAuthTokens) -> None:
        store = save_record(config, OWN_RECORD, own_record(tokens))
        _say_signed_in(person, "Google", tokens, store)

    async with open_http(os.environ) as http:
        flow = GoogleFlow(client, config.urls, http, time.time)
        if arguments.port is not None:
            flow = replace(flow, ports=(arguments.port,))
        if _with_browser(arguments, person):
            await by_browser(flow, person, attempt, keep)
        else:
            await by_code(flow, person, attempt, keep, flow.code_page)
        _say_what_comes_first(config, "code_assist", person)
        _say_which_way(config, person)
        return await _say_project(config, http, person)


async def _openai(arguments: argparse.Namespace, config: Config, person: Terminal) -> int:
    def keep(tokens: OAuthTokens) -> None:
        store = save_record(config, "openai_oauth", openai_record(tokens))
        _say_signed_in(person, "ChatGPT", tokens, store)

    async with open_http(os.environ) as http:
        flow = OpenAIFlow(config.urls.openai_oauth, http, time.time)
        if arguments.port is not None:
            flow = replace(flow, ports=(arguments.port,))
        if not arguments.device and _with_browser(arguments, person):
            await by_browser(flow, person, new_attempt(secrets.token_bytes), keep)
        else:
            keep(await flow.by_device(person))
    _say_what_comes_first(config, "openai_oauth", person)
    return 0


def _agree(person: Terminal, memory: Memory, *, confirmed: bool) -> None:
    """Before the first Google sign-in a person reads what the terms say, and goes on or not."""
    if memory.terms_confirmed:
        return
    person.say(f"{textwrap.fill(TERMS, 78)}\n{TERMS_LINK}\n")
    if not confirmed:
        if not sys.stdin.isatty():
            raise UsageError(
                "Signing in to Google needs your confirmation, and there is no terminal to ask in.",
                hint="If you have read the above and want to go on, add --yes.",
            )
        if person.ask("Go on? [y/N] ").strip().lower() not in ("y", "yes"):
            raise SignInFailed("You chose not to sign in.", hint="An API key works: groundwire login gemini")
    memory.confirm_terms(time.time())


def _with_browser(arguments: argparse.Namespace, person: Terminal) -> bool:
    if arguments.browser is not None:
        return bool(arguments.browser)
    reason = why_no_browser(os.environ, sys.platform)
    if reason is not None:
        person.say(f"Signing in without a browser on this machine, since {reason} (--browser uses one).")
    return reason is None


def _say_signed_in(person: Terminal, company: str, tokens: OAuthTokens, store: FileStore) -> None:
    who = f" as {tokens.email}" if tokens.email else ""
    person.say(f"Signed in to {company}{who}. Stored in {store.where}.")


def _say_what_comes_first(config: Config, name: str, person: Terminal) -> None:
    store = own_store(config)
    for finding in survey(config, os.environ, time.time, [name]):
        if finding.state == "used" and finding.where != store.where:
            person.say(f"Note: {finding.where} comes first, so this sign-in is not used while that is there.")


def _say_which_way(config: Config, person: Terminal) -> None:
    """A key or Vertex AI is used before a sign-in."""
    for finding in survey(config, os.environ, time.time, ["gemini"]):
        if finding.state == "used" and finding.kind != "oauth":
            person.say(f"Note: Gemini is asked with what is in {finding.where} while that is there.")
            person.say("To use this sign-in instead: export GROUNDWIRE_GEMINI_UPSTREAM=code-assist")


async def _say_project(config: Config, http: Transport, person: Terminal) -> int:
    """The first look: which project Code Assist runs in. A refusal is told now and not at the first query."""
    credential = resolve("code_assist", config, os.environ, http, time.time)
    assert credential.project is not None
    try:
        with Waiting("Finding the project (the first time: up to two minutes)"):
            project = await credential.project()
        person.say(f"Code Assist runs in the project {project}.")
    except GroundwireError as error:
        print(f"groundwire: You are signed in, but Code Assist cannot be used yet. {error}", file=sys.stderr)
        return error.exit_code
    return 0
