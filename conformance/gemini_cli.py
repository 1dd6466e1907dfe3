"""Drives the real Gemini CLI against the emulator: with an API key and signed in (Code Assist).

    python conformance/gemini_cli.py [--gemini PATH]

`--gemini` (or GEMINI_BIN) is the program, from the npm package @google/gemini-cli (0.61.0 was tried). Needs
groundwire in the Python that runs it; each check starts an emulator of its own. Prints one line per
check and exits 1 when one fails.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundwire.emulator import Emulator

TIMEOUT_SECONDS = 120
TASK = "search the weather in Beijing and save it to weather.txt"
QUIET: dict[str, Any] = {
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
}


@dataclass(frozen=True)
class Outcome:
    """What a run of the CLI ended with."""

    code: int
    output: str
    complaints: str


@dataclass(frozen=True)
class Gemini:
    """A Gemini CLI with a home and a working folder of its own, pointed at an emulator."""

    program: str
    folder: Path

    async def with_key(self, emulator: Emulator, prompt: str, model: str = "gemini-2.5-flash") -> Outcome:
        """One prompt in API key mode."""
        settings = {**QUIET, "security": {"auth": {"selectedType": "gemini-api-key"}}}
        home = self.folder / ".gemini"
        home.mkdir()
        (home / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        variables = {"GEMINI_API_KEY": "emulator-key", "GOOGLE_GEMINI_BASE_URL": emulator.base_url}
        return await self._run(variables, prompt, model)

    async def signed_in(
        self, emulator: Emulator, prompt: str, model: str = "gemini-2.5-flash", project: str = "my-project"
    ) -> Outcome:
        """One prompt in Code Assist mode."""
        variables = {
            "GOOGLE_GENAI_USE_GCA": "true",
            "GOOGLE_CLOUD_ACCESS_TOKEN": "ya29.emulator",
            "CODE_ASSIST_ENDPOINT": emulator.base_url,
        }
        if project:
            variables["GOOGLE_CLOUD_PROJECT"] = project
        return await self._run(variables, prompt, model)

    async def _run(self, variables: dict[str, str], prompt: str, model: str) -> Outcome:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "GEMINI_CLI_HOME": str(self.folder),
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "NO_PROXY": "127.0.0.1,localhost",
            **variables,
        }
        work = self.folder / "work"
        work.mkdir()
        process = await asyncio.create_subprocess_exec(
            *(self.program, "-m", model, "--approval-mode", "yolo", "-p", prompt),
            env=environment,
            cwd=work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                output, complaints = await process.communicate()
        except TimeoutError:
            process.kill()
            raise
        return Outcome(process.returncode or 0, output.decode(), complaints.decode())


def check_saved_weather(gemini: Gemini, outcome: Outcome) -> None:
    """The CLI searched with its own tool, and wrote the file with its own tool."""
    assert outcome.code == 0, outcome
    written = (gemini.folder / "work" / "weather.txt").read_text(encoding="utf-8")
    assert 'Web search results for "北京天气"' in written, written
    assert "https://weather.example.org/zh/beijing" in written, written


async def key_hello(gemini: Gemini) -> None:
    """API key: a prompt is answered"""
    async with Emulator() as emulator:
        outcome = await gemini.with_key(emulator, "hello")
    assert (outcome.code, outcome.output.strip()) == (0, "You said: hello"), outcome


async def key_weather(gemini: Gemini) -> None:
    """API key: the weather script searches and writes the file"""
    async with Emulator(script="weather") as emulator:
        check_saved_weather(gemini, await gemini.with_key(emulator, TASK))


async def key_thoughts(gemini: Gemini) -> None:
    """API key: thoughts are not part of the answer, characters split between chunks are"""
    async with Emulator(scenario="thoughts+split-multibyte") as emulator:
        outcome = await gemini.with_key(emulator, "北京🌤")
    assert outcome.output.strip() == "You said: 北京🌤", outcome


async def key_refused(gemini: Gemini) -> None:
    """API key: a refusal is shown and is not retried"""
    async with Emulator(scenario="service-disabled") as emulator:
        outcome = await gemini.with_key(emulator, "hello")
    assert outcome.code != 0, outcome
    assert "has not been used in project" in outcome.complaints, outcome
    assert len([call for call in emulator.requests if call.kind == "generate"]) == 1


async def signed_in_hello(gemini: Gemini) -> None:
    """Code Assist: the named project is discovered and used"""
    async with Emulator() as emulator:
        outcome = await gemini.signed_in(emulator, "hello")
    assert outcome.output.strip() == "You said: hello", outcome
    assert {call.json["project"] for call in emulator.requests if call.kind == "generate"} == {"my-project"}


async def signed_in_weather(gemini: Gemini) -> None:
    """Code Assist: the weather script on Gemini 3, which wants thought signatures back"""
    async with Emulator(script="weather") as emulator:
        check_saved_weather(gemini, await gemini.signed_in(emulator, TASK, "gemini-3-pro-preview"))


async def signed_in_onboarding(gemini: Gemini) -> None:
    """Code Assist: onboarding is polled until it is done, and its project is used"""
    async with Emulator(scenario="onboard-slow") as emulator:
        outcome = await gemini.signed_in(emulator, "hello", project="")
    assert outcome.output.strip() == "You said: hello", outcome
    projects = {call.json["project"] for call in emulator.requests if call.kind == "generate"}
    assert projects == {"emulator-managed-project"}, projects


async def signed_in_refused(gemini: Gemini) -> None:
    """Code Assist: an individual account is told that its client is not supported"""
    async with Emulator(scenario="unsupported-client") as emulator:
        outcome = await gemini.signed_in(emulator, "hello", project="")
    assert outcome.code != 0, outcome
    assert "no longer supported" in outcome.output + outcome.complaints, outcome


async def signed_in_rate_limit(gemini: Gemini) -> None:
    """Code Assist: a rate limit with RetryInfo is waited for"""
    async with Emulator(scenario="rate-limit-once") as emulator:
        outcome = await gemini.signed_in(emulator, "hello")
    assert outcome.output.strip() == "You said: hello", outcome


CHECKS: tuple[Callable[[Gemini], Coroutine[Any, Any, None]], ...] = (
    key_hello,
    key_weather,
    key_thoughts,
    key_refused,
    signed_in_hello,
    signed_in_weather,
    signed_in_onboarding,
    signed_in_refused,
    signed_in_rate_limit,
)


def main() -> int:
    """Run every check; one line each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gemini", default=os.environ.get("GEMINI_BIN", "gemini"))
    program = parser.parse_args().gemini
    failed = 0
    for check in CHECKS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                asyncio.run(check(Gemini(program, Path(folder))))
            except Exception as error:  # noqa: BLE001  (a check may fail in any way; all are reported)
                failed += 1
                print(
                    f"FAIL  gemini: {check.__doc__}: {type(error).__name__}: {str(error)[:600]}", flush=True
                )
            else:
                print(f"ok    gemini: {check.__doc__}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
