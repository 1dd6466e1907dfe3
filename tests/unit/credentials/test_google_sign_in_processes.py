"""A hundred users of one ended Google token, in several real processes, against the emulator: one renewal."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from groundwire.emulator import Emulator
from tests.unit.credentials.google_home import GoogleHome

CHILD = """
import asyncio, os, sys, time
from pathlib import Path
from groundwire.config import load_config
from groundwire.credentials.resolve import resolve
from groundwire.transport.http import Http

async def main():
    home = Path(os.environ["HOME"])
    config = load_config(env=os.environ, cwd=home, home=home)
    async with Http() as http:
        credential = resolve("code_assist", config, os.environ, http, time.time)
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        headers = await asyncio.gather(*(credential.authorizer.headers() for _ in range(25)))
        projects = await asyncio.gather(*(credential.project() for _ in range(25)))
        print(sorted({one["Authorization"].reveal() for one in headers}), sorted(set(projects)), flush=True)

asyncio.run(main())
"""
PROCESSES = 4


@pytest.mark.parametrize("store", ["own", "opencode", "gemini-cli"])
async def test_processes_that_start_together_renew_once_and_find_the_project_once(
    scrubbed_environment: Path, store: str
) -> None:
    home = GoogleHome(scrubbed_environment, store)
    home.write_sign_in("ya29.first", "1//first", 1000.0)
    async with Emulator(scenario="rotated-refresh-token") as emulator:
        addresses = {
            name: value for name, value in emulator.env().items() if "URL" in name or "ENDPOINT" in name
        }
        env = {**os.environ, **addresses, "GROUNDWIRE_GOOGLE_CLIENT_SECRET": "s"}
        children = [
            await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                CHILD,
                env=env,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            for _ in range(PROCESSES)
        ]
        for child in children:
            assert child.stdout is not None
            assert await child.stdout.readline() == b"ready\n"
        outputs = await asyncio.gather(*(child.communicate(b"go\n") for child in children))
        paths = [call.path for call in emulator.requests]
    assert len({out for out, _ in outputs}) == 1
    assert b"emulator-project" in outputs[0][0]
    assert paths.count("/token") == 1
    assert paths.count("/v1internal:loadCodeAssist") == 1
