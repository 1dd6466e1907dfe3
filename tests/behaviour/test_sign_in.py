"""Signing in with the program as people start it: real processes, a scripted browser, the emulator."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from groundwire.emulator import Emulator
from tests.behaviour.conftest import requirement, served

BROWSER = Path(__file__).parents[1] / "scripted_browser.py"


class Shell:
    """Types `groundwire …` on a machine whose browser is a script."""

    def __init__(self, home: Path, emulator: Emulator) -> None:
        self.home, self.emulator = home, emulator
        self.page = home / "last-page.html"
        addresses = {n: v for n, v in emulator.env().items() if "URL" in n or "ENDPOINT" in n}
        self.env = {
            **os.environ,
            **addresses,
            "GROUNDWIRE_GOOGLE_CLIENT_SECRET": "client-secret",
            "BROWSER": f"{sys.executable} {BROWSER} {self.page} %s",
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "groundwire", *words],
            env=self.env,
            cwd=self.home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )

    def run(self, *words: str) -> tuple[int, str]:
        program = self.start(*words)
        printed, _ = program.communicate(timeout=60)
        return program.returncode, printed

    @property
    def stored(self) -> dict[str, dict[str, str]]:
        store = self.home / ".local/share/groundwire/credentials.json"
        return json.loads(store.read_text(encoding="utf-8")) if store.exists() else {}


@requirement("sign-in:google-browser")
@pytest.mark.parametrize("scenario", ["", "consent-page"])
def test_a_google_sign_in_by_browser_works_afterwards(scrubbed_environment: Path, scenario: str) -> None:
    with served(scenario) as emulator:
        shell = Shell(scrubbed_environment, emulator)
        code, printed = shell.run("login", "google", "--yes")
        assert code == 0, printed
        code, told = shell.run("auth", "--json")
    assert code == 0
    (account,) = json.loads(told)
    assert (account["who"], account["project"]) == ("person@example.com", "emulator-project")
    assert "You are signed in" in shell.page.read_text(encoding="utf-8")


@requirement("sign-in:google-code")
@pytest.mark.parametrize("variable", ["SSH_CONNECTION", "OPENCODE_HEADLESS"])
def test_a_google_sign_in_by_a_pasted_code(scrubbed_environment: Path, variable: str) -> None:
    with served() as emulator:
        shell = Shell(scrubbed_environment, emulator)
        shell.env[variable] = "1"
        program = shell.start("login", "google", "--yes")
        assert program.stdout is not None
        assert program.stdin is not None
        address = next(line.strip() for line in program.stdout if line.startswith("http://127.0.0.1"))
        subprocess.run([sys.executable, str(BROWSER), str(shell.page), address], env=shell.env, check=True)
        shown = shell.page.read_text(encoding="utf-8").partition('<pre id="code">')[2].partition("<")[0]
        printed, _ = program.communicate(shown + "\n", timeout=60)
    assert program.returncode == 0, printed
    assert shell.stored["google"]["email"] == "person@example.com"


@requirement("sign-in:openai-browser")
def test_a_chatgpt_sign_in_by_browser(scrubbed_environment: Path) -> None:
    with served("consent-page") as emulator:
        shell = Shell(scrubbed_environment, emulator)
        code, printed = shell.run("login", "openai", "--port", "0")
        assert code == 0, printed
        code, _ = shell.run("auth")
    assert code == 0
    assert shell.stored["openai_oauth"]["accountId"] == "acct-emulator-0001"
    assert "You are signed in" in shell.page.read_text(encoding="utf-8")


@requirement("sign-in:openai-device")
def test_a_chatgpt_sign_in_by_device_code(scrubbed_environment: Path) -> None:
    with served() as emulator:
        shell = Shell(scrubbed_environment, emulator)
        code, printed = shell.run("login", "openai", "--device")
    assert code == 0
    assert "EMUL-00001" in printed
    assert shell.stored["openai_oauth"]["refresh"].startswith("rt_")


@requirement("sign-in:terms")
def test_without_a_terminal_and_without_yes_nothing_happens(scrubbed_environment: Path) -> None:
    with served() as emulator:
        shell = Shell(scrubbed_environment, emulator)
        code, printed = shell.run("login", "google")
        assert emulator.requests == []
    assert code == 2
    assert "Google's terms forbid" in printed
    assert "--yes" in printed
    assert shell.stored == {}


@requirement("sign-in:refused")
@pytest.mark.parametrize(
    ("scenario", "next_step"),
    [
        ("project-required", "export GOOGLE_CLOUD_PROJECT="),
        ("unsupported-client", "groundwire login gemini"),
        ("ineligible", "groundwire login gemini"),
        ("validation-required", "Open https://accounts.google.com/signin/continue"),
        ("terms-violated", "appeal at https://example.com/appeal"),
        ("vpc-sc", "export GOOGLE_CLOUD_PROJECT="),
    ],
)
def test_a_refusal_says_what_to_do(scrubbed_environment: Path, scenario: str, next_step: str) -> None:
    with served(scenario) as emulator:
        shell = Shell(scrubbed_environment, emulator)
        code, printed = shell.run("login", "google", "--yes")
    assert code == 3
    assert next_step in printed
