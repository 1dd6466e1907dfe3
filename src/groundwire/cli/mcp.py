"""Serve the search tools and the file tools to hosts that speak the Model Context Protocol (MCP).

Hosts start this command themselves and talk to it on standard input and output:

groundwire mcp --tools search
groundwire mcp --tools files --root ~/project --read-only

With --http it listens on this machine instead (http://127.0.0.1:8767/mcp), for hosts that want an address.
Every request must then carry a key: it is made and shown at the first start, or given in GROUNDWIRE_MCP_KEY.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

from groundwire.cli.standard_streams import closed_at_start
from groundwire.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from groundwire.mcp.declarations import Offer
    from groundwire.secret import Secret

DEFAULT_PORT = 8767
KEY_VARIABLE = "GROUNDWIRE_MCP_KEY"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after `groundwire mcp`."""
    parser.add_argument(
        "--tools",
        choices=("search", "files", "all"),
        default="all",
        help="what to offer (default all)",
    )
    parser.add_argument(
        "--names",
        choices=("full", "bare"),
        default="full",
        help="bare: only gemini, openai_oauth and openrouter, for hosts that put 'websearch_' in front",
    )
    parser.add_argument("--root", default=".", metavar="DIR", help="the workspace (default: this directory)")
    parser.add_argument(
        "--dialect",
        choices=("classic", "current", "legacy"),
        default="current",
        help="the names and parameters of the file tools (default current)",
    )
    parser.add_argument("--read-only", action="store_true", help="leave out the tools that write")
    parser.add_argument("--http", action="store_true", help="listen on this machine instead of using pipes")
    parser.add_argument(
        "--port", type=int, help=f"with --http: the port; 0 takes a free one (default {DEFAULT_PORT})"
    )
    parser.add_argument("--key-file", metavar="FILE", help="with --http: where the key is kept")


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client closes the input, or until it is stopped."""
    offer = _offer(arguments)
    return _serve_http(offer, arguments) if arguments.http else _serve_stdio(offer)


def _offer(arguments: argparse.Namespace) -> Offer:
    from groundwire.mcp.declarations import Offer

    if not os.path.isdir(arguments.root):
        raise UsageError(f"--root is not a directory: {arguments.root}", hint="Name a folder that exists.")
    if not arguments.http and (arguments.port is not None or arguments.key_file is not None):
        raise UsageError("--port and --key-file are for a server that listens.", hint="Add --http.")
    return Offer(
        arguments.tools, arguments.names, arguments.root, arguments.dialect, read_only=arguments.read_only
    )


def _serve_stdio(offer: Offer) -> int:
    from groundwire.mcp.calls import Calls
    from groundwire.mcp.declarations import instructions, offered
    from groundwire.mcp.protocol import Session
    from groundwire.mcp.stdio import Connection
    from groundwire.version import __version__

    tools = offered(offer)
    session = Session(
        tools.declared, name="groundwire", version=__version__, instructions=instructions(offer)
    )
    if sys.stdin is not None and sys.stdin.isatty():
        print(
            "groundwire: this command is for programs: it waits for messages of the Model Context Protocol. "
            "groundwire tool --list shows the tools; Ctrl-C stops.",
            file=sys.stderr,
        )
    source, output = _own_pipes()
    connection = Connection(session, Calls(offer, tools), output)
    _end_on_signals(connection.end)
    connection.serve(source)
    return 0


def _end_on_signals(end: Callable[[], None]) -> None:
    """End politely on Ctrl-C and when asked to, also while the main thread waits for input.

    A handler is not enough: a signal that comes just before the wait begins is noticed only after it.
    """
    if os.name == "nt":  # there, Ctrl-C ends the wait
        return
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)

    def watch() -> None:
        number = os.read(heard, 1)[0]
        end()
        os._exit(0 if number == signal.SIGTERM else 130)

    threading.Thread(target=watch, name="signals", daemon=True).start()


def _own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for the protocol alone: whatever else prints, prints to standard error."""
    if closed_at_start & {0, 1}:
        raise UsageError(
            "Standard input or output is closed, and hosts talk through them.",
            hint="To listen on an address instead: groundwire mcp --http",
        )
    source, output = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    sys.stdout = sys.stderr
    return source, output


def _serve_http(offer: Offer, arguments: argparse.Namespace) -> int:
    import asyncio

    from groundwire.mcp.http import HOST, PATH, application, require_sdk, serve
    from groundwire.serving import listening

    require_sdk()
    listener = listening(
        HOST,
        DEFAULT_PORT if arguments.port is None else arguments.port,
        "groundwire mcp",
        hint="If another groundwire mcp --http runs there, use that one; or choose another --port "
        "(0 takes any free one).",
    )
    port = listener.getsockname()[1]
    key = _key(arguments.key_file)

    def ready() -> None:
        print(f"Listening on http://{HOST}:{port}{PATH}. Ctrl-C stops.", flush=True)

    asyncio.run(serve(application(offer, key, port=port), listener, ready))
    return 0


def _key(file: str | None) -> Secret:
    """The key of the HTTP server; says where it is, and shows one that was made now."""
    from pathlib import Path

    from groundwire.credentials.server_key import checked_key, server_key
    from groundwire.runtime import config_from_world

    given = os.environ.get(KEY_VARIABLE)
    if given and file is None:
        key = checked_key(given, KEY_VARIABLE)
        print(f"Requests need the header: Authorization: Bearer KEY, with the key in {KEY_VARIABLE}.")
        return key
    path = Path(file) if file else config_from_world().paths.state_dir / "mcp-key"
    key, made_now = server_key(path, prefix="gwm-")
    if made_now:
        print(f"A key was made and is shown only this once; it is kept in {path}:")
        print(f"Requests need the header: Authorization: Bearer {key.reveal()}")
    else:
        print(f"Requests need the header: Authorization: Bearer KEY, with the key in {path}.")
    return key
