"""Serve Gemini, Code Assist, Vertex AI, Google sign-in, Codex and OpenRouter on this machine, offline.

Prints what to paste into another terminal for each client, then answers until it is stopped
(Ctrl-C). Keys and tokens are made up; searches run over a folder of documents (--corpus) or over a few
bundled ones. A scenario (--list-scenarios) makes something go wrong on purpose, for every request or,
with the header x-emulator-scenario or the text [[scenario:NAME]] in a prompt, for one.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.emulator import Emulator
    from groundwire.emulator.journal import Journal

DEFAULT_PORT = 8765
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after `groundwire emulator`."""
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default 127.0.0.1)")
    parser.add_argument(
        "--port",
        type=int,
        default=DEFAULT_PORT,
        help=f"the port; 0 takes a free one (default {DEFAULT_PORT})",
    )
    parser.add_argument("--corpus", metavar="DIR", type=Path, help="the documents that searches run over")
    parser.add_argument(
        "--scenario", metavar="NAME", help="what goes wrong, for every request; a+b plays both"
    )
    parser.add_argument("--script", metavar="FILE", help="what the model does, step by step; or: weather")
    parser.add_argument("--log", metavar="FILE", type=Path, help="write each request there as a line of JSON")
    parser.add_argument("--list-scenarios", action="store_true", help="show all scenarios and stop")


def run(arguments: argparse.Namespace) -> int:
    """Serve until stopped; 1 when a script was not followed to its end."""
    from groundwire.serving import run_fast

    if arguments.list_scenarios:
        print(scenario_table())
        return 0
    return run_fast(_serve(arguments))


def scenario_table() -> str:
    """All scenarios, under the APIs they belong to."""
    from groundwire.emulator.scenarios import catalogue

    width = max(map(len, catalogue()))
    groups: dict[str, list[str]] = {}
    for name, scenario in catalogue().items():
        heading = ", ".join(scenario.apis) or "every API"
        groups.setdefault(heading, []).append(f"  {name:<{width}}  {scenario.about}")
    return "\n\n".join("\n".join([f"{heading}:", *lines]) for heading, lines in groups.items())


async def _serve(arguments: argparse.Namespace) -> int:
    from groundwire.emulator import Emulator, ScriptNotFollowed
    from groundwire.serving import when_told_to_stop

    with _journal(arguments.log) as on_reply:
        emulator = Emulator(
            host=arguments.host,
            port=arguments.port,
            corpus=arguments.corpus,
            scenario=arguments.scenario,
            script=arguments.script,
            on_reply=on_reply,
            keep=0,
        )
        if arguments.corpus is not None:
            print(f"Indexing {arguments.corpus} ...", file=sys.stderr)
            print(f"{emulator.open_documents()} documents can be searched.", file=sys.stderr)
        stop = asyncio.Event()
        when_told_to_stop(stop.set)
        try:
            async with emulator:
                _introduce(emulator, arguments)
                await stop.wait()
                print(f"Stopped after {emulator.world.counts['requests']} requests.", file=sys.stderr)
        except ScriptNotFollowed as report:
            print(report.message, file=sys.stderr)
            return 1
    return 0


def _introduce(emulator: Emulator, arguments: argparse.Namespace) -> None:
    """Say where it listens and what to paste; loudly so when others can reach it."""
    from groundwire.emulator.clients import as_shell, clients

    if arguments.host not in LOOPBACK:
        print(
            f"WARNING: listening on {arguments.host}: every machine that can reach this one can use it, "
            "read what you send and answer your programs. Leave out --host to stay on this machine.",
            file=sys.stderr,
        )
    print("# Paste one of these blocks into another terminal.", end="\n\n")
    for client in clients(emulator.world):
        print(as_shell(client), end="\n\n")
    playing = f", playing {arguments.scenario}" if arguments.scenario else ""
    print(f"# Listening on {emulator.base_url}{playing}. Ctrl-C stops.", flush=True)


@contextlib.contextmanager
def _journal(path: Path | None) -> Iterator[Journal | None]:
    from groundwire.emulator.journal import Journal
    from groundwire.errors import InvalidConfig

    if path is None:
        yield None
        return
    try:
        file = path.open("ab")
    except OSError as error:
        raise InvalidConfig(f"The log {path} cannot be written: {error.strerror}.") from error
    with file:
        yield Journal(file, time.time)
