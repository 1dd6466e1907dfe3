"""The real Gemini CLI with groundwire's extension installed: it lists the extension and calls its search."""

from __future__ import annotations

from typing import Any

import msgspec

from conformance.installed import check_out_again, contents, install
from conformance.recording import keep
from conformance.trial import SCRIPTS, Trial
from groundwire.emulator import Emulator
from groundwire.integrations.install.hosts import HOSTS

SETTINGS = ".gemini/settings.json"


async def check_installed(trial: Trial, settings: dict[str, Any], model: str) -> None:
    """Install, list, call a tool with the key of the environment, install again, uninstall."""
    home, work = trial.new_folder("home"), trial.new_folder("work")
    (home / SETTINGS).parent.mkdir()
    (home / SETTINGS).write_bytes(msgspec.json.encode(settings))
    before = contents([SETTINGS], home)
    async with Emulator(script=SCRIPTS / "gemini_cli_installed.toml") as emulator:
        variables = emulator.env() | {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
        done = await install(trial, "gemini-cli", home, work)
        trial.check("`groundwire install gemini-cli` succeeds.", done.code == 0, done.brief)
        listed = await trial.command(["gemini", "extensions", "list"], variables, home=home, folder=work)
        said = listed.out + listed.err
        trial.check("It lists the extension with its context file.", "GROUNDWIRE.md" in said, said)
        connected = await trial.command(["gemini", "mcp", "list"], variables, home=home, folder=work)
        said = connected.out + connected.err
        trial.check(
            "It connects to the extension's server.", "Connected" in said and "groundwire" in said, said
        )
        words = ["gemini", "-m", model, "-p", "look-it-up", "--approval-mode", "yolo"]
        ran = await trial.command(words, variables, home=home, folder=work)
        trial.check(
            "Its model calls mcp_groundwire_websearch_gemini and gets a cited answer.",
            ran.code == 0 and "Web search results for" in ran.out and "[1]" in ran.out,
            ran.brief,
        )
    async with Emulator(script=SCRIPTS / "gemini_cli_recorded.toml") as emulator:
        variables = emulator.env() | {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
        sentence = HOSTS["gemini-cli"].sentence
        words = ["gemini", "-m", model, "-p", sentence, "--allowed-mcp-server-names", "groundwire", "-y"]
        ran = await trial.command(words, variables, home=home, folder=work)
        trial.check(
            "The sentence of the documentation gets a cited answer.", "Sources:" in ran.out, ran.brief
        )
        listing = _lines_about(connected.err + connected.out)
        keep("gemini mcp list", f'{listing}\n\n$ gemini -p "{sentence}"\n{ran.out}', home, trial)
    await check_out_again(trial, "gemini-cli", home, work, before)
    trial.check(
        "The extension's folder is gone.",
        not (home / ".gemini" / "extensions" / "groundwire").exists(),
        sorted((home / ".gemini").iterdir()),
    )


def _lines_about(listing: str) -> str:
    """Of what it prints about servers, the lines that are no warning about the terminal."""
    return "\n".join(line for line in listing.splitlines() if "server" in line or "groundwire" in line)
