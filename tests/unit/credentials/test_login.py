"""Signing in against the emulator: by browser, by pasted code, by device code; and what goes wrong."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from groundwire.config import load_config
from groundwire.credentials.google_oauth import GEMINI_CLI_CLIENT_ID, Client
from groundwire.credentials.login import by_browser, by_code, pasted_code, why_no_browser
from groundwire.credentials.login_google import PASTE_BACK, GoogleFlow
from groundwire.credentials.login_openai import DEVICE_PATIENCE, OpenAIFlow
from groundwire.credentials.pkce import Attempt
from groundwire.credentials.records import OAuthTokens
from groundwire.emulator import Emulator
from groundwire.errors import BadGoogleClient, SignInFailed
from groundwire.secret import Secret
from groundwire.testing import AsgiTransport, ManualClock
from tests.scripted_browser import ScriptedBrowser

NOW = 1_800_000_000.0
ATTEMPT = Attempt("the-state", "v" * 43)


class Someone:
    """A person who uses a scripted browser and types what they are told to."""

    def __init__(self, browser: ScriptedBrowser | None = None, types: Iterable[str] = ()) -> None:
        self.browser = browser or ScriptedBrowser()
        self._types = iter(types)
        self.heard = ""

    def say(self, text: str) -> None:
        self.heard += text + "\n"

    def ask(self, question: str) -> str:
        self.heard += question + "\n"
        return next(self._types, "")

    def open_browser(self, address: str) -> None:
        self.browser.open(address)


class Desk:
    """An emulator on a socket, the flows that lead to it, and the sign-in that was kept."""

    def __init__(self, emulator: Emulator, home: Path) -> None:
        self.emulator = emulator
        self.urls = load_config(env=emulator.env(), cwd=home, home=home).urls
        self.transport = AsgiTransport(emulator.app)
        self.kept: list[OAuthTokens] = []

    def google(self, client_id: str = GEMINI_CLI_CLIENT_ID, secret: str = "s") -> GoogleFlow:
        return GoogleFlow(Client(client_id, Secret(secret)), self.urls, self.transport, lambda: NOW)

    def openai(self) -> OpenAIFlow:
        return OpenAIFlow(self.urls.openai_oauth, self.transport, lambda: NOW, ports=(0,))


@asynccontextmanager
async def desk(home: Path, scenario: str | None = None) -> AsyncIterator[Desk]:
    async with Emulator(clock=lambda: NOW, scenario=scenario) as emulator:
        yield Desk(emulator, home)


@pytest.mark.parametrize("scenario", [None, "consent-page"])
@pytest.mark.parametrize("company", ["google", "openai"])
async def test_a_browser_signs_in(tmp_path: Path, company: str, scenario: str | None) -> None:
    async with desk(tmp_path, scenario) as at:
        person = Someone()
        flow = at.google() if company == "google" else at.openai()
        await by_browser(flow, person, ATTEMPT, at.kept.append)
        browser = await asyncio.to_thread(person.browser.closed)
    assert browser.status == 200
    assert "You are signed in" in browser.text
    (tokens,) = at.kept
    assert tokens.refresh is not None
    assert str(tokens.email) in browser.text
    assert tokens.expires is not None
    assert tokens.expires > NOW


async def test_what_strays_in_does_not_abort_a_sign_in(tmp_path: Path) -> None:
    strays = (
        "/favicon.ico",
        "/",
        "/oauth2callback?state=wrong&code=evil",
        "/oauth2callback?error=access_denied",
    )
    async with desk(tmp_path) as at:
        person = Someone(ScriptedBrowser(before=strays))
        await by_browser(at.google(), person, ATTEMPT, at.kept.append)
        browser = await asyncio.to_thread(person.browser.closed)
    assert browser.strays == [404, 404, 400, 400]
    assert browser.status == 200
    assert len(at.kept) == 1


async def test_the_page_asks_for_consent_with_pkce_and_state(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await by_browser(at.google(), Someone(), ATTEMPT, at.kept.append)
        query = next(call for call in at.emulator.requests if call.path.endswith("/auth")).query
    assert query["prompt"] == "consent"
    assert query["access_type"] == "offline"
    assert query["state"] == ATTEMPT.state
    assert (query["code_challenge_method"], query["code_challenge"]) == ("S256", ATTEMPT.challenge)
    assert query["client_id"] == GEMINI_CLI_CLIENT_ID


@pytest.mark.parametrize("company", ["google", "openai"])
async def test_a_refusal_is_shown_in_the_browser_and_told(tmp_path: Path, company: str) -> None:
    async with desk(tmp_path, "access-denied") as at:
        person = Someone()
        with pytest.raises(SignInFailed):
            await by_browser(
                at.google() if company == "google" else at.openai(), person, ATTEMPT, at.kept.append
            )
        browser = await asyncio.to_thread(person.browser.closed)
    assert "You are not signed in" in browser.text
    assert at.kept == []


async def test_a_client_that_google_refuses_is_told_in_both_places(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        person = Someone()
        with pytest.raises(BadGoogleClient, match="client secret is invalid"):
            await by_browser(at.google(secret="invalid"), person, ATTEMPT, at.kept.append)
        browser = await asyncio.to_thread(person.browser.closed)
    assert "You are not signed in" in browser.text
    assert "client secret is invalid" in browser.text


class Copying(Someone):
    """A person who opens the address elsewhere and copies the code, after typing something else first."""

    def __init__(self, *first: str) -> None:
        super().__init__(types=first)
        self.copies = "code"

    def ask(self, question: str) -> str:
        typed = super().ask(question)
        if typed:
            return typed
        self.browser.open(re.findall(r"http://127\S+/o/oauth2\S+", self.heard)[0])
        page = self.browser.closed()
        shown = re.search(r'<pre id="code">(.*?)</pre>', page.text)
        return shown.group(1) if shown else page.address


async def test_a_code_is_pasted(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        flow = at.google()
        person = Copying()
        await asyncio.to_thread(asyncio.run, by_code(flow, person, ATTEMPT, at.kept.append, flow.code_page))
    assert at.kept[0].email == "person@example.com"
    assert "codeassist.google.com" in person.heard


async def test_a_wrong_code_may_be_pasted_twice(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        flow = at.google()
        person = Copying("nonsense", "http://127.0.0.1/?state=other&code=x")
        await asyncio.to_thread(asyncio.run, by_code(flow, person, ATTEMPT, at.kept.append, flow.code_page))
    assert "Malformed auth code" in person.heard
    assert "another sign-in" in person.heard
    assert len(at.kept) == 1


async def test_a_third_wrong_code_ends_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        person = Someone(types=["a", "b", "c", "d"])
        with pytest.raises(SignInFailed, match="did not take the code"):
            await by_code(at.google(), person, ATTEMPT, at.kept.append, at.google().code_page)
    assert person.heard.count("Paste the code") == 3


async def test_no_code_at_all_ends_it_at_once(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        with pytest.raises(SignInFailed, match="No code was given"):
            await by_code(at.google(), Someone(), ATTEMPT, at.kept.append, at.google().code_page)


async def test_with_a_client_of_ones_own_the_address_of_the_last_page_is_pasted(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        flow = at.google(client_id="mine.apps.googleusercontent.com")
        assert flow.code_page == PASTE_BACK
        location = await _redirect(flow.address(PASTE_BACK, ATTEMPT))
        person = Someone(types=[location])
        await by_code(flow, person, ATTEMPT, at.kept.append, flow.code_page)
    assert "will not load" in person.heard
    assert at.kept[0].client_id == "mine.apps.googleusercontent.com"


async def _redirect(address: str) -> str:
    """Where a page leads, without going there: nobody listens."""
    import http.client
    from urllib.parse import urlsplit

    def ask() -> str:
        parts = urlsplit(address)
        connection = http.client.HTTPConnection(parts.netloc, timeout=10)
        connection.request("GET", f"{parts.path}?{parts.query}")
        location = connection.getresponse().getheader("location") or ""
        connection.close()
        return location

    return await asyncio.to_thread(ask)


async def test_a_device_code_signs_in(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        person, clock = Someone(), ManualClock()
        tokens = await at.openai().by_device(person, sleep=clock.sleep)
    assert "EMUL-00001" in person.heard
    assert "/codex/device" in person.heard
    assert tokens.account_id == "acct-emulator-0001"
    assert tokens.refresh is not None


async def test_a_device_code_waits_until_it_is_typed(tmp_path: Path) -> None:
    async with desk(tmp_path, "device-manual") as at:
        person, browser, slept = Someone(), ScriptedBrowser(), list[float]()

        async def sleep(seconds: float) -> None:
            slept.append(seconds)
            if len(slept) == 3:
                browser.open(f"{at.emulator.base_url}/codex/device?user_code=emul00001")
                await asyncio.to_thread(browser.closed)

        tokens = await at.openai().by_device(person, sleep=sleep)
    assert slept == [5.0, 5.0, 5.0]
    assert tokens.refresh is not None


async def test_a_device_code_nobody_types_is_given_up(tmp_path: Path) -> None:
    async with desk(tmp_path, "device-manual") as at:
        clock = ManualClock()
        with pytest.raises(SignInFailed, match="Nobody typed the code within 15 minutes"):
            await at.openai().by_device(Someone(), sleep=clock.sleep)
    assert sum(clock.slept) == pytest.approx(DEVICE_PATIENCE, abs=10)


@pytest.mark.parametrize(
    ("scenario", "told"), [("device-denied", "declined"), ("device-disabled", "not enabled")]
)
async def test_a_device_sign_in_that_is_refused_says_why(tmp_path: Path, scenario: str, told: str) -> None:
    async with desk(tmp_path, scenario) as at:
        with pytest.raises(SignInFailed, match=told):
            await at.openai().by_device(Someone(), sleep=ManualClock().sleep)


@pytest.mark.parametrize(
    "text",
    [
        "4/0abc",
        "  4/0abc\n",
        "'4/0abc'",
        "4%2F0abc",
        "code=4/0abc",
        "?code=4%2F0abc&state=S",
        "http://127.0.0.1:8085/oauth2callback?state=S&code=4%2F0abc&scope=x%20y",
        "https://codeassist.google.com/authcode?code=4/0abc",
    ],
)
def test_a_code_is_found_in_whatever_is_pasted(text: str) -> None:
    assert pasted_code(text, "S") == "4/0abc"


@pytest.mark.parametrize(
    "text",
    ["http://x/?state=T&code=4/0abc", "https://x/", "two words", "a\x00b", "?error=access_denied&state=S"],
)
def test_what_holds_no_code_of_this_sign_in_is_refused(text: str) -> None:
    with pytest.raises(SignInFailed):
        pasted_code(text, "S")


@pytest.mark.parametrize(
    ("env", "platform", "none"),
    [
        ({"SSH_CONNECTION": "1 2 3 4", "DISPLAY": ":0"}, "linux", True),
        ({"SSH_TTY": "/dev/pts/0"}, "darwin", True),
        ({"OPENCODE_HEADLESS": "1", "DISPLAY": ":0"}, "linux", True),
        ({"OPENCODE_HEADLESS": "0", "DISPLAY": ":0"}, "linux", False),
        ({"NO_BROWSER": "true"}, "win32", True),
        ({"CI": "true", "DISPLAY": ":0"}, "linux", True),
        ({}, "linux", True),
        ({"DISPLAY": ":0"}, "linux", False),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", False),
        ({"BROWSER": "firefox"}, "linux", False),
        ({}, "darwin", False),
        ({}, "win32", False),
    ],
)
def test_a_machine_without_a_browser_is_recognised(env: dict[str, str], platform: str, none: bool) -> None:
    assert (why_no_browser(env, platform) is not None) == none
