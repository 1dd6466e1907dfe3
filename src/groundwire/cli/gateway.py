"""Serve a local Gemini endpoint for any SDK in any language, with the credentials of this machine behind it.

Prints what to paste into another terminal, then answers until it is stopped. The first Ctrl-C lets answers in
progress come to their end, the second ends at once. Programs show the gateway's own key, which is made at the
first start; the real credential never leaves this process except to Google.

OPENCODE_GEMINI_DEBUG=1 shows every request and response, without secrets.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.gateway.debug_log import DebugLog
    from groundwire.gateway.server import Gateway
    from groundwire.secret import Secret

DEFAULT_PORT = 8766
UPSTREAMS = ("auto", "code-assist", "api-key", "vertex")
KEY_VARIABLE = "GROUNDWIRE_GATEWAY_KEY"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after `groundwire gateway`."""
    parser.add_argument(
        "--port",
        type=int,
        default=DEFAULT_PORT,
        help=f"the port; 0 takes a free one (default {DEFAULT_PORT})",
    )
    parser.add_argument(
        "--upstream",
        choices=UPSTREAMS,
        help="who answers: auto takes the first of api-key, vertex and code-assist that has a credential "
        "(default: the setting gemini.upstream, else auto)",
    )
    parser.add_argument(
        "--key-file",
        metavar="FILE",
        type=Path,
        help=f"where the gateway's own key is kept, or made; the variable {KEY_VARIABLE} gives one instead",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until stopped."""
    from groundwire.serving import run_fast

    return run_fast(_serve(arguments))


async def _serve(arguments: argparse.Namespace) -> int:
    from groundwire.gateway.key import FILE_NAME
    from groundwire.gateway.server import Gateway
    from groundwire.gateway.upstreams import open_upstream
    from groundwire.runtime import config_from_world

    config = config_from_world({"gemini.upstream": arguments.upstream})
    key_file = arguments.key_file or config.paths.state_dir / FILE_NAME
    async with AsyncExitStack() as stack:
        upstream = await open_upstream(config, os.environ, time.time, stack)
        key, origin = _key(key_file, os.environ)
        gateway = Gateway(upstream, key, port=arguments.port, debug=_debug_log(os.environ, key))
        stop = _stop_signals(gateway)
        async with gateway:
            _introduce(gateway, key, key_file, origin)
            await stop.wait()
            working = gateway.service.metrics.in_progress
            if working:
                answers = "one answer comes" if working == 1 else f"{working} answers come"
                print(f"Stopping when {answers} to an end. Ctrl-C again stops at once.", file=sys.stderr)
    print(f"Stopped after {sum(gateway.service.metrics.requests.values())} requests.", file=sys.stderr)
    return 0


def _key(path: Path, env: Mapping[str, str]) -> tuple[Secret, str]:
    """The gateway's key, and how it came: given, kept or made."""
    from groundwire.gateway.key import checked_key, gateway_key

    if given := env.get(KEY_VARIABLE):
        return checked_key(given, KEY_VARIABLE), "given"
    key, made_now = gateway_key(path)
    return key, "made" if made_now else "kept"


def _debug_log(env: Mapping[str, str], key: Secret) -> DebugLog | None:
    from groundwire.gateway.debug_log import DebugLog

    if env.get("OPENCODE_GEMINI_DEBUG") != "1":
        return None
    return DebugLog(sys.stderr.write, [key])


def _introduce(gateway: Gateway, key: Secret, key_file: Path, origin: str) -> None:
    """Say where it listens, what is behind it, and what to paste."""
    from shlex import quote

    from groundwire.gateway.recipes import recipes

    in_a_shell = f"${KEY_VARIABLE}" if origin == "given" else f"$(cat {quote(str(key_file))})"
    if origin == "made":
        print(f"# The key of this gateway, shown this once and kept in {key_file}:\n#   {key.reveal()}\n")
    print("# Paste one of these blocks into another terminal.", end="\n\n")
    for recipe in recipes(gateway.base_url, in_a_shell):
        print(recipe, end="\n\n")
    print(f"# Behind it: {gateway.upstream.title}, {gateway.upstream.where}.")
    print(f"# Listening on {gateway.base_url}. Ctrl-C stops.", flush=True)


def _stop_signals(gateway: Gateway) -> asyncio.Event:
    """Set by Ctrl-C or a polite request to end; when it is set already, the gateway ends at once."""
    from groundwire.serving import when_told_to_stop

    stop = asyncio.Event()

    def told() -> None:
        if stop.is_set():
            gateway.stop_now()
        stop.set()

    when_told_to_stop(told)
    return stop
