"""The real OpenCode with groundwire installed: four search tools and a file tool by their exact names.

The model is the emulator's, reached through the installed provider `gemini-cli` and a running gateway. The
credentials are those in OpenCode's own store, the models those in its own configuration.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import msgspec

from conformance.commands import Finished
from conformance.installed import check_out_again, contents, free_port, gateway, install
from conformance.recording import keep
from conformance.trial import SCRIPTS, Trial
from groundwire.emulator import Call, Emulator
from groundwire.emulator.openai.tokens import Account, access_token
from groundwire.integrations.install.hosts import HOSTS

CONFIG = ".config/opencode/opencode.jsonc"
STORE = ".local/share/opencode/auth.json"
OWNERS_CONFIG = """\
// written by hand
{
  "$schema": "https://opencode.ai/config.json",
  "provider": {
    "google": { "options": { "websearch": { "model": "gemini-2.5-pro" } } },
    "geminisearch": { "options": { "model": "gemini-2.5-flash-lite" } }, // for geminisearch
  },
}
"""
TOOLS = ("websearch_gemini", "websearch_openai_oauth", "websearch_openrouter", "geminisearch")
FILE_TOOL = "groundwire_read_file"
ADDRESSES = (
    "GOOGLE_GEMINI_BASE_URL",
    "GROUNDWIRE_CODEX_BASE_URL",
    "GROUNDWIRE_OPENAI_OAUTH_URL",
    "OPENROUTER_BASE_URL",
)
# A picture of one pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


async def check_installed(trial: Trial, offline: dict[str, str], no_plugin_install: str) -> None:
    """Install, let a scripted model call every tool, show it a picture, install again, uninstall."""
    home, work = _folders(trial, no_plugin_install)
    settings = home / ".config" / "opencode"
    (work / "hello.txt").write_text("你好 from a file\n", encoding="utf-8")
    async with Emulator(script=SCRIPTS / "opencode_installed.toml") as emulator:
        _write_owners_files(home, emulator)
        before = contents([CONFIG, STORE], home)
        port = free_port()
        words = ("--tools", "all", "--gateway-port", str(port))
        done = await install(trial, "opencode", home, work, *words)
        trial.check("`groundwire install opencode` succeeds.", done.code == 0, done.brief)
        variables = offline | {name: emulator.env()[name] for name in ADDRESSES}
        behind = {"GEMINI_API_KEY": emulator.env()["GEMINI_API_KEY"]}
        async with gateway(trial, home, port, variables | behind):
            ran = await _run(trial, variables, home, work, "search-everywhere")
            _judge_calls(trial, ran, emulator.requests)
            _judge_models(trial, emulator.requests)
        await check_out_again(trial, "opencode", home, work, before, *words)
        left = settings / "plugin"
        trial.check("The plugin is gone with its folder.", not left.exists(), left)
    await _is_recorded(trial, offline, no_plugin_install)
    await _shows_a_picture(trial, offline, no_plugin_install)
    await _cancels(trial)


def _folders(trial: Trial, no_plugin_install: str) -> tuple[Path, Path]:
    """A home in which OpenCode does not ask npm for its plugin package, and a folder to work in."""
    home, work = trial.new_folder("home"), trial.new_folder("work")
    settings = home / ".config" / "opencode"
    (settings / "node_modules").mkdir(parents=True)
    (settings / "package-lock.json").write_text(no_plugin_install, encoding="utf-8")
    return home, work


def _write_owners_files(home: Path, emulator: Emulator) -> None:
    (home / CONFIG).write_text(OWNERS_CONFIG, encoding="utf-8")
    token = access_token(Account(), emulator.base_url, emulator.world.clock())
    store = {
        "google": {"type": "api", "key": "key-in-opencodes-store"},
        "openai": {
            "type": "oauth",
            "refresh": "rt_emulator",
            "access": token,
            "expires": int((emulator.world.clock() + 3600) * 1000),
            "accountId": "acct-emulator-0001",
        },
        "openrouter": {"type": "api", "key": "sk-or-v1-in-opencodes-store"},
    }
    (home / STORE).parent.mkdir(parents=True)
    (home / STORE).write_bytes(msgspec.json.format(msgspec.json.encode(store), indent=2))
    (home / STORE).chmod(0o600)


async def _run(trial: Trial, variables: dict[str, str], home: Path, work: Path, *words: str) -> Finished:
    command = ["opencode", "run", "--model", "gemini-cli/gemini-2.5-flash", "--title", "installed", *words]
    return await trial.command(command, variables, home=home, folder=work)


def _judge_calls(trial: Trial, ran: Finished, requests: list[Call]) -> None:
    trial.check(
        "The run comes to the last words of the script.",
        ran.code == 0 and "All five answered: 你好 from a file" in ran.out,
        ran.brief,
    )
    results = _results(requests)
    for name in TOOLS:
        answer = _json(results.get(name, "")).get("llmContent", "")
        trial.check(
            f"The model calls {name} and gets a cited answer.",
            answer.startswith('Web search results for "weather in Beijing":') and "[1]" in answer,
            results.get(name) or f"results of {list(results)}",
        )
    trial.check(
        f"The model calls {FILE_TOOL} and gets the file.",
        results.get(FILE_TOOL) == "你好 from a file\n",
        results.get(FILE_TOOL),
    )


def _judge_models(trial: Trial, requests: list[Call]) -> None:
    searches = {call.path.rpartition("/")[2].partition(":")[0] for call in requests if _is_search(call)}
    trial.check(
        "Searches use the models that OpenCode's configuration names.",
        searches == {"gemini-2.5-pro", "gemini-2.5-flash-lite"},
        searches,
    )
    keys = {call.headers.get("x-goog-api-key") for call in requests if _is_search(call)}
    trial.check("Searches use the key in OpenCode's own store.", keys == {"key-in-opencodes-store"}, keys)
    routed = {call.bearer for call in requests if call.api == "openrouter"}
    trial.check("So does OpenRouter.", routed == {"sk-or-v1-in-opencodes-store"}, routed)
    asked = next((call for call in requests if call.api == "gemini" and not _is_search(call)), None)
    generation = asked.json.get("generationConfig", {}) if asked else {}
    trial.check(
        "Through the installed provider, thinking is asked for.",
        generation.get("thinkingConfig", {}).get("includeThoughts") is True,
        generation,
    )


async def _is_recorded(trial: Trial, offline: dict[str, str], no_plugin_install: str) -> None:
    """The sentence of docs/hosts/opencode.md, and what OpenCode prints."""
    home, work = _folders(trial, no_plugin_install)
    async with Emulator(script=SCRIPTS / "opencode_recorded.toml") as emulator:
        port = free_port()
        await install(trial, "opencode", home, work, "--gateway-port", str(port))
        variables = offline | emulator.env()
        sentence = HOSTS["opencode"].sentence
        async with gateway(trial, home, port, variables):
            ran = await _run(trial, variables, home, work, sentence)
        trial.check(
            "The sentence of the documentation gets a cited answer.", "Sources:" in ran.out, ran.brief
        )
        keep(f'opencode run "{sentence}"', ran.err + ran.out, home, trial)


async def _shows_a_picture(trial: Trial, offline: dict[str, str], no_plugin_install: str) -> None:
    home, work = _folders(trial, no_plugin_install)
    (work / "pixel.png").write_bytes(PIXEL)
    async with Emulator() as emulator:
        port = free_port()
        await install(trial, "opencode", home, work, "--gateway-port", str(port))
        variables = offline | emulator.env()
        async with gateway(trial, home, port, variables):
            ran = await _run(trial, variables, home, work, "look", "-f", "pixel.png")
        sent = [
            part["inlineData"]["mimeType"]
            for call in emulator.requests
            for content in call.json.get("contents", [])
            for part in content["parts"]
            if "inlineData" in part
        ]
        trial.check(
            "Through the installed provider, a picture reaches the model.", "image/png" in sent, ran.brief
        )


async def _cancels(trial: Trial) -> None:
    """The plugin alone, in node: an aborted call ends the process it started."""
    home = trial.new_folder("home")
    await install(trial, "opencode", home, home, "--command", "/bin/sleep")
    plugin = home / ".config" / "opencode" / "plugin" / "groundwire.js"
    text = plugin.read_text(encoding="utf-8").replace(
        '["/bin/sleep"]', '["/bin/sh", "-c", "exec sleep 60", "x"]'
    )
    program = home / "aborting.mjs"
    program.write_text(text + ABORTING, encoding="utf-8")
    done = await trial.command(["node", str(program)], home=home, seconds=30)
    trial.check(
        "A cancelled geminisearch ends at once, and the process it started with it.",
        done.out.strip() == "The search was cancelled. true",
        done.brief,
    )


ABORTING = """
const { tool } = await Groundwire({ directory: process.cwd() })
const abort = new AbortController()
setTimeout(() => abort.abort(), 300)
const began = Date.now()
try {
  await tool.geminisearch.execute({ query: "weather" }, { abort: abort.signal })
} catch (error) {
  console.log(error.message, Date.now() - began < 5000)
}
"""


def _results(requests: list[Call]) -> dict[str, str]:
    """What each function answered, as the model was told."""
    found: dict[str, str] = {}
    for call in requests:
        for content in call.json.get("contents", []) if call.api == "gemini" else []:
            for part in content.get("parts", []):
                if response := part.get("functionResponse"):
                    found[response["name"]] = response["response"].get("content", "")
    return found


def _is_search(call: Call) -> bool:
    tools = call.json.get("tools") or [] if call.api == "gemini" else []
    return any("googleSearch" in tool for tool in tools)


def _json(text: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return {}
    return found if isinstance(found, dict) else {}
