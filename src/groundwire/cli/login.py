"""Sign in, or store an API key, so that no environment variable is needed.

An API key is asked for without showing it, or read from a pipe:

    groundwire login gemini
    pass show gemini | groundwire login openrouter

A sign-in opens a browser. Where there is none (over SSH, without a display, with --no-browser) Google shows a
code to paste here, and OpenAI wants a code typed on its page:

    groundwire login google
    groundwire login openai

Everything goes into groundwire's own store. docs/sign-in.md says what Google's terms mean for you.
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
from groundwire.errors import InvalidConfig, UsageError
from groundwire.secret import Secret

MAX_KEY_CHARS = 10_000

# Word typed: the page where a key is made.
KEY_PAGES: Mapping[str, str] = {
    "gemini": "https://aistudio.google.com/apikey",
    "openrouter": "https://openrouter.ai/keys",
}
SIGN_INS = ("google", "openai")

# Option: for which of the words it has a meaning.
MEANT_FOR: Mapping[str, tuple[str, ...]] = {
    "browser": SIGN_INS,
    "port": SIGN_INS,
    "device": ("openai",),
    "use_gemini_cli_client": ("google",),
    "project": ("google",),
    "yes": ("google",),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words of this command."""
    parser.add_argument(
        "provider", choices=[*KEY_PAGES, *SIGN_INS], help="whose key to store, or where to sign in"
    )
    parser.add_argument(
        "--browser",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="sign in with a browser on this machine, or without one; found out by itself otherwise",
    )
    parser.add_argument("--port", type=_port, help="the port on 127.0.0.1 to which the browser comes back")
    parser.add_argument(
        "--device", action="store_true", default=None, help="openai: show a code to type on OpenAI's page"
    )
    parser.add_argument(
        "--use-gemini-cli-client",
        action="store_true",
        default=None,
        help="google: sign in with the OAuth client of the Gemini CLI that is installed here",
    )
    parser.add_argument("--project", metavar="ID", help="google: the Google Cloud project of your licence")
    parser.add_argument(
        "--yes",
        action="store_true",
        default=None,
        help="google: you have read what Google's terms say, and go on",
    )


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return number


def run(arguments: argparse.Namespace) -> int:
    """Store a key, or sign in, and say which credential is used from now on."""
    provider: str = arguments.provider
    for option, words in MEANT_FOR.items():
        if getattr(arguments, option) is not None and provider not in words:
            spelled = option.replace("_", "-")
            raise UsageError(
                f"--{spelled} has no meaning for {provider}.", hint=f"It is for: {', '.join(words)}."
            )
    if provider in SIGN_INS:
        from groundwire.cli.signing_in import sign_in

        return sign_in(arguments)
    return _store_key(provider)


def _store_key(provider: str) -> int:
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
