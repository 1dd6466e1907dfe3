"""Store an API key in groundwire's own store, so that no environment variable is needed.

The key is asked for without showing it, or read from a pipe:

    groundwire login gemini
    pass show gemini | groundwire login gemini

A ChatGPT sign-in is made by the programs it belongs to: codex login, or opencode auth login.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from groundwire.config import load_config
from groundwire.config.checks import usable_key
from groundwire.credentials.own_store import save_key
from groundwire.credentials.resolve import survey
from groundwire.errors import InvalidConfig, MissingGeminiKey, MissingOpenAISession, UsageError
from groundwire.secret import Secret

MAX_KEY_CHARS = 10_000

# Word typed: the page where a key is made.
KEY_PAGES: Mapping[str, str] = {
    "gemini": "https://aistudio.google.com/apikey",
    "openrouter": "https://openrouter.ai/keys",
}
# Word typed: what to do instead of signing in here.
INSTEAD: Mapping[str, str] = {
    "openai": MissingOpenAISession.default_hint,
    "google": MissingGeminiKey.default_hint,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words of this command."""
    parser.add_argument("provider", choices=[*KEY_PAGES, *INSTEAD], help="whose key to store")


def run(arguments: argparse.Namespace) -> int:
    """Ask for the key, store it, and say which credential is used from now on."""
    provider: str = arguments.provider
    if provider in INSTEAD:
        raise UsageError(
            f"Signing in to {provider} from groundwire is not possible yet.", hint=INSTEAD[provider]
        )
    config = load_config(env=os.environ, cwd=Path.cwd(), home=Path.home())
    store = save_key(config, provider, _ask(provider))
    print(f"Stored in {store.where}.")
    for finding in survey(config, os.environ, time.time):
        if finding.provider == provider and finding.state == "used" and finding.where != store.where:
            print(f"Note: {finding.where} comes first, so the stored key is not used while that is there.")
    return 0


def _ask(provider: str) -> Secret:
    if sys.stdin.isatty():
        from getpass import getpass

        print(f"Get a key at {KEY_PAGES[provider]}")
        try:
            text = getpass(f"{provider} API key (not shown): ")
        except EOFError:
            text = ""
    else:
        text = sys.stdin.readline(MAX_KEY_CHARS + 1)
    if len(text) > MAX_KEY_CHARS:
        raise InvalidConfig("That is too long to be a key; nothing was stored.")
    try:
        key = usable_key(text)
    except ValueError as wrong:
        raise InvalidConfig(f"That key {wrong}; nothing was stored.") from None
    if key is None:
        raise InvalidConfig("No key was given; nothing was stored.", hint=f"Get one at {KEY_PAGES[provider]}")
    return key
