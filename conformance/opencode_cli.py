"""Drives the real OpenCode against the emulator: an answer, a tool loop, a refusal, a rate limit.

    python conformance/opencode_cli.py [--opencode PATH]

`--opencode` (or OPENCODE_BIN) is the program, from the npm package opencode-ai (1.18.33 was tried). Needs
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

SCRIPT = Path(__file__).parent / "scripts" / "opencode_write.toml"
TIMEOUT_SECONDS = 120
# OpenCode installs a package for plugins in the background unless this says that it is there.
LOCK = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}


@dataclass(frozen=True)
class Outcome:
    """What a run of OpenCode ended with."""

    code: int
    output: str
    complaints: str


@dataclass(frozen=True)
class OpenCode:
    """An OpenCode with a home and a working folder of its own, pointed at an emulator."""

    program: str
    folder: Path

    async def run(self, emulator: Emulator, prompt: str) -> Outcome:
        """One `opencode run`."""
        settings = self.folder / ".config" / "opencode"
        (settings / "node_modules").mkdir(parents=True)
        (settings / "package-lock.json").write_text(json.dumps(LOCK), encoding="utf-8")
        work = self.folder / "work"
        work.mkdir()
        process = await asyncio.create_subprocess_exec(
            *(self.program, "run", "-m", "emulator/gemini-2.5-flash", prompt),
            env={**environment(emulator.base_url), "PATH": os.environ["PATH"], "HOME": str(self.folder)},
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


def environment(url: str) -> dict[str, str]:
    """The variables that point OpenCode at an emulator and at nothing else."""
    provider = {
        "npm": "@ai-sdk/google",
        "options": {"baseURL": f"{url}/v1beta", "apiKey": "emulator-key"},
        "models": {"gemini-2.5-flash": {}},
    }
    return {
        "OPENCODE_CONFIG_CONTENT": json.dumps({"provider": {"emulator": provider}}),
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "npm_config_offline": "true",
        "NO_PROXY": "127.0.0.1,localhost",
    }


async def hello(opencode: OpenCode) -> None:
    """a prompt is answered"""
    async with Emulator() as emulator:
        outcome = await opencode.run(emulator, "hello")
    assert outcome.code == 0, outcome
    assert "You said: hello" in outcome.output, outcome


async def writes_a_file(opencode: OpenCode) -> None:
    """a scripted model calls OpenCode's write tool and goes on"""
    async with Emulator(script=SCRIPT) as emulator:
        outcome = await opencode.run(emulator, "save a note")
    assert "The note is saved." in outcome.output, outcome
    note = opencode.folder / "work" / "note.txt"
    assert note.read_text(encoding="utf-8") == "saved by a script\n"


async def refused(opencode: OpenCode) -> None:
    """a refusal is shown in its own words"""
    async with Emulator(scenario="service-disabled") as emulator:
        outcome = await opencode.run(emulator, "hello")
    assert outcome.code == 1, outcome
    assert "has not been used in project" in outcome.output + outcome.complaints, outcome


async def rate_limited(opencode: OpenCode) -> None:
    """a passing rate limit is waited for"""
    async with Emulator(scenario="rate-limit-once") as emulator:
        outcome = await opencode.run(emulator, "hello")
    assert "You said: hello" in outcome.output, outcome


CHECKS: tuple[Callable[[OpenCode], Coroutine[Any, Any, None]], ...] = (
    hello,
    writes_a_file,
    refused,
    rate_limited,
)


def main() -> int:
    """Run every check; one line each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--opencode", default=os.environ.get("OPENCODE_BIN", "opencode"))
    program = parser.parse_args().opencode
    failed = 0
    for check in CHECKS:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            try:
                asyncio.run(check(OpenCode(program, Path(folder))))
            except Exception as error:  # noqa: BLE001  (a check may fail in any way; all are reported)
                failed += 1
                print(
                    f"FAIL  opencode: {check.__doc__}: {type(error).__name__}: {str(error)[:600]}", flush=True
                )
            else:
                print(f"ok    opencode: {check.__doc__}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
