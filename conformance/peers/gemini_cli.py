"""The real `gemini` command line, with an API key and signed in through Code Assist.

In both modes it answers, streams, searches with its own google_web_search, and writes a file with its own
write_file, following the shipped script `weather`. What it prints and what the emulator was asked
must agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from conformance.commands import Finished
from conformance.gateways import THROUGH, gateway, judge_upstream
from conformance.pasting import check_pasted
from conformance.peers import gemini_cli_installed
from conformance.trial import Trial
from groundwire.emulator import Call, Emulator

MODEL = "gemini-2.5-flash"
GEMINI_3 = "gemini-3-pro-preview"
QUESTION = "Search for the weather in Beijing and save it to weather.txt"
QUIET = {
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
}
TOKEN = "ya29.conformance"


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to be signed in: the words for a check, settings.json, variables, and the path it asks."""

    name: str
    sign_in: str
    path: str
    acting: str
    """The model that calls tools; Gemini 3 wants the signatures of its thoughts back."""

    def variables(self, url: str) -> dict[str, str]:
        """The environment that points the program at an emulator in this mode."""
        trusting = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
        if self.sign_in == "gemini-api-key":
            return trusting | {"GEMINI_API_KEY": "conformance-key", "GOOGLE_GEMINI_BASE_URL": url}
        signed_in = {"GOOGLE_GENAI_USE_GCA": "true", "GOOGLE_CLOUD_ACCESS_TOKEN": TOKEN}
        return trusting | signed_in | {"CODE_ASSIST_ENDPOINT": url}

    def settings(self) -> dict[str, Any]:
        """What settings.json must say: without a selected type, a base URL alone selects another mode."""
        return {"security": {"auth": {"selectedType": self.sign_in}}, **QUIET}


API_KEY = Mode("With an API key", "gemini-api-key", f"/v1beta/models/{MODEL}:streamGenerateContent", MODEL)
CODE_ASSIST = Mode("Signed in", "oauth-personal", "/v1internal:streamGenerateContent", GEMINI_3)


async def run(trial: Trial) -> None:
    """Both modes, then what goes wrong, then what only Code Assist has: projects, limits, a refusal."""
    for mode in (API_KEY, CODE_ASSIST):
        await _answers(trial, mode)
        await _follows_the_weather_script(trial, mode)
    await _reads_a_split_stream(trial)
    await _shows_a_refusal(trial)
    await _finds_its_project(trial)
    await _waits_for_onboarding(trial)
    await _waits_out_a_rate_limit(trial)
    await _is_told_that_individuals_are_refused(trial)
    with trial.about(THROUGH):
        await _answers_through_the_gateway(trial)
        await _follows_the_script_through_the_gateway(trial)
    for heading in ("Gemini CLI with an API key", "Gemini CLI signed in with Google (Code Assist)"):
        await check_pasted(trial, heading, "You said: hello")
    await gemini_cli_installed.check_installed(trial, API_KEY.settings(), MODEL)


async def _gemini(
    trial: Trial,
    mode: Mode,
    url: str,
    *words: str,
    model: str = MODEL,
    extra: Mapping[str, str] | None = None,
) -> tuple[Finished, Path]:
    """One run of the program in a folder of its own; how it ended, and the folder."""
    home, work = trial.new_folder("home"), trial.new_folder("work")
    settings = home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_bytes(msgspec.json.encode(mode.settings()))
    variables = mode.variables(url) | dict(extra or {})
    done = await trial.command(["gemini", "-m", model, *words], variables, home=home, folder=work)
    return done, work


async def _answers(trial: Trial, mode: Mode) -> None:
    async with Emulator() as emulator:
        done, _ = await _gemini(
            trial, mode, emulator.base_url, "-p", "Grüße, 世界 👋", "--output-format", "json"
        )
        response = _json(done.out).get("response")
        trial.check(
            f"{mode.name}, it prints the text the emulator wrote, and nothing went wrong.",
            done.code == 0 and str(response).endswith("Grüße, 世界 👋") and "ERROR" not in done.err,
            done.brief,
        )
        generating = _generating(emulator.requests)
        trial.check(
            f"{mode.name}, it asks once, at {mode.path}.",
            [call.path for call in generating] == [mode.path],
            [call.path for call in emulator.requests],
        )
        agents = {call.headers.get("user-agent", "") for call in generating}
        trial.check(
            f"{mode.name}, the requests come from Gemini CLI {trial.version}.",
            agents and all(f"/{trial.version}/" in agent for agent in agents),
            agents,
        )


async def _follows_the_weather_script(trial: Trial, mode: Mode) -> None:
    async with Emulator(script="weather") as emulator:
        done, work = await _gemini(
            trial, mode, emulator.base_url, "-p", QUESTION, "--approval-mode", "yolo", model=mode.acting
        )
        trial.check(
            f"{mode.name}, it says the last words of the script.",
            done.code == 0 and "saved it to weather.txt" in done.out,
            done.brief,
        )
        saved = work / "weather.txt"
        text = saved.read_text(encoding="utf-8") if saved.is_file() else ""
        trial.check(
            f"{mode.name}, its google_web_search and write_file put a cited answer into weather.txt.",
            "北京" in text and "[1]" in text and "Sources:" in text,
            text or done.brief,
        )
        searches = [call for call in _generating(emulator.requests) if _has_search(call)]
        trial.check(
            f"{mode.name}, it searches in a request of its own with googleSearch alone.",
            len(searches) == 1 and searches[0].api in ("gemini", "code-assist"),
            [call.path for call in emulator.requests],
        )


