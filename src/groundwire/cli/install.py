"""Put groundwire into a host: shows the change as a diff, asks, makes it, and can take it back.

examples:
  groundwire install                         what is on this machine, and where groundwire is
  groundwire install claude-code             for you, in every project
  groundwire install codex --project         for this project only
  groundwire install opencode --dry-run      show the change, make none
  groundwire install opencode --uninstall    remove exactly what was added

hosts: opencode, claude-code, codex, gemini-cli, cursor, vscode, zed, windsurf, claude-desktop
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from groundwire.cli.gateway import DEFAULT_PORT, KEY_VARIABLE
from groundwire.errors import UsageError

if TYPE_CHECKING:
    from groundwire.integrations.install.hosts import Host
    from groundwire.integrations.install.machine import Machine
    from groundwire.integrations.install.parts import Wish
    from groundwire.integrations.install.plan import Plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after `groundwire install`."""
    parser.add_argument("host", nargs="?", metavar="HOST", help="where to put groundwire; none lists them")
    parser.add_argument("--project", action="store_true", help="into this project's file instead of your own")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and stop")
    parser.add_argument("--uninstall", action="store_true", help="remove exactly what was added")
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask")
    parser.add_argument(
        "--tools",
        choices=("search", "files", "all"),
        default="search",
        help="what the host gets: web search (default), Gemini CLI's file tools, or both",
    )
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the folder of the file tools (default: where the host starts groundwire)",
    )
    parser.add_argument(
        "--command", metavar="CMD", help="what the host starts (default: the groundwire that is running now)"
    )

    parser.add_argument(
        "--gateway-port",
        type=int,
        default=DEFAULT_PORT,
        metavar="P",
        help=f"where OpenCode's provider gemini-cli finds groundwire gateway (default {DEFAULT_PORT}); "
        "0 installs no provider",
    )


def run(arguments: argparse.Namespace) -> int:
    """List the hosts, or change one."""
    from groundwire.config import load_config
    from groundwire.integrations.install.machine import own_command, this_machine
    from groundwire.integrations.install.parts import Wish

    config = load_config(env=os.environ, cwd=Path.cwd(), home=Path.home())
    machine = this_machine(config.paths.state_dir)
    command = (arguments.command,) if arguments.command else own_command(sys.argv[0], sys.executable)
    wish = Wish(command, arguments.tools, _root(arguments.root), arguments.project, arguments.gateway_port)
    if arguments.host is None:
        if arguments.uninstall:
            raise UsageError("Out of which host?", hint="groundwire install lists those it is in.")
        from groundwire.cli.install_overview import overview

        print(overview(machine, wish))
        return 0
    host = _host(arguments)
    if host.uses_gateway and wish.gateway_port:
        wish = replace(wish, gateway_key=_gateway_key(config.paths.state_dir, arguments))
    return change(host, machine, wish, arguments)


def change(host: Host, machine: Machine, wish: Wish, arguments: argparse.Namespace) -> int:
    """Show what changes in a host, ask, and make the change."""
    from groundwire.cli.install_overview import (
        after_install,
        after_uninstall,
        key_warning,
        shown_diffs,
        warnings,
    )
    from groundwire.integrations.install import carrying
    from groundwire.integrations.install.disk import read

    known = carrying.remembered(host, machine, wish)
    plan = carrying.planned(host, machine, wish, known, uninstall=arguments.uninstall, read=read)
    told = [] if arguments.uninstall else [*warnings(machine, wish), *key_warning(host, machine)]
    for line in (*plan.notes, *told):
        print(f"note: {line}")
    if not plan.is_change:
        print(f"groundwire {_nothing_to_do(arguments)} {host.title}; nothing changes.")
        return 0
    print(shown_diffs(plan, machine.home, coloured=sys.stdout.isatty() and not os.environ.get("NO_COLOR")))
    if arguments.dry_run:
        print("Nothing was changed (--dry-run).")
        return 0
    if not arguments.yes and not _agreed(plan):
        print("Nothing was changed.")
        return 1
    done = carrying.carry_out(host, machine, wish, plan, known, uninstall=arguments.uninstall)
    report = after_uninstall if arguments.uninstall else after_install
    print("\n".join(report(host, done, machine.home)))
    return 0


def _host(arguments: argparse.Namespace) -> Host:
    from groundwire.integrations.install.hosts import HOSTS

    host = HOSTS.get(arguments.host)
    if host is None:
        from difflib import get_close_matches

        near = get_close_matches(arguments.host, HOSTS, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"The hosts are: {', '.join(HOSTS)}."
        raise UsageError(f"There is no host '{arguments.host}'.", hint=hint)
    if not 0 <= arguments.gateway_port <= 65535:
        raise UsageError("--gateway-port: a port is a number up to 65535, or 0 for no provider.")
    if arguments.project and not host.for_projects:
        raise UsageError(f"{host.title} reads no file of a project.", hint="Leave out --project.")
    return host


def _root(given: str | None) -> Path | None:
    if given is None:
        return None
    root = Path(given).expanduser().absolute()
    if not root.is_dir():
        raise UsageError(f"--root: {root} is not a folder.")
    return root


def _gateway_key(state_dir: Path, arguments: argparse.Namespace) -> str:
    """The key the gateway asks for. Only an installation makes one when there is none yet."""
    from groundwire.gateway.key import FILE_NAME, checked_key, gateway_key

    if given := os.environ.get(KEY_VARIABLE):
        return checked_key(given, KEY_VARIABLE).reveal()
    file = state_dir / FILE_NAME
    if not file.exists() and (arguments.dry_run or arguments.uninstall):
        return "" if arguments.uninstall else "made-when-installed"
    return gateway_key(file)[0].reveal()


def _nothing_to_do(arguments: argparse.Namespace) -> str:
    return "is not in" if arguments.uninstall else "is already in"


def _agreed(plan: Plan) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("Nothing was changed: there is nobody to ask.", hint="Add --yes to make the change.")
    many = "this change" if len(plan.changes) == 1 else "these changes"
    print(f"Make {many}? [y]es, [n]o: ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
