"""groundwire put into a real host by its own command: installed in a scratch home, tried, taken out again."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from conformance.commands import Finished
from conformance.environments import scrubbed
from conformance.pasting import GROUNDWIRE, START_SECONDS
from conformance.trial import Trial

Bytes = Mapping[str, bytes]


async def install(trial: Trial, host: str, home: Path, work: Path, *words: str) -> Finished:
    """`groundwire install HOST`, as a person would type it, without the question."""
    return await trial.command([str(GROUNDWIRE), "install", host, "--yes", *words], home=home, folder=work)


async def check_out_again(
    trial: Trial, host: str, home: Path, work: Path, before: Bytes, *words: str
) -> None:
    """Installing again changes nothing; uninstalling gives back the bytes of before."""
    now = contents(before, home)
    again = await install(trial, host, home, work, *words)
    trial.check(
        "Installing again changes nothing.",
        again.code == 0 and "nothing changes" in again.out and contents(before, home) == now,
        again.brief,
    )
    out = await install(trial, host, home, work, *words, "--uninstall")
    left = contents(before, home)
    changed = {name: (before[name], left[name]) for name in before if before[name] != left[name]}
    trial.check(
        "After uninstalling, its files are byte for byte what they were.",
        out.code == 0 and not changed,
        f"{changed} {out.brief}",
    )


def contents(names: Mapping[str, bytes] | list[str], home: Path) -> dict[str, bytes]:
    """The bytes of these files in a home; of one that is not there, nothing."""
    files = ((name, home / name) for name in names)
    return {name: file.read_bytes() if file.is_file() else b"" for name, file in files}


def free_port() -> int:
    """A port nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@asynccontextmanager
async def gateway(trial: Trial, home: Path, port: int, variables: Mapping[str, str]) -> AsyncIterator[None]:
    """A running `groundwire gateway` of the same person."""
    process = await asyncio.create_subprocess_exec(
        *(str(GROUNDWIRE), "gateway", "--port", str(port)),
        env=scrubbed(os.environ, home) | dict(variables),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(START_SECONDS):
            await _listening(port)
        yield
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _listening(port: int) -> None:
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return
