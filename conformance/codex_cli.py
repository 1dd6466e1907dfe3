"""Drives the real Codex CLI against the emulator: sign-in, search, tools, refresh and faults.

    python conformance/codex_cli.py [--codex PATH] [--url http://127.0.0.1:PORT]

`--codex` (or CODEX_BIN) is the program, `--url` (or EMULATOR_URL) a running emulator; without a URL
one is started here. Prints one line per check and exits 1 when one fails. The check of tools needs a
scripted model, so it always starts an emulator of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from groundwire.emulator import Emulator

TOOLS_SCRIPT = Path(__file__).parent / "scripts" / "codex_tools.toml"
TIMEOUT_SECONDS = 90


@dataclass(frozen=True)
class Codex:
    """A Codex program with a home folder of its own, pointed at an emulator."""

    program: str
    url: str
    home: Path

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run it to its end; the environment holds nothing of the person who runs this."""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "CODEX_HOME": str(self.home),
            "CODEX_REFRESH_TOKEN_URL_OVERRIDE": f"{self.url}/oauth/token",
            "CODEX_REVOKE_TOKEN_URL_OVERRIDE": f"{self.url}/oauth/revoke",
            "NO_PROXY": "127.0.0.1,localhost",
        }
        return subprocess.run(
            [self.program, *words],
            env=environment,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=TIMEOUT_SECONDS,
            check=False,
        )

    def sign_in(self) -> str:
        """Sign in by device code; what it printed."""
        done = self.run("login", "--device-auth", "--experimental_issuer", self.url)
        return done.stdout + done.stderr

    def ask(
        self, prompt: str, *options: str, scenario: str = "", model: str = "gpt-5.5"
    ) -> list[dict[str, object]]:
        """One `codex exec`, as its JSON events; a scenario becomes part of the base URL."""
        root = f"{self.url}/~{scenario}" if scenario else self.url
        (self.home / "config.toml").write_text(
            f'model = "{model}"\nmodel_provider = "emulator"\nchatgpt_base_url = "{self.url}/backend-api/"\n'
            f'[model_providers.emulator]\nname = "emulator"\nbase_url = "{root}/backend-api/codex"\n'
            'wire_api = "responses"\nrequires_openai_auth = true\nstream_max_retries = 1\n',
            encoding="utf-8",
        )
        done = self.run("exec", "--json", "--skip-git-repo-check", *options, prompt)
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def auth(self) -> dict[str, dict[str, str]]:
        """The stored sign-in."""
        stored: dict[str, dict[str, str]] = json.loads((self.home / "auth.json").read_text(encoding="utf-8"))
        return stored


def items(events: list[dict[str, object]], kind: str) -> list[dict[str, object]]:
    """The finished items of one type."""
    finished = [event["item"] for event in events if event["type"] == "item.completed"]
    return [item for item in finished if isinstance(item, dict) and item["type"] == kind]


def answer(events: list[dict[str, object]]) -> str:
    """What the model said in the end."""
    messages = items(events, "agent_message")
    return str(messages[-1]["text"]) if messages else ""


def failure(events: list[dict[str, object]]) -> str:
    """Why the turn failed; empty when it did not."""
    return " ".join(str(event) for event in events if event["type"] in ("error", "turn.failed"))


def check_sign_in(codex: Codex) -> None:
    """Device sign-in writes the tokens and the account."""
    printed = codex.sign_in()
    assert "Successfully logged in" in printed, printed
    assert codex.auth()["tokens"]["account_id"] == "acct-emulator-0001"


def check_search(codex: Codex) -> None:
    """A hosted search is shown, and the answer links to a page of the corpus."""
    events = codex.ask("weather in Beijing", scenario="style-native")
    assert [item["query"] for item in items(events, "web_search")] == ["weather in Beijing"], events
    assert "](https://weather.example.org/beijing" in answer(events), events


def check_full_output(codex: Codex) -> None:
    """The answer is not doubled when the last event repeats it."""
    events = codex.ask("weather in Beijing", scenario="style-native+full-output")
    assert len(items(events, "agent_message")) == 1, events


def check_phases(codex: Codex) -> None:
    """Two messages with phases are both accepted."""
    events = codex.ask("weather in Beijing", scenario="style-phases")
    assert len(items(events, "agent_message")) == 2, events


def check_lite_model(codex: Codex) -> None:
    """A lite model, whose tools are inside the input, answers plainly."""
    assert answer(codex.ask("hello there", model="gpt-6.1-sol")) == "You said: hello there"


def check_usage_limit(codex: Codex) -> None:
    """A used-up plan is told with the time of reset, without a second try."""
    said = failure(codex.ask("hello", scenario="codex-usage-limit"))
    assert "usage limit" in said, said
    assert "try again at" in said, said


