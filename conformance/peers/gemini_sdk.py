"""Gemini's libraries in Python and JavaScript: each runs a client program of ours, one judge for all.

The client program prints what it saw; here it is held against what the emulator wrote and what the emulator
was asked. Libraries that have more (asynchronous calls, automatic function calling) are judged on more.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import groundwire
from conformance.gateways import THROUGH, gateway, judge_upstream
from conformance.pasting import check_pasted
from conformance.told import told_by
from conformance.trial import PROGRAMS, SCRIPTS, Trial
from groundwire.emulator import Call, Emulator

ECHO = "You said: Grüße, 世界 👋"
SOURCE = Path(groundwire.__file__).parent.parent
TOKEN = "ya29.conformance"
MIX_REFUSED = "Multiple tools are supported only when they are all search tools"


async def run_python(trial: Trial) -> None:
    """google-genai on PyPI; 3.x asks for v1, 2.x for v1beta."""
    version = "v1" if trial.version.startswith("3.") else "v1beta"
    async with Emulator(script=SCRIPTS / "get_weather.toml") as emulator:
        seen = await trial.sighting("google_genai_answers.py", {"EMULATOR_URL": emulator.base_url})
        judge_answers(trial, seen)
        judge_listing(trial, seen)
        judge_python(trial, seen)
        judge_log(trial, emulator.requests, f"/{version}/models/", f"google-genai-sdk/{trial.version}")
    async with Emulator() as emulator:
        trial.checks += await told_by(trial, PROGRAMS / "google_genai_client.py", "--url", emulator.base_url)
    await run_signed_in(trial)
    await check_pasted(trial, "google-genai (Python and JavaScript)", "You said: hello")
    await _run_through_the_gateway(trial, "google_genai_answers.py")


async def run_signed_in(trial: Trial) -> None:
    """The same program with groundwire's `code_assist_client()` in place of google-genai's own client."""
    async with Emulator(script=SCRIPTS / "get_weather.toml") as emulator:
        variables = {
            "GROUNDWIRE_SOURCE": str(SOURCE),
            "GOOGLE_GENAI_USE_GCA": "true",
            "GOOGLE_CLOUD_ACCESS_TOKEN": TOKEN,
            "GOOGLE_CLOUD_PROJECT": "conformance-project",
            "CODE_ASSIST_ENDPOINT": emulator.base_url,
        }
        seen = await trial.sighting("google_genai_answers.py", variables)
    with trial.about("Signed in: "):
        library = "httpx2" if trial.version.startswith("3.") else "httpx"
        trial.check(f"The HTTP library is {library}.", seen["http"] == library, seen["http"])
        judge_answers(trial, seen, unknown_model="Requested entity was not found")
        judge_python(trial, seen)
        trial.check("Counting tokens gives a positive number.", seen["tokens"] > 0, seen["tokens"])
        told = seen["models"]
        trial.check(
            "The models that Code Assist has a quota for are listed, the one in use among them.",
            isinstance(told, list) and "models/gemini-2.5-flash" in told,
            told,
        )
        judge_code_assist_log(trial, emulator.requests, f"google-genai-sdk/{trial.version}")


def judge_code_assist_log(trial: Trial, requests: list[Call], agent: str) -> None:
    """What the emulated Code Assist was asked."""
    strangers = [call.path for call in requests if not call.path.startswith("/v1internal:")]
    trial.check("Every request went to Code Assist.", requests and not strangers, strangers)
    loose = [call.path for call in requests if call.bearer != TOKEN or "x-goog-api-key" in call.headers]
    trial.check("Every request carried the sign-in, and no key.", not loose, loose)
    asked = [
        call.json for call in requests if call.path.endswith("GenerateContent") or "generate" in call.path
    ]
    projects = {document["project"] for document in asked}
    trial.check("Every request named the project.", projects == {"conformance-project"}, projects)
    agents = {call.headers.get("user-agent", "") for call in requests if "ontent" in call.path}
    trial.check(
        f"The emulator was told honestly who asks: groundwire, and {agent}.",
        agents and all(named.startswith("groundwire/") and agent in named for named in agents),
        agents,
    )


async def _run_through_the_gateway(trial: Trial, client: str) -> None:
    """The same program, pointed at a gateway with Code Assist behind it."""
    async with (
        Emulator(script=SCRIPTS / "get_weather.toml") as emulator,
        gateway(trial, emulator) as address,
    ):
        seen = await trial.sighting(client, {"EMULATOR_URL": address})
    with trial.about(THROUGH):
        judge_answers(trial, seen, unknown_model="Requested entity was not found")
        if "models" in seen:
            judge_listing(trial, seen)
        if "async" in seen:
            judge_python(trial, seen)
        judge_upstream(trial, emulator.requests)


async def run_google_genai_js(trial: Trial) -> None:
    """@google/genai on npm."""
    async with Emulator(script=SCRIPTS / "get_weather.toml") as emulator:
        seen = await trial.sighting("google_genai_answers.mjs", {"EMULATOR_URL": emulator.base_url})
        judge_answers(trial, seen)
        judge_listing(trial, seen)
        judge_log(trial, emulator.requests, "/v1beta/models/", f"google-genai-sdk/{trial.version}")
    await _run_through_the_gateway(trial, "google_genai_answers.mjs")


async def run_ai_sdk(trial: Trial) -> None:
    """@ai-sdk/google on npm, with the `ai` package that drives it."""
    async with Emulator(script=SCRIPTS / "get_weather.toml") as emulator:
        seen = await trial.sighting("ai_sdk_google_answers.mjs", {"EMULATOR_URL": emulator.base_url})
        judge_answers(trial, seen)
        trial.check("A stream ends with the finish reason stop.", seen["stream_finish"] == "stop", seen)
        trial.check(
            "The library runs the function itself, once for the answer and once for the stream.",
            seen["automatic_called"] == ["北京", "北京"],
            seen["automatic_called"],
        )
        cited = {url for support in seen["search"]["supports"] for url in support["urls"]}
        trial.check(
            "Every cited page is among the sources the library lists.",
            cited and cited <= set(seen["search"]["sources"]),
            seen["search"],
        )
        judge_log(trial, emulator.requests, "/v1beta/models/", f"ai-sdk-google/{trial.version}")
    await _run_through_the_gateway(trial, "ai_sdk_google_answers.mjs")


def judge_answers(trial: Trial, seen: dict[str, Any], unknown_model: str = "no-such-model") -> None:
    """What every Gemini library must have seen."""
    trial.check(
        "The installed library is the pinned version.", seen["version"] == trial.version, seen["version"]
    )
    trial.check("A whole answer has the text the emulator wrote.", seen["unary"] == ECHO, seen["unary"])
    stream = [piece for piece in seen["stream"] if piece]
    trial.check(
        "A streamed answer comes in several pieces that make the same text.",
        len(stream) > 1 and "".join(stream) == ECHO,
        seen["stream"],
    )
    split = "".join(piece or "" for piece in seen["split"])
    trial.check(
        "A stream that arrives byte by byte, characters split, makes the same text.",
        split == ECHO,
        seen["split"],
    )
    trial.check(
        "Thoughts are told apart from the answer.", seen["thoughts"] and seen["thoughtful"] == ECHO, seen
    )
    call = seen["call"]
    trial.check(
        "A function is called on Gemini 3 with the arguments of the script.",
        call["name"] == "get_weather" and call["args"] == {"city": "北京"},
        call,
    )
    trial.check(
        "The function's result, with the thought's signature, reaches the model, which quotes it.",
        call["answer"] == "The tool says: dry and cold",
        call["answer"],
    )
    streamed = seen["streamed_call"]
    trial.check(
        "A function call and the answer to its result arrive in streams too.",
        streamed
        == {"name": "get_weather", "args": {"city": "北京"}, "answer": "The tool says: dry and cold"},
        streamed,
    )
    judge_grounding(trial, seen["search"])
    trial.check(
        "An unknown model is the library's own error with status 404.",
        seen["refused_model"].get("code") == 404 and unknown_model in seen["refused_model"]["message"],
        seen["refused_model"],
    )


def judge_grounding(trial: Trial, search: dict[str, Any]) -> None:
    """Whether the cited spans are where the metadata says, counted in bytes."""
    text = search["text"].encode()
    wrong = [
        support
        for support in search["supports"]
        if text[support["start"] : support["end"]].decode("utf-8", "replace") != support["text"]
    ]
    trial.check(
        "A search answer has cited spans, and their byte offsets cut out exactly the cited text.",
        search["supports"] and not wrong,
        wrong or search,
    )
    trial.check(
        "Every cited span has the address of a page.",
        all(url.startswith("http") for support in search["supports"] for url in support["urls"] or [""]),
        search["supports"],
    )


def judge_listing(trial: Trial, seen: dict[str, Any]) -> None:
    """What Google's own libraries have beyond generation."""
    trial.check("Counting tokens gives a positive number.", seen["tokens"] > 0, seen["tokens"])
    trial.check(
        "The list of models has the one in use.", "models/gemini-2.5-flash" in seen["models"], seen["models"]
    )
    trial.check("A chat answers its second message.", seen["chat"] == "You said: second", seen["chat"])
    mix = seen["refused_mix"]
    trial.check(
        "Search together with functions is refused with status 400 in the API's words.",
        mix.get("code") == 400 and MIX_REFUSED in mix["message"],
        mix,
    )


