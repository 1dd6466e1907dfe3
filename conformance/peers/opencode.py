"""The real `opencode run`, with a provider `gemini-cli` that is its own @ai-sdk/google at the emulator."""

from __future__ import annotations

from pathlib import Path

import msgspec

from conformance.commands import Finished
from conformance.gateways import THROUGH, gateway, judge_upstream
from conformance.pasting import check_pasted
from conformance.peers import opencode_installed
from conformance.told import told_by
from conformance.trial import PROGRAMS, SCRIPTS, Trial
from groundwire.emulator import Call, Emulator

MODEL = "gemini-2.5-flash"
OFFLINE = {
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
}
NO_PLUGIN_INSTALL = '{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}'
"""A lock file that says the plugin package is there: keeps OpenCode from asking npm for it."""


async def run(trial: Trial) -> None:
    """An answer, a round of its own tools, two refusals, its files as we read them, groundwire installed."""
    await _answers(trial)
    await _uses_its_tools(trial)
    await _shows_a_refusal(trial)
    await _tries_again(trial)
    with trial.about(THROUGH):
        await _answers_through_the_gateway(trial)
        await _uses_its_tools_through_the_gateway(trial)
        await _is_not_caught_in_a_loop(trial)
    trial.checks += await told_by(trial, PROGRAMS / "opencode_files.py", "--opencode", "opencode")
    await check_pasted(trial, "OpenCode", "You said: hello")
    await opencode_installed.check_installed(trial, OFFLINE, NO_PLUGIN_INSTALL)


async def _opencode(trial: Trial, url: str, prompt: str) -> tuple[Finished, Path]:
    """One `opencode run` in a folder of its own; how it ended, and the folder."""
    home, work = trial.new_folder("home"), trial.new_folder("work")
    settings = home / ".config" / "opencode"
    (settings / "node_modules").mkdir(parents=True)
    (settings / "package-lock.json").write_text(NO_PLUGIN_INSTALL, encoding="utf-8")
    options = {"baseURL": f"{url}/v1beta", "apiKey": "conformance-key"}
    provider = {"npm": "@ai-sdk/google", "options": options, "models": {MODEL: {}}}
    config = {"provider": {"gemini-cli": provider}, "permission": {"*": "allow"}, "share": "disabled"}
    (work / "opencode.json").write_bytes(msgspec.json.encode(config))
    words = ["opencode", "run", "--model", f"gemini-cli/{MODEL}", "--title", "conformance", prompt]
    return await trial.command(words, OFFLINE, home=home, folder=work), work


async def _answers(trial: Trial) -> None:
    async with Emulator() as emulator:
        done, _ = await _opencode(trial, emulator.base_url, "Grüße,世界👋")
        trial.check(
            "It prints the text the emulator wrote.",
            done.code == 0 and "You said: Grüße,世界👋" in done.out,
            done.brief,
        )
        asked = emulator.requests
        trial.check(
            "It asks once, streaming, with its own tools declared.",
            len(asked) == 1
            and asked[0].path.endswith(":streamGenerateContent")
            and "write" in _functions(asked[0]),
            [call.path for call in asked],
        )
        agents = {call.headers.get("user-agent", "") for call in asked}
        trial.check(
            f"The requests come from opencode {trial.version}.",
            any(agent.startswith(f"opencode/{trial.version}") for agent in agents),
            agents,
        )
        keys = {call.headers.get("x-goog-api-key") for call in asked}
        trial.check("It sends the key of its configuration.", keys == {"conformance-key"}, keys)


async def _uses_its_tools(trial: Trial) -> None:
    async with Emulator(script=SCRIPTS / "opencode_tools.toml") as emulator:
        done, work = await _opencode(trial, emulator.base_url, "make-a-note")
        note = work / "note.txt"
        written = note.read_text(encoding="utf-8") if note.is_file() else ""
        trial.check(
            "Its write tool makes the file the script asked for.", "你好" in written, written or done.brief
        )
        trial.check(
            "Its read tool's result reaches the model, and the last words are printed.",
            done.code == 0 and "The note is written and read." in done.out,
            done.brief,
        )
        trial.check(
            "It comes back to the model after each tool.", len(emulator.requests) == 3, emulator.requests
        )


async def _shows_a_refusal(trial: Trial) -> None:
    async with Emulator() as emulator:
        done, _ = await _opencode(trial, f"{emulator.base_url}/~service-disabled", "hello")
        trial.check(
            "A refused project is shown in Google's words, without a second try.",
            done.code != 0
            and "has not been used in project" in done.out + done.err
            and len(emulator.requests) == 1,
            f"{len(emulator.requests)} requests; {done.brief}",
        )


async def _tries_again(trial: Trial) -> None:
    async with Emulator() as emulator:
        done, _ = await _opencode(trial, f"{emulator.base_url}/~rate-limit-once", "hello")
        trial.check(
            "A rate limit is waited out, and the answer is printed.",
            done.code == 0 and "You said: hello" in done.out and len(emulator.requests) == 2,
            f"{len(emulator.requests)} requests; {done.brief}",
        )


async def _answers_through_the_gateway(trial: Trial) -> None:
    async with Emulator(scenario="rate-limit-once") as emulator, gateway(trial, emulator) as address:
        done, _ = await _opencode(trial, address, "Grüße,世界👋")
        trial.check(
            "It waits out a rate limit and prints the text Code Assist wrote.",
            done.code == 0 and "You said: Grüße,世界👋" in done.out and len(_generating(emulator)) == 2,
            f"{len(_generating(emulator))} requests; {done.brief}",
        )
        judge_upstream(trial, emulator.requests)


async def _uses_its_tools_through_the_gateway(trial: Trial) -> None:
    async with (
        Emulator(script=SCRIPTS / "opencode_tools.toml") as emulator,
        gateway(trial, emulator) as address,
    ):
        done, work = await _opencode(trial, address, "make-a-note")
        trial.check(
            "Its tools write and read a file, and the last words are printed.",
            done.code == 0 and "The note is written and read." in done.out and (work / "note.txt").is_file(),
            done.brief,
        )


async def _is_not_caught_in_a_loop(trial: Trial) -> None:
    """Without a gateway it sends the same conversation again without end: see `groundwire.gateway.ending`."""
    async with Emulator(scenario="no-finish-reason") as emulator, gateway(trial, emulator) as address:
        done, _ = await _opencode(trial, address, "hello")
        trial.check(
            "An answer that never says it is finished is printed once, and asked for once.",
            done.code == 0 and "You said: hello" in done.out and len(_generating(emulator)) == 1,
            f"{len(_generating(emulator))} requests; {done.brief}",
        )


def _generating(emulator: Emulator) -> list[Call]:
    return [call for call in emulator.requests if call.kind == "generate"]


def _functions(call: Call) -> set[str]:
    tools = call.json.get("tools") or []
    return {function["name"] for tool in tools for function in tool.get("functionDeclarations", [])}