async def _answers_through_the_gateway(trial: Trial) -> None:
    async with Emulator() as emulator, gateway(trial, emulator) as address:
        done, _ = await _gemini(trial, API_KEY, address, "-p", "Grüße, 世界 👋", "--output-format", "json")
        response = _json(done.out).get("response")
        trial.check(
            "With the gateway's key, it prints the text Code Assist wrote, and nothing went wrong.",
            done.code == 0 and str(response).endswith("Grüße, 世界 👋") and "ERROR" not in done.err,
            done.brief,
        )
        judge_upstream(trial, emulator.requests)


async def _follows_the_script_through_the_gateway(trial: Trial) -> None:
    async with Emulator(script="weather") as emulator, gateway(trial, emulator) as address:
        done, work = await _gemini(
            trial, API_KEY, address, "-p", QUESTION, "--approval-mode", "yolo", model=API_KEY.acting
        )
        saved = work / "weather.txt"
        text = saved.read_text(encoding="utf-8") if saved.is_file() else ""
        trial.check(
            "Its google_web_search and write_file put a cited answer into weather.txt.",
            done.code == 0 and "北京" in text and "[1]" in text and "Sources:" in text,
            text or done.brief,
        )


async def _reads_a_split_stream(trial: Trial) -> None:
    async with Emulator(scenario="thoughts+split-multibyte") as emulator:
        done, _ = await _gemini(trial, API_KEY, emulator.base_url, "-p", "北京🌤")
        trial.check(
            "With an API key, a stream in single bytes is put together, and thoughts are not printed.",
            done.out.strip() == "You said: 北京🌤",
            done.brief,
        )


async def _shows_a_refusal(trial: Trial) -> None:
    async with Emulator(scenario="service-disabled") as emulator:
        done, _ = await _gemini(trial, API_KEY, emulator.base_url, "-p", "hello")
        tries = len(_generating(emulator.requests))
        trial.check(
            "With an API key, a refusal is shown in Google's words, without a second try.",
            done.code != 0 and "has not been used in project" in done.err and tries == 1,
            f"{tries} requests; {done.brief}",
        )


async def _waits_for_onboarding(trial: Trial) -> None:
    async with Emulator(scenario="onboard-slow") as emulator:
        done, _ = await _gemini(trial, CODE_ASSIST, emulator.base_url, "-p", "hello")
        sent = {call.json.get("project") for call in _generating(emulator.requests)}
        polls = [call for call in emulator.requests if call.path.startswith("/v1internal/operations/")]
        trial.check(
            "Signed in for the first time, it polls its onboarding to the end and uses the project it got.",
            done.code == 0 and len(polls) == 2 and sent == {"emulator-managed-project"},
            f"{len(polls)} polls, project {sent}; {done.brief}",
        )


async def _finds_its_project(trial: Trial) -> None:
    async with Emulator() as emulator:
        project = {"GOOGLE_CLOUD_PROJECT": "my-project"}
        await _gemini(trial, CODE_ASSIST, emulator.base_url, "-p", "hello", extra=project)
        methods = [call.path.partition(":")[2] for call in emulator.requests if call.api == "code-assist"]
        trial.check("Signed in, it first loads its project.", methods[:1] == ["loadCodeAssist"], methods)
        sent = [call.json.get("project") for call in _generating(emulator.requests)]
        trial.check("Signed in, it asks on behalf of that project.", set(sent) == {"my-project"}, sent)
        tokens = {call.bearer for call in emulator.requests if call.api == "code-assist"}
        trial.check("Signed in, every request carries the access token.", tokens == {TOKEN}, tokens)


async def _waits_out_a_rate_limit(trial: Trial) -> None:
    async with Emulator(scenario="rate-limit-once") as emulator:
        done, _ = await _gemini(trial, CODE_ASSIST, emulator.base_url, "-p", "hello")
        trial.check(
            "Signed in, it waits out a rate limit with RetryInfo and then answers.",
            done.code == 0 and "hello" in done.out and len(_generating(emulator.requests)) == 2,
            f"{len(_generating(emulator.requests))} requests; {done.brief}",
        )


async def _is_told_that_individuals_are_refused(trial: Trial) -> None:
    async with Emulator(scenario="unsupported-client") as emulator:
        done, _ = await _gemini(trial, CODE_ASSIST, emulator.base_url, "-p", "hello")
        trial.check(
            "Signed in as an individual, it ends with Google's refusal and asks nothing.",
            done.code != 0 and "no longer supported" in done.err and not _generating(emulator.requests),
            done.brief,
        )


def _generating(requests: list[Call]) -> list[Call]:
    return [call for call in requests if call.kind == "generate"]


def _has_search(call: Call) -> bool:
    request = call.json.get("request", call.json)
    tools = request.get("tools") or []
    return len(tools) == 1 and "googleSearch" in tools[0] and "functionDeclarations" not in tools[0]


def _json(text: str) -> dict[str, Any]:
    """The JSON object a program printed, after whatever it printed before it; empty when there is none."""
    try:
        found = msgspec.json.decode(text[text.index("{") :])
    except (ValueError, msgspec.DecodeError):
        return {}
    return found if isinstance(found, dict) else {}
