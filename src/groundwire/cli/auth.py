"""Show who is signed in: which account, in which store, until when, with which project and how much quota.

Google is asked for the project and the quota; --offline sends nothing. No token is shown. The exit code is 0
when there is something to use, else 3.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from pathlib import Path

import msgspec

from groundwire.cli.accounts import SERVICES, Account, Quota, accounts
from groundwire.cli.duration import span
from groundwire.cli.printable import printable, printable_json
from groundwire.cli.waiting import Waiting
from groundwire.config import Config
from groundwire.credentials.resolve import store_problems
from groundwire.errors import CredentialError
from groundwire.runtime import config_from_world, open_http

NOTHING = "Nobody is signed in, and there is no API key. groundwire login --help shows the ways."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words of this command."""
    parser.add_argument("--json", action="store_true", help="print the report as one JSON array")
    parser.add_argument("--offline", action="store_true", help="send nothing")


def run(arguments: argparse.Namespace) -> int:
    """Look, ask, print, and say by the exit code whether anything can be used."""
    config = config_from_world()
    with Waiting("Asking who is signed in", quiet=arguments.offline):
        found = asyncio.run(_found(config, offline=arguments.offline))
    for problem in store_problems(config, os.environ, time.time):
        print(f"groundwire: {problem}", file=sys.stderr)
    if arguments.json:
        print(printable_json(msgspec.json.format(msgspec.json.encode(found), indent=2).decode("utf-8")))
    else:
        print(printable(as_text(found, home=Path.home(), now=time.time())))
    return 0 if any(account.state == "used" for account in found) else CredentialError.exit_code


async def _found(config: Config, *, offline: bool) -> list[Account]:
    if offline:
        return await accounts(config, os.environ, time.time, None)
    async with open_http(os.environ) as http:
        return await accounts(config, os.environ, time.time, http)


def as_text(found: list[Account], *, home: Path, now: float) -> str:
    """The report for a person: a block for each service that has something."""
    blocks = []
    for service, title in SERVICES.items():
        of_service = [account for account in found if account.service == service]
        if of_service:
            blocks.append("\n".join([title, *(line for one in of_service for line in _lines(one, now))]))
    text = "\n\n".join(blocks) if blocks else NOTHING
    return text.replace(f"{home}{os.sep}", f"~{os.sep}")


def _lines(account: Account, now: float) -> list[str]:
    if account.state == "shadowed":
        return [f"  also there, not used: {account.where}"]
    if account.state == "unusable":
        return [f"  not usable: {account.where}: {account.reason}"]
    rows = [("key" if account.kind in ("api_key", "vertex_key") else "store", account.where)]
    if account.kind == "oauth":
        plan = f" ({account.plan} plan)" if account.plan else ""
        rows.insert(0, ("who", f"{account.who or 'not known'}{plan}"))
        rows.append(("token", _lifetime(account.ends, now)))
    if account.account_id:
        rows.append(("account", account.account_id))
    if account.project:
        rows.append(("project", account.project))
    for number, quota in enumerate(account.quota or []):
        rows.append(("quota" if number == 0 else "", _described(quota, now)))
    if account.trouble:
        rows.append(("trouble", account.trouble))
    return [f"  {name:<8} {value}" for name, value in rows]


def _lifetime(ends: float | None, now: float) -> str:
    if ends is None:
        return "does not say when it ends"
    if ends <= now:
        return "has ended and is renewed at the next use"
    return f"lasts {span(ends - now)} more, then it is renewed"


def _described(quota: Quota, now: float) -> str:
    parts = []
    if quota.left is not None:
        parts.append(f"{quota.left:.0%} left")
    if quota.amount is not None:
        parts.append(f"{quota.amount:.0f} requests left")
    if quota.resets is not None and quota.resets > now:
        parts.append(f"resets in {span(quota.resets - now)}")
    return f"{quota.model}: {', '.join(parts) or 'not told'}"
