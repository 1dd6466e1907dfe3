"""The real Chromium signs in: `groundwire login` serves the callback, the emulator shows the consent page."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec

from conformance.chromium_driver import STEP_SECONDS, Chromium, ChromiumBroke
from conformance.commands import Finished
from conformance.environments import scrubbed
from conformance.trial import CLIENTS, ClientBroke, Trial
from groundwire.emulator import Emulator

ADDRESSES = ("GROUNDWIRE_GOOGLE_OAUTH_URL", "GROUNDWIRE_OPENAI_OAUTH_URL", "CODE_ASSIST_ENDPOINT")
GOOGLE = ("google", "--yes", "--browser")
OPENAI = ("openai", "--browser", "--port", "0")


@dataclass(frozen=True, slots=True)
class Seen:
    """How a sign-in ended: in the terminal, in the browser, in the store."""

    done: Finished
    title: str
    text: str
    styled: bool
    stored: frozenset[str]


async def run(trial: Trial) -> None:
    """Consent and refusal at Google, consent at OpenAI."""
    allowed = await _sign_in(trial, GOOGLE, "button[value=allow]", "google-signed-in")
    trial.check(
        "login google: after consent the browser comes back and says that one is signed in.",
        allowed.title.startswith("You are signed in") and "person@example.com" in allowed.text,
        f"{allowed.title} {allowed.text} {allowed.done.brief}",
    )
    trial.check(
        "login google: the command ends well, names the project, and the sign-in is stored.",
        allowed.done.code == 0 and "emulator-project" in allowed.done.out and allowed.stored == {"google"},
        f"{sorted(allowed.stored)} {allowed.done.brief}",
    )
    trial.check(
        "login google: the page's own style is allowed by its content security policy.", allowed.styled
    )
    denied = await _sign_in(trial, GOOGLE, "button[value=deny]", "google-refused")
    trial.check(
        "login google: a refusal is shown in the browser, the command fails, and nothing is stored.",
        denied.title.startswith("You are not signed in") and denied.done.code == 3 and not denied.stored,
        f"{denied.title} {denied.done.brief}",
    )
    openai = await _sign_in(trial, OPENAI, "#allow", "openai-signed-in")
    trial.check(
        "login openai: after consent the browser says so and the sign-in is stored.",
        openai.title.startswith("You are signed in") and openai.stored == {"openai_oauth"},
        f"{openai.title} {openai.done.brief}",
    )


async def _sign_in(trial: Trial, words: tuple[str, ...], button: str, picture: str) -> Seen:
    """One `groundwire login`, with Chromium pressing a button of the consent page."""
    async with Emulator(scenario="consent-page") as emulator:
        home = trial.new_folder("home")
        note = home / "address"
        given = emulator.env()
        variables = {
            **{name: given[name] for name in ADDRESSES},
            "GROUNDWIRE_GOOGLE_CLIENT_SECRET": "conformance",
            "BROWSER": f"{sys.executable} {CLIENTS / 'note_address.py'} {note} %s",
        }
        command = asyncio.create_task(trial.command(["groundwire", "login", *words], variables, home=home))
        try:
            page = await asyncio.to_thread(_press, trial, home, note, button, picture)
        except ChromiumBroke as broken:
            raise ClientBroke(f"Chromium: {broken}") from None
        done = await command
    store = home / ".local/share/groundwire/credentials.json"
    stored = frozenset(msgspec.json.decode(store.read_bytes())) if store.is_file() else frozenset[str]()
    return Seen(done, *page, stored)


def _press(trial: Trial, home: Path, note: Path, button: str, picture: str) -> tuple[str, str, bool]:
    """Open the noted address, press the button, and look at the page where that ends."""
    until = time.monotonic() + STEP_SECONDS
    while not note.exists():
        if time.monotonic() > until:
            raise ChromiumBroke("groundwire opened no browser")
        time.sleep(0.05)
    program = shutil.which("chromium")
    assert program is not None, "the roster runs this peer only where it is installed"
    environment = scrubbed(os.environ, home, ())
    with Chromium(program, home / "profile", environment, trial.logs / f"{picture}.log") as browser:
        browser.open(note.read_text(encoding="utf-8"))
        browser.wait_for(f"document.querySelector('{button}')")
        browser.value(f"document.querySelector('{button}').click()")
        browser.wait_for("document.title.endsWith('groundwire')")
        browser.picture(trial.logs / f"{picture}.png")
        return (
            str(browser.value("document.title")),
            str(browser.value("document.body.innerText")),
            browser.value("getComputedStyle(document.querySelector('main')).borderRadius") == "14px",
        )
