"""Gemini CLI's encrypted store, taken in turns: it writes a sign-in, we renew it, it reads what we wrote."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import msgspec

from conformance.trial import CLIENTS, ClientBroke, Trial
from groundwire.emulator import Emulator

PROGRAM = "gemini_cli_keychain.mjs"
FIRST = {
    "accessToken": "ya29.ended",
    "refreshToken": "1//conformance",
    "tokenType": "Bearer",
    "expiresAt": 1000,
}


async def check_keychain(trial: Trial) -> None:
    """Our `groundwire auth` between two turns of Gemini CLI's own code."""
    shutil.copy(CLIENTS / PROGRAM, trial.place / PROGRAM)  # node looks for packages next to the program
    home = trial.new_folder("home")
    record = {"serverName": "main-account", "token": FIRST, "updatedAt": 1, "unknown": [1]}
    await _turn(trial, home, "write", msgspec.json.encode(record).decode())
    async with Emulator() as emulator:
        given = emulator.env()
        variables = {name: given[name] for name in ("GROUNDWIRE_GOOGLE_OAUTH_URL", "CODE_ASSIST_ENDPOINT")}
        variables["GROUNDWIRE_GOOGLE_CLIENT_SECRET"] = "conformance"
        variables["GROUNDWIRE_GEMINI_UPSTREAM"] = "code-assist"
        words = [sys.executable, "-m", "groundwire", "auth", "--json"]
        done = await trial.command(words, variables, home=home)
        renewals = sum(call.path == "/token" for call in emulator.requests)
    trial.check(
        "A sign-in in its encrypted store is found and renewed by us.",
        done.code == 0 and "Gemini CLI's encrypted store" in done.out and renewals == 1,
        done.brief,
    )
    seen = await _turn(trial, home, "read")
    kept = msgspec.json.decode(seen["signIn"])
    trial.check(
        "It reads the renewed sign-in that we wrote, and what else was in its store.",
        kept["token"]["accessToken"].startswith("ya29.emulator")
        and kept["token"]["refreshToken"] == "1//conformance"
        and kept["unknown"] == [1]
        and seen["others"] == "something",
        sorted(kept),
    )


async def _turn(trial: Trial, home: Path, *words: str) -> dict[str, Any]:
    done = await trial.command(["node", str(trial.place / PROGRAM), *words], home=home)
    try:
        seen: dict[str, Any] = msgspec.json.decode(done.out)
    except msgspec.DecodeError:
        raise ClientBroke(f"{PROGRAM} ended with {done.brief}") from None
    return seen
