"""Our own `groundwire search` against the served emulator: the whole way over HTTP, on three providers."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import msgspec

from conformance.commands import Finished
from conformance.pasting import check_pasted
from conformance.trial import Trial
from groundwire.emulator import Emulator

QUERY = "北京天气"
ADDRESSES = (
    "GOOGLE_GEMINI_BASE_URL",
    "GROUNDWIRE_CODEX_BASE_URL",
    "GROUNDWIRE_OPENAI_OAUTH_URL",
    "OPENROUTER_BASE_URL",
)
ACCOUNT = "acct-emulator-0001"


async def run(trial: Trial) -> None:
    """A cited answer from each provider, a sign-in that had ended, a refusal, and a missing key."""
    await _searches_with_a_key(trial, "gemini", "GEMINI_API_KEY", "x-goog-api-key")
    await _searches_with_a_key(trial, "openrouter", "OPENROUTER_API_KEY", "authorization")
    await _searches_with_opencodes_sign_in(trial)
    await _renews_a_sign_in(trial)
    await _tells_of_a_refusal(trial)
    await _needs_a_key(trial)
    await check_pasted(trial, "groundwire", "[1] Weather in Beijing")


async def _search(
    trial: Trial, emulator: Emulator, provider: str, names: tuple[str, ...] = (), home: Path | None = None
) -> tuple[Finished, dict[str, Any]]:
    """One search with the emulator's addresses and these variables of its environment."""
    given = emulator.env()
    variables = {name: given[name] for name in (*ADDRESSES, *names)}
    words = ["groundwire", "search", QUERY, "--provider", provider, "--json"]
    done = await trial.command(words, variables, home=home)
    try:
        result = msgspec.json.decode(done.out)
    except msgspec.DecodeError:
        result = {}
    return done, result


async def _searches_with_a_key(trial: Trial, provider: str, variable: str, header: str) -> None:
    async with Emulator() as emulator:
        done, result = await _search(trial, emulator, provider, (variable,))
        _judge(trial, provider, done, result)
        sent = {call.headers.get(header, "").removeprefix("Bearer ") for call in emulator.requests}
        trial.check(
            f"{provider}: one request, with the key of the environment.",
            len(emulator.requests) == 1 and sent == {emulator.env()[variable]},
            [call.path for call in emulator.requests],
        )


async def _searches_with_opencodes_sign_in(trial: Trial) -> None:
    async with Emulator() as emulator:
        home = trial.new_folder("home")
        token = emulator.env()["CODEX_ACCESS_TOKEN"]
        _write_sign_in(home, token, expires=time.time() + 3600)
        done, result = await _search(trial, emulator, "openai_oauth", home=home)
        _judge(trial, "openai_oauth", done, result)
        sent = [(call.bearer, call.headers.get("chatgpt-account-id")) for call in emulator.requests]
        trial.check(
            "openai_oauth: one request, with the token and the account of OpenCode's store.",
            sent == [(token, ACCOUNT)],
            [call.path for call in emulator.requests],
        )


async def _renews_a_sign_in(trial: Trial) -> None:
    async with Emulator() as emulator:
        home = trial.new_folder("home")
        long_ago = time.time() - 11 * 24 * 3600  # a token lives ten days
        ended = Emulator(clock=lambda: long_ago).env()["CODEX_ACCESS_TOKEN"]
        stored = _write_sign_in(home, ended, expires=time.time() - 24 * 3600)
        done, result = await _search(trial, emulator, "openai_oauth", home=home)
        asked = [call.path for call in emulator.requests]
        trial.check(
            "openai_oauth: a sign-in that has ended is renewed first, then the search succeeds.",
            asked == ["/oauth/token", "/backend-api/codex/responses"]
            and "[1]" in result.get("llmContent", ""),
            f"{asked} {done.brief}",
        )
        store = msgspec.json.decode(stored.read_bytes())
        trial.check(
            "openai_oauth: the new refresh token is written back, and other records are left alone.",
            store["openai"]["refresh"] not in ("", "rt_conformance")
            and store["other"] == {"type": "api", "key": "k"},
            sorted(store),
        )


async def _tells_of_a_refusal(trial: Trial) -> None:
    async with Emulator(scenario="service-disabled") as emulator:
        done, result = await _search(trial, emulator, "gemini", ("GEMINI_API_KEY",))
        error = result.get("error", {})
        trial.check(
            "gemini: a refusal is an error result with Google's words, and a failing exit code.",
            done.code != 0
            and error.get("type") == "GEMINI_WEB_SEARCH_FAILED"
            and result["llmContent"].startswith("Error: "),
            done.brief,
        )


async def _needs_a_key(trial: Trial) -> None:
    async with Emulator() as emulator:
        _, result = await _search(trial, emulator, "gemini")
        kind = result.get("error", {}).get("type")
        trial.check(
            "gemini: without a key the error says so, and nothing is asked.",
            kind == "MISSING_GEMINI_API_KEY" and not emulator.requests,
            result,
        )


def _judge(trial: Trial, provider: str, done: Finished, result: dict[str, Any]) -> None:
    text = str(result.get("llmContent", ""))
    answer, _, listed = text.partition("\n\nSources:\n")
    cited = {int(number) for number in re.findall(r"\[(\d+)\]", answer)}
    numbered = {int(number) for number in re.findall(r"^\[(\d+)\] ", listed, re.MULTILINE)}
    trial.check(
        f"{provider}: a Chinese question gets a cited answer, and every marker has its source in the list.",
        done.code == 0 and cited and cited <= numbered and "北京" in answer,
        f"exit code {done.code}: {text or done.brief}",
    )
    addresses = [source["web"]["uri"] for source in result.get("sources", [])]
    trial.check(
        f"{provider}: the sources are pages of the corpus, the same as in the list.",
        addresses and all(f"({address})" in listed and ".example." in address for address in addresses),
        addresses or text,
    )


def _write_sign_in(home: Path, token: str, expires: float) -> Path:
    """An auth.json as OpenCode keeps it, with a sign-in and a record of someone else."""
    sign_in = {
        "type": "oauth",
        "access": token,
        "refresh": "rt_conformance",
        "expires": int(expires * 1000),
        "accountId": ACCOUNT,
    }
    store = home / ".local" / "share" / "opencode" / "auth.json"
    store.parent.mkdir(parents=True)
    store.write_bytes(msgspec.json.encode({"openai": sign_in, "other": {"type": "api", "key": "k"}}))
    store.chmod(0o600)
    return store
