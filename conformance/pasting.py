"""Does what `groundwire emulator` tells people to do: starts it, pastes a block it prints into a shell."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from conformance.environments import scrubbed
from conformance.trial import Trial

START_SECONDS = 60.0
GROUNDWIRE = Path(sys.prefix) / "bin" / "groundwire"


async def check_pasted(trial: Trial, heading: str, expected: str) -> None:
    """One check: the block below `# heading`, pasted as it is, makes the client print what is expected."""
    async with introduction(trial) as text:
        done = await trial.command(["sh", "-c", block_below(heading, text)])
    trial.check(
        f"The block that `groundwire emulator` prints for {heading}, pasted into a shell, gets an answer.",
        done.code == 0 and expected in done.out,
        done.brief,
    )


def block_below(heading: str, text: str) -> str:
    """The lines from `# heading` up to the next heading; LookupError when there is no such heading."""
    found = re.search(rf"^# {re.escape(heading)}\n(.*?)(?=^# |\Z)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise LookupError(f"groundwire emulator prints no block for {heading}")
    return found[1]


@asynccontextmanager
async def introduction(trial: Trial) -> AsyncIterator[str]:
    """A running `groundwire emulator` on a free port; gives what it printed until it listened."""
    process = await asyncio.create_subprocess_exec(
        *(str(GROUNDWIRE), "emulator", "--port", "0"),
        env=scrubbed(os.environ, trial.new_folder("emulator")),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(START_SECONDS):
            printed = await process.stdout.readuntil(b"# Listening")
        yield printed.decode()
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
