"""The command line: finds the command's own module and runs it.

Every command is one file in this folder with `add_arguments(parser)` and `run(arguments) -> int`;
it is imported only when that command is typed, so `groundwire --version` stays as fast as Python.
"""

from __future__ import annotations

import os
import sys

COMMANDS: dict[str, tuple[str, str]] = {
    # word typed: (module in groundwire.cli, one line for --help)
    "search": ("search", "ask the web and get a cited answer"),
    "run": ("run", "give an agent a task: it searches, reads and edits until it is done"),
    "chat": ("chat", "talk with an agent: one task after another"),
    "sessions": ("sessions", "list what the agent did, the newest first"),
    "show": ("show", "show a session: words, calls, diffs and sources, also as a page"),
    "undo": ("undo", "take back what the agent's last run changed"),
    "demo": ("demo", "show everything at work, offline"),
    "index": ("index", "index a folder of documents for --provider local"),
    "doctor": ("doctor", "show what is configured, and what is missing"),
    "login": ("login", "sign in to Google or OpenAI, or store an API key"),
    "logout": ("logout", "forget a sign-in or an API key"),
    "auth": ("auth", "show who is signed in, until when, with which project and quota"),
    "emulator": ("emulator", "serve Gemini, Codex, OpenRouter and their sign-ins on this machine, offline"),
    "gateway": ("gateway", "serve a local Gemini endpoint for any SDK, with your credentials behind it"),
    "install": ("install", "put groundwire into OpenCode, Claude Code, Codex, Cursor and other hosts"),
    "mcp": ("mcp", "serve search and file tools to OpenCode, Claude Code and every other MCP host"),
    "eval": ("eval", "compare toolsets on tasks in the SWE-bench format"),
    "tool": ("tool", "call one of Gemini CLI's file tools on a directory"),
}


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        return _main(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:
        return 130


def _main(words: list[str]) -> int:
    if words and words[0] in ("--version", "-V"):
        from groundwire.version import __version__

        print(f"groundwire {__version__}")
        return 0
    if not words or words[0] in ("--help", "-h", "help"):
        print(overview())
        return 0 if words else 2
    entry = COMMANDS.get(words[0])
    if entry is None:
        print(unknown_command(words[0]), file=sys.stderr)
        return 2
    return run_command(words[0], entry, words[1:])


def run_command(word: str, entry: tuple[str, str], words: list[str]) -> int:
    """Import the command's module, parse its words, run it; translate our errors to exit codes."""
    import argparse
    from importlib import import_module

    from groundwire.cli import standard_streams
    from groundwire.errors import GroundwireError

    standard_streams.prepare()
    module = import_module(f"groundwire.cli.{entry[0]}")
    parser = argparse.ArgumentParser(
        prog=f"groundwire {word}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    arguments = parser.parse_args(words)
    try:
        _check_where_we_stand()
        code = int(module.run(arguments))
        sys.stdout.flush()  # here, where a full disk can still be told
        return code
    except GroundwireError as error:
        print(f"groundwire: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:
        unwritten = standard_streams.exit_code_of(error)
        if unwritten is None:
            raise
        return unwritten


def _check_where_we_stand() -> None:
    """UsageError in a working directory that was removed: settings and workspaces are found from there."""
    from groundwire.errors import UsageError

    try:
        os.getcwd()
    except FileNotFoundError:
        raise UsageError("The working directory is gone.", hint="Change to one that exists.") from None


def overview() -> str:
    """The text of `groundwire --help`."""
    lines = [
        "usage: groundwire COMMAND [options]",
        "",
        "Cited web search and Gemini CLI's tools, for any agent.",
        "",
    ]
    width = max((len(word) for word in COMMANDS), default=0)
    lines += [f"  {word:<{width}}  {summary}" for word, (_, summary) in COMMANDS.items()]
    return "\n".join(
        [*lines, "", "  groundwire COMMAND --help tells more; groundwire --version the version."]
    )


def unknown_command(word: str) -> str:
    """What to say about a word that is no command, with the nearest one."""
    from difflib import get_close_matches

    near = get_close_matches(word, COMMANDS, n=1)
    return f"groundwire: there is no command '{word}'." + (
        f" Did you mean '{near[0]}'?" if near else " groundwire --help lists them."
    )
