"""Serve the search tools and the file tools to hosts that speak the Model Context Protocol (MCP).

Hosts start this command themselves and talk to it on standard input and output:

groundwire mcp --tools search
groundwire mcp --tools files --root ~/project --read-only

With --http it listens on this machine instead, for hosts that want an address.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import TYPE_CHECKING

from groundwire.errors import UsageError

if TYPE_CHECKING:
    from typing import BinaryIO

    from groundwire.mcp.declarations import Offer


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


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client closes the input."""
    offer = _offer(arguments)
    return _serve_stdio(offer)


def _offer(arguments: argparse.Namespace) -> Offer:
    from groundwire.mcp.declarations import Offer

    if not os.path.isdir(arguments.root):
        raise UsageError(f"--root is not a directory: {arguments.root}", hint="Name a folder that exists.")
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
    if sys.stdin.isatty():
        print(
            "groundwire: this command is for programs: it waits for messages of the Model Context Protocol. "
            "groundwire tool --list shows the tools; Ctrl-C stops.",
            file=sys.stderr,
        )
    source, output = _own_pipes()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    Connection(session, Calls(offer, tools), output).serve(source)
    return 0


def _own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for the protocol alone: whatever else prints, prints to standard error."""
    source, output = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2 if _is_open(2) else null, 1)
    os.close(null)
    sys.stdout = sys.stderr
    return source, output


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
