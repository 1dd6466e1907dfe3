"""The real `claude`: what our installation writes is what its own `mcp add` writes, and it connects."""

from __future__ import annotations

from pathlib import Path

import msgspec

from conformance.installed import check_out_again, contents, install
from conformance.pasting import GROUNDWIRE
from conformance.recording import keep
from conformance.trial import Trial

USER, PROJECT = ".claude.json", ".mcp.json"


async def run(trial: Trial) -> None:
    """Both scopes."""
    await _user(trial)
    await _project(trial)


async def _user(trial: Trial) -> None:
    home, work = trial.new_folder("home"), trial.new_folder("work")
    await trial.command(["claude", "mcp", "list"], home=home, folder=work)  # lets it make its files
    before = contents([USER], home)
    trial.check("It has made a file of its own.", before[USER].startswith(b"{"), before)
    done = await install(trial, "claude-code", home, work)
    trial.check("`groundwire install claude-code` succeeds.", done.code == 0, done.brief)
    ours = _entry(home / USER)
    await check_out_again(trial, "claude-code", home, work, before)
    adding = ["claude", "mcp", "add", "--scope", "user", "groundwire", "--"]
    await trial.command([*adding, str(GROUNDWIRE), "mcp", "--tools", "search"], home=home, folder=work)
    theirs = _entry(home / USER)
    trial.check("Our entry is the one `claude mcp add` writes.", ours == theirs and ours, (ours, theirs))
    await install(trial, "claude-code", home, work)
    listed = await trial.command(["claude", "mcp", "list"], home=home, folder=work)
    trial.check("It connects to the server.", "Connected" in listed.out, listed.out or listed.brief)
    told = await trial.command(["claude", "mcp", "get", "groundwire"], home=home, folder=work)
    keep(
        "claude mcp list",
        f"{listed.out}\n$ claude mcp get groundwire\n{told.out}",
        home,
        trial,
    )


async def _project(trial: Trial) -> None:
    home, work = trial.new_folder("home"), trial.new_folder("work")
    done = await install(trial, "claude-code", home, work, "--project")
    trial.check("For a project, it writes .mcp.json.", (work / PROJECT).is_file(), done.brief)
    told = await trial.command(["claude", "mcp", "get", "groundwire"], home=home, folder=work)
    trial.check("It finds the project's server.", "Project config" in told.out, told.out or told.brief)
    await install(trial, "claude-code", home, work, "--project", "--uninstall")
    trial.check("The project's file is gone.", not (work / PROJECT).exists(), list(work.iterdir()))


def _entry(file: Path) -> object:
    return msgspec.json.decode(file.read_bytes()).get("mcpServers", {}).get("groundwire")