def check_refused_request(codex: Codex) -> None:
    """A model the account does not have is refused in the backend's words."""
    said = failure(codex.ask("hello", model="gpt-5.2"))
    assert "not supported when using Codex with a ChatGPT account" in said, said


def check_cut_stream(codex: Codex) -> None:
    """A stream without its end is noticed."""
    said = failure(codex.ask("hello", scenario="no-completed"))
    assert "stream closed before response.completed" in said, said


def check_failed_response(codex: Codex) -> None:
    """response.failed ends the turn with its message."""
    said = failure(codex.ask("hello", scenario="failed-context-length-exceeded"))
    assert said, "no failure was reported"


def check_refresh_after_401(codex: Codex) -> None:
    """A refused token is refreshed, the rotated refresh token stored, and the turn succeeds."""
    before = codex.auth()["tokens"]["refresh_token"]
    events = codex.ask("hello", scenario="codex-401-until-refresh")
    assert answer(events), events
    assert codex.auth()["tokens"]["refresh_token"] != before


def check_refresh_before_expiry(codex: Codex) -> None:
    """A token that is about to expire is refreshed before it is used."""
    stored = codex.auth()
    body = {
        "client_id": "app_EMoamEEZ73f0CkXaXp7hrann",
        "grant_type": "refresh_token",
        "refresh_token": stored["tokens"]["refresh_token"],
    }
    request = urllib.request.Request(
        f"{codex.url}/~short-lived-token/oauth/token",
        json.dumps(body).encode(),
        {"content-type": "application/json"},
    )
    with urllib.request.urlopen(request) as reply:
        fresh = json.load(reply)
    names = ("id_token", "access_token", "refresh_token")
    stored["tokens"] |= {name: fresh[name] for name in names}
    (codex.home / "auth.json").write_text(json.dumps(stored), encoding="utf-8")
    events = codex.ask("hello")
    assert answer(events), events
    assert codex.auth()["tokens"]["refresh_token"] != fresh["refresh_token"], "it was not refreshed"


def check_tools(codex: Codex) -> None:
    """A scripted model runs a command and applies a patch with Codex's own tools."""
    with running(Emulator(script=TOOLS_SCRIPT)) as url, tempfile.TemporaryDirectory() as folder:
        scripted = Codex(codex.program, url, codex.home)
        events = scripted.ask("make a note", "-C", folder, "-s", "danger-full-access")
        assert answer(events) == "Both files are written.", events
        written = {path.name: path.read_text(encoding="utf-8").strip() for path in Path(folder).iterdir()}
    expected = {"note.txt": "hello from the emulator", "patched.txt": "patched by the emulator"}
    assert written == expected, written


def check_sign_out(codex: Codex) -> None:
    """Signing out removes the tokens."""
    codex.run("logout")
    assert not (codex.home / "auth.json").exists()


CHECKS: tuple[Callable[[Codex], None], ...] = (
    check_sign_in,
    check_search,
    check_full_output,
    check_phases,
    check_lite_model,
    check_usage_limit,
    check_refused_request,
    check_cut_stream,
    check_failed_response,
    check_refresh_after_401,
    check_refresh_before_expiry,
    check_tools,
    check_sign_out,
)


@contextmanager
def running(emulator: Emulator) -> Iterator[str]:
    """The emulator on a thread of its own; gives its URL."""
    started, stop = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with emulator:
            started.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    started.wait()
    try:
        yield emulator.base_url
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def run_checks(program: str, url: str) -> int:
    """Run all checks in order (they share one sign-in); the number of failures."""
    failures = 0
    with tempfile.TemporaryDirectory() as home:
        codex = Codex(program, url, Path(home))
        for check in CHECKS:
            sentence = (check.__doc__ or "").splitlines()[0]
            try:
                check(codex)
            except (AssertionError, OSError, KeyError, subprocess.TimeoutExpired) as problem:
                failures += 1
                print(f"FAIL  {sentence} -- {one_line(problem)}", flush=True)
            else:
                print(f"ok    {sentence}", flush=True)
    return failures


def one_line(problem: Exception) -> str:
    """A problem in one line, so that one line stays one check."""
    return f"{type(problem).__name__}: {' '.join(str(problem).split())[:600]}"


def main() -> int:
    """Read the arguments, run the checks, say how many failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--codex", default=os.environ.get("CODEX_BIN", "codex"))
    parser.add_argument("--url", default=os.environ.get("EMULATOR_URL"))
    arguments = parser.parse_args()
    program = str(Path(arguments.codex).resolve()) if os.sep in arguments.codex else arguments.codex
    if arguments.url:
        return min(run_checks(program, arguments.url.rstrip("/")), 1)
    with running(Emulator()) as url:
        return min(run_checks(program, url), 1)


if __name__ == "__main__":
    sys.exit(main())