def judge_python(trial: Trial, seen: dict[str, Any]) -> None:
    """What only the Python library has."""
    trial.check("An asynchronous answer has the same text.", seen["async"]["unary"] == ECHO, seen["async"])
    pieces = seen["async"]["stream"]
    trial.check(
        "An asynchronous stream makes the same text.",
        len(pieces) > 1 and "".join(piece or "" for piece in pieces) == ECHO,
        pieces,
    )
    trial.check(
        "Automatic function calling runs a Python function and quotes its result.",
        seen["automatic_called"] == ["北京"] and seen["automatic"] == "The tool says: sunny in 北京",
        seen["automatic"],
    )


def judge_log(trial: Trial, requests: list[Call], path: str, agent: str) -> None:
    """What the emulator was asked."""
    strangers = [call.path for call in requests if not call.path.startswith(path.removesuffix("/"))]
    trial.check(f"Every request went to {path}….", requests and not strangers, strangers)
    unsigned = [call.path for call in requests if call.headers.get("x-goog-api-key") != "conformance-key"]
    trial.check("Every request carried the key in x-goog-api-key.", not unsigned, unsigned)
    played = {name for call in requests for name in call.scenarios}
    trial.check("The byte by byte stream was really one.", played == {"split-multibyte"}, played)
    agents = {
        call.headers.get("x-goog-api-client", "") + call.headers.get("user-agent", "") for call in requests
    }
    trial.check(f"The emulator was asked by {agent}.", any(agent in named for named in agents), agents)
