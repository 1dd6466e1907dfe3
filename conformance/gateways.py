"""A running `groundwire gateway` with Code Assist behind it, as a person starts it, for any client to try."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from conformance.environments import scrubbed
from conformance.pasting import GROUNDWIRE, START_SECONDS
from conformance.trial import Trial
from groundwire.emulator import Call, Emulator

THROUGH = "Through the gateway: "
"""How the sentences about clients of a gateway begin."""
KEY = "conformance-key"
"""The gateway's own key, which clients send."""
TOKEN = "ya29.behind-the-gateway"
"""The sign-in behind it, which only the emulator may see."""


@asynccontextmanager
async def gateway(trial: Trial, emulator: Emulator) -> AsyncIterator[str]:
    """A gateway in front of an emulator's Code Assist; gives its address. What it printed is in the logs."""
    variables = {
        "GROUNDWIRE_GATEWAY_KEY": KEY,
        "GOOGLE_GENAI_USE_GCA": "true",
        "GOOGLE_CLOUD_ACCESS_TOKEN": TOKEN,
        "CODE_ASSIST_ENDPOINT": emulator.base_url,
        "OPENCODE_GEMINI_DEBUG": "1",
    }
    trial.logs.mkdir(parents=True, exist_ok=True)
    with (trial.logs / "gateway.err").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *(str(GROUNDWIRE), "gateway", "--port", "0", "--upstream", "code-assist"),
            env=scrubbed(os.environ, trial.new_folder("gateway")) | variables,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
        assert process.stdout is not None
        try:
            async with asyncio.timeout(START_SECONDS):
                await process.stdout.readuntil(b"# Listening on ")
                address = (await process.stdout.readline()).split()[0]
            yield address.decode().rstrip(".")
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


def judge_upstream(trial: Trial, requests: list[Call]) -> None:
    """What Code Assist was asked: everything by the sign-in, nothing with the gateway's key."""
    strangers = [call.path for call in requests if call.api != "code-assist"]
    trial.check("Every request went to Code Assist.", requests and not strangers, strangers)
    bearers = {call.bearer for call in requests}
    trial.check("Every request carried the sign-in behind the gateway.", bearers == {TOKEN}, bearers)
    leaked = [call.path for call in requests if KEY in f"{call.headers}{call.query}{call.body!r}"]
    trial.check("The gateway's key went no further than the gateway.", not leaked, leaked)
