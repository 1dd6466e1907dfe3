"""Remove a key or a sign-in from groundwire's own store, and end the sign-in at its server.

Sign-ins that other programs made (Codex, OpenCode, Gemini CLI) are left to them. A Google sign-in made with
Gemini CLI's OAuth client is not ended at Google's server unless you ask for it with --revoke, because that
ends Gemini CLI's own sign-in too.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Mapping

from groundwire.config import Config
from groundwire.credentials import google_oauth, openai_sign_in
from groundwire.credentials.google_records import OWN_RECORD, own_tokens
from groundwire.credentials.own_store import own_store, remove_record
from groundwire.credentials.records import BadRecord, OAuthTokens, oauth_record
from groundwire.credentials.resolve import survey
from groundwire.errors import CredentialError, GroundwireError
from groundwire.runtime import config_from_world, open_http
from groundwire.transport.base import Request

# Word typed: the name of its record, and the steps that would find others.
RECORDS: Mapping[str, tuple[str, str]] = {
    "google": (OWN_RECORD, "code_assist"),
    "openai": ("openai_oauth", "openai_oauth"),
    "gemini": ("gemini", "gemini_key"),
    "openrouter": ("openrouter", "openrouter"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words of this command."""
    parser.add_argument("provider", choices=[*RECORDS, "all"], help="what to remove")
    parser.add_argument(
        "--revoke",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="end the sign-in at its server too, or only forget it here",
    )


def run(arguments: argparse.Namespace) -> int:
    """Remove, revoke, and say what is still there."""
    config = config_from_world()
    words = list(RECORDS) if arguments.provider == "all" else [arguments.provider]
    for word in words:
        _forget(word, config, arguments.revoke, quiet=arguments.provider == "all")
    if arguments.provider == "all":
        print(f"Nothing is left in {own_store(config).where}.")
    for finding in survey(config, os.environ, time.time, [RECORDS[word][1] for word in words]):
        if finding.state == "used":
            print(f"Still used, since it is not groundwire's: {finding.where}.")
    return 0


def _forget(word: str, config: Config, revoke: bool | None, *, quiet: bool) -> None:
    name, _ = RECORDS[word]
    store = own_store(config)
    reading = store.read()
    if reading.problem is not None:
        raise CredentialError(
            f"Nothing was removed, since {store.where} cannot be read: {reading.problem.reason}.",
            hint="Repair or remove that file.",
        )
    document = reading.document
    if name not in document:
        if not quiet:
            print(f"There is nothing of {word} in {store.where}.")
        return
    request = _revocation(word, document, config, revoke)
    remove_record(config, name)
    print(f"Removed {word} from {store.where}.")
    if isinstance(request, str):
        print(request)
    elif request is not None:
        asyncio.run(_end(word, request))


def _revocation(
    word: str, document: Mapping[str, object], config: Config, revoke: bool | None
) -> Request | str | None:
    """The request that ends the sign-in at its server, or the reason to leave it at that."""
    tokens = _tokens(word, document)
    if tokens is None or tokens.refresh is None or revoke is False:
        return None
    if word == "openai":
        return openai_sign_in.revoke_request(config.urls.openai_oauth, tokens.refresh)
    shared = tokens.client_id in (None, google_oauth.GEMINI_CLI_CLIENT_ID)
    if shared and not revoke:
        return (
            "At Google the sign-in is still good: ending it there would end Gemini CLI's, too "
            "(--revoke does it, and so does https://myaccount.google.com/connections)."
        )
    return google_oauth.revoke_request(config.urls.google_oauth, tokens.refresh)


def _tokens(word: str, document: Mapping[str, object]) -> OAuthTokens | None:
    try:
        if word == "google":
            return own_tokens(document)
        return oauth_record(document, "openai_oauth") if word == "openai" else None
    except BadRecord:
        return None


async def _end(word: str, request: Request) -> None:
    try:
        async with open_http(os.environ) as http:
            response = await http.send(request)
            status = response.status
            await response.close()
    except GroundwireError as error:
        print(f"groundwire: {word}'s server could not be told: {error.message}", file=sys.stderr)
        return
    if status == 200:
        print("The sign-in is ended at its server, too.")
    else:
        told = f"{word}'s server answered HTTP {status}; the sign-in may be over already."
        print(f"groundwire: {told}", file=sys.stderr)
