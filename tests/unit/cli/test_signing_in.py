"""`groundwire login google`, `login openai`, `logout` and `auth` as a person types them, on the emulator."""

from __future__ import annotations

import asyncio
import io
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from groundwire.cli import main
from groundwire.emulator import Emulator
from tests.scripted_browser import ScriptedBrowser


class Served:
    """An emulator that answers in a thread of its own, since commands run an event loop themselves."""

    def __init__(self, scenario: str | None) -> None:
        self.emulator = Emulator(scenario=scenario)
        self._loop = asyncio.new_event_loop()
        self._started, self._stop = threading.Event(), asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),))
        self._thread.start()
        assert self._started.wait(20)

    async def _serve(self) -> None:
        async with self.emulator:
            self._started.set()
            await self._stop.wait()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(20)
        self._loop.close()

    def paths(self) -> list[str]:
        return [call.path for call in self.emulator.requests]


class Machine:
    """A home, a browser, and an emulator to sign in to."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home, self.patch = home, monkeypatch
        self.browser = ScriptedBrowser()
        self._served: list[Served] = []
        monkeypatch.chdir(home)
        monkeypatch.setattr("webbrowser.open", self.browser.open)
        monkeypatch.setenv("DISPLAY", ":99")
        monkeypatch.setenv("GROUNDWIRE_GOOGLE_CLIENT_SECRET", "client-secret")
        self.served = self.play(None)

    def play(self, scenario: str | None) -> Served:
        """An emulator with this scenario from now on."""
        served = Served(scenario)
        self._served.append(served)
        for name, value in served.emulator.env().items():
            if "URL" in name or "ENDPOINT" in name:
                self.patch.setenv(name, value)
        self.served = served
        return served

    def types(self, text: str, *, terminal: bool = False) -> None:
        class Input(io.StringIO):
            def isatty(self) -> bool:
                return terminal

        self.patch.setattr("sys.stdin", Input(text))

    @property
    def store(self) -> Path:
        return self.home / ".local/share/groundwire/credentials.json"

    @property
    def stored(self) -> dict[str, dict[str, str]]:
        content: dict[str, dict[str, str]] = json.loads(self.store.read_text(encoding="utf-8"))
        return content

    def close(self) -> None:
        for served in self._served:
            served.close()


@pytest.fixture
def machine(scrubbed_environment: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    prepared = Machine(scrubbed_environment, monkeypatch)
    yield prepared
    prepared.close()


Shown = Callable[[], tuple[str, str]]


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]) -> Shown:
    def read() -> tuple[str, str]:
        both = capsys.readouterr()
        return both.out, both.err

    return read


def test_a_google_sign_in_by_browser(machine: Machine, shown: Shown) -> None:
    assert main(["login", "google", "--yes"]) == 0
    out, _ = shown()
    assert "Google's terms forbid" in out
    assert "Signed in to Google as person@example.com" in out
    assert "project emulator-project" in out
    assert "You are signed in" in machine.browser.closed().text
    assert machine.stored["google"]["project"] == "emulator-project"
    assert machine.stored["google"]["refresh"] not in out


def test_what_the_terms_say_is_two_sentences_and_shown_once(machine: Machine, shown: Shown) -> None:
    from groundwire.credentials.login_google import TERMS

    assert TERMS.count(". ") + TERMS.endswith(".") == 2
    machine.types("y\n", terminal=True)
    assert main(["login", "google"]) == 0
    assert TERMS in " ".join(shown()[0].split())
    assert main(["login", "google"]) == 0
    assert "Google's terms" not in shown()[0]


@pytest.mark.parametrize(("answer", "code"), [("n\n", 3), ("\n", 3), ("", 3), ("yes please\n", 3)])
def test_without_consent_nothing_is_sent(machine: Machine, shown: Shown, answer: str, code: int) -> None:
    machine.types(answer, terminal=True)
    assert main(["login", "google"]) == code
    assert "You chose not to sign in" in shown()[1]
    assert machine.served.paths() == []
    assert not machine.store.exists()


def test_without_a_terminal_consent_must_be_given_in_words(machine: Machine, shown: Shown) -> None:
    machine.types("y\n")
    assert main(["login", "google"]) == 2
    out, err = shown()
    assert "Google's terms forbid" in out
    assert "add --yes" in err
    assert machine.served.paths() == []


def test_without_a_client_secret_it_is_told_before_anything_else(
    machine: Machine, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GROUNDWIRE_GOOGLE_CLIENT_SECRET")
    assert main(["login", "google", "--yes"]) == 3
    out, err = shown()
    assert out == ""
    assert "--use-gemini-cli-client" in err


@pytest.mark.parametrize(
    ("variable", "words"), [("SSH_CONNECTION", []), ("OPENCODE_HEADLESS", []), ("", ["--no-browser"])]
)
def test_a_google_sign_in_by_code(machine: Machine, shown: Shown, variable: str, words: list[str]) -> None:
    if variable:
        machine.patch.setenv(variable, "1")
    address: list[str] = []

    class Pasting(io.StringIO):
        """A person who has read the address and opens it elsewhere."""

        def readline(self, *limit: object) -> str:  # type: ignore[override]
            address.append(next(line for line in shown()[0].splitlines() if line.startswith("http://127")))
            machine.browser.open(address[0])
            return machine.browser.closed().text.partition('<pre id="code">')[2].partition("<")[0]

    machine.patch.setattr("sys.stdin", Pasting())
    assert main(["login", "google", "--yes", *words]) == 0
    assert "codeassist.google.com%2Fauthcode" in address[0]
    assert "code_challenge=" in address[0]
    assert machine.stored["google"]["email"] == "person@example.com"


def test_a_refusal_of_code_assist_is_told_at_once_and_the_sign_in_is_kept(
    machine: Machine, shown: Shown
) -> None:
    machine.play("unsupported-client")
    assert main(["login", "google", "--yes"]) == 3
    assert "groundwire login gemini" in shown()[1]
    assert "google" in machine.stored


def test_the_project_can_be_named(machine: Machine, shown: Shown) -> None:
    assert main(["login", "google", "--yes", "--project", "mine"]) == 0
    assert "project mine" in shown()[0]


def test_an_openai_sign_in_by_browser(machine: Machine, shown: Shown) -> None:
    assert main(["login", "openai", "--port", "0"]) == 0
    assert "Signed in to ChatGPT as ada@example.com" in shown()[0]
    assert "You are signed in" in machine.browser.closed().text
    assert machine.stored["openai_oauth"]["accountId"] == "acct-emulator-0001"


@pytest.mark.parametrize("words", [["--device"], ["--no-browser"]])
def test_an_openai_sign_in_by_device_code(machine: Machine, shown: Shown, words: list[str]) -> None:
    assert main(["login", "openai", *words]) == 0
    assert "EMUL-00001" in shown()[0]
    assert machine.stored["openai_oauth"]["refresh"].startswith("rt_")


def test_a_sign_in_is_used_for_searching(machine: Machine, shown: Shown) -> None:
    for name, value in machine.served.emulator.env().items():
        if name != "CODEX_ACCESS_TOKEN":
            machine.patch.setenv(name, value)
    assert main(["login", "openai", "--device"]) == 0
    assert main(["search", "What is a black hole?", "--provider", "openai_oauth"]) == 0


def test_auth_tells_who_where_until_when_which_project_and_quota(machine: Machine, shown: Shown) -> None:
    main(["login", "google", "--yes"])
    main(["login", "openai", "--device"])
    shown()
    assert main(["auth"]) == 0
    out, _ = shown()
    for told in (
        "person@example.com",
        "ada@example.com (plus plan)",
        "~/.local/share/groundwire/credentials.json",
        "lasts 59 minutes more",
        "emulator-project",
        "gemini-2.5-pro: 75% left, resets in 23 hours",
    ):
        assert told in out
    for record in machine.stored.values():
        assert record["access"] not in out
        assert record["refresh"] not in out


def test_auth_as_json_holds_no_secret(machine: Machine, shown: Shown) -> None:
    main(["login", "google", "--yes"])
    shown()
    assert main(["auth", "--json"]) == 0
    out, _ = shown()
    (account,) = json.loads(out)
    assert account["service"] == "code_assist"
    assert account["who"] == "person@example.com"
    assert account["quota"][0]["left"] == 0.75
    assert not any(
        str(machine.stored["google"][name]) in out for name in ("access", "refresh", "clientSecret")
    )


def test_auth_offline_sends_nothing(machine: Machine, shown: Shown) -> None:
    main(["login", "google", "--yes"])
    before = len(machine.served.paths())
    assert main(["auth", "--offline"]) == 0
    assert len(machine.served.paths()) == before
    assert "emulator-project" in shown()[0]


def test_auth_tells_what_is_wrong_with_a_sign_in(machine: Machine, shown: Shown) -> None:
    main(["login", "google", "--yes"])
    record = machine.stored
    del record["google"]["project"]
    record["google"]["expires"] = 1  # type: ignore[assignment]
    machine.store.write_text(json.dumps(record), encoding="utf-8")
    machine.play("invalid-grant")
    shown()
    assert main(["auth"]) == 0
    out, _ = shown()
    assert "trouble" in out
    assert "groundwire login google" in out


def test_auth_without_anything_says_how_to_begin(machine: Machine, shown: Shown) -> None:
    assert main(["auth"]) == 3
    assert "groundwire login" in shown()[0]


def test_logout_forgets_and_tells_the_server(machine: Machine, shown: Shown) -> None:
    main(["login", "openai", "--device"])
    shown()
    assert main(["logout", "openai"]) == 0
    out, _ = shown()
    assert "Removed openai" in out
    assert "ended at its server" in out
    assert machine.stored == {}
    assert "/oauth/revoke" in machine.served.paths()
    assert main(["logout", "openai"]) == 0
    assert "There is nothing of openai" in shown()[0]


def test_a_sign_in_with_gemini_clis_client_is_ended_at_google_only_when_asked(
    machine: Machine, shown: Shown
) -> None:
    main(["login", "google", "--yes"])
    assert main(["logout", "google"]) == 0
    assert "would end Gemini CLI's, too" in shown()[0]
    assert "/revoke" not in machine.served.paths()
    main(["login", "google"])
    assert main(["logout", "google", "--revoke"]) == 0
    assert "/revoke" in machine.served.paths()


def test_a_sign_in_with_a_client_of_ones_own_is_ended_at_google(machine: Machine, shown: Shown) -> None:
    machine.patch.setenv("GROUNDWIRE_GOOGLE_CLIENT_ID", "mine.apps.googleusercontent.com")
    main(["login", "google", "--yes"])
    assert main(["logout", "google"]) == 0
    assert "/revoke" in machine.served.paths()


def test_logging_out_of_all_keeps_what_belongs_to_others(machine: Machine, shown: Shown) -> None:
    codex = machine.home / ".codex/auth.json"
    codex.parent.mkdir()
    codex.write_text('{"tokens": {"access_token": "a", "refresh_token": "r"}}', encoding="utf-8")
    main(["login", "openai", "--device"])
    main(["login", "google", "--yes"])
    shown()
    assert main(["logout", "all", "--no-revoke"]) == 0
    assert f"not groundwire's: Codex's auth.json ({codex})" in shown()[0]
    assert machine.stored == {}
    assert codex.exists()


def test_a_server_that_is_gone_does_not_keep_anybody_signed_in(machine: Machine, shown: Shown) -> None:
    main(["login", "openai", "--device"])
    machine.patch.setenv("GROUNDWIRE_OPENAI_OAUTH_URL", "http://127.0.0.1:9")
    assert main(["logout", "openai"]) == 0
    assert "could not be told" in shown()[1]
    assert machine.stored == {}


def test_a_project_that_is_a_number_is_refused_before_anything_is_asked(
    machine: Machine, shown: Shown
) -> None:
    assert main(["login", "google", "--yes", "--project", "12345"]) == 3
    assert "not its number" in shown()[1]
    assert machine.served.paths() == []


@pytest.mark.parametrize("port", ["-1", "65536", "x"])
def test_a_port_that_cannot_be_is_refused(machine: Machine, shown: Shown, port: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["login", "google", "--yes", f"--port={port}"])
    assert ended.value.code == 2


def test_a_store_that_cannot_be_read_is_told_and_left_alone(machine: Machine, shown: Shown) -> None:
    machine.store.parent.mkdir(parents=True)
    machine.store.write_text("{broken", encoding="utf-8")
    assert main(["auth"]) == 3
    assert "not valid JSON" in shown()[1]
    assert main(["logout", "google"]) == 3
    assert "Nothing was removed" in shown()[1]
    assert machine.store.read_text(encoding="utf-8") == "{broken"


def test_gemini_clis_sign_in_is_shown_and_used_only_when_code_assist_is_chosen(
    machine: Machine, shown: Shown
) -> None:
    store = machine.home / ".gemini/oauth_creds.json"
    store.parent.mkdir()
    store.write_text('{"access_token": "ya29.cli", "refresh_token": "1//cli"}', encoding="utf-8")
    assert main(["auth"]) == 0
    out, _ = shown()
    assert str(store).replace(str(machine.home), "~") in out
    assert "GROUNDWIRE_GEMINI_UPSTREAM=code-assist" in out
    assert machine.served.paths() == []
    machine.patch.setenv("GROUNDWIRE_GEMINI_UPSTREAM", "code-assist")
    assert main(["auth"]) == 0
    out, _ = shown()
    assert "person@example.com" in out
    assert "emulator-project" in out


def test_a_key_that_comes_before_the_sign_in_is_mentioned(machine: Machine, shown: Shown) -> None:
    machine.patch.setenv("GEMINI_API_KEY", "K")
    assert main(["login", "google", "--yes"]) == 0
    out, _ = shown()
    assert "Gemini is asked with what is in environment variable GEMINI_API_KEY" in out
    assert "GROUNDWIRE_GEMINI_UPSTREAM=code-assist" in out
    machine.patch.delenv("GEMINI_API_KEY")
    assert main(["login", "google"]) == 0
    assert "Note:" not in shown()[0]
