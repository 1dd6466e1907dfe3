"""Whole searches with a stored ChatGPT sign-in against the emulated Codex backend and its sign-in server."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from groundwire.citations import WebSearchResult
from groundwire.config import load_config
from groundwire.emulator import Emulator
from groundwire.emulator.openai.tokens import Account, access_token
from groundwire.runtime import Runtime
from groundwire.testing import AsgiTransport
from groundwire.transport.base import Request, Response

NOW = 1_800_000_000.0


class InProcess(AsgiTransport):
    """The emulator asked in process, with the User-Agent that the real transport adds."""

    async def send(self, request: Request) -> Response:
        return await super().send(replace(request, headers={"User-Agent": "groundwire", **request.headers}))


class SignedIn:
    """A Codex sign-in on disk and an emulator to search with."""

    def __init__(self, home: Path, *, left: float, scenario: str | None = None) -> None:
        self.home = home
        self.emulator = Emulator(clock=lambda: NOW, scenario=scenario)
        self.path = home / ".codex/auth.json"
        self.path.parent.mkdir(parents=True)
        self.first = access_token(Account(), "https://auth.openai.com", NOW - 100, int(100 + left))
        tokens = {"access_token": self.first, "refresh_token": "rt_first", "id_token": None}
        self.path.write_text(json.dumps({"tokens": tokens, "other": [1]}), encoding="utf-8")

    async def search(self) -> WebSearchResult:
        env = self.emulator.env()
        env.pop("CODEX_ACCESS_TOKEN", None)  # the stored sign-in is what we are here for
        config = load_config(env=env, cwd=self.home, home=self.home)
        transport = InProcess(self.emulator.app)
        async with Runtime(config, env=env, http=transport, clock=lambda: NOW) as runtime:
            return await runtime.search("What is a black hole?", "openai_oauth")

    @property
    def renewals(self) -> int:
        return sum(call.path == "/oauth/token" for call in self.emulator.requests)

    @property
    def stored(self) -> dict[str, str]:
        document = json.loads(self.path.read_text(encoding="utf-8"))
        assert document["other"] == [1]
        tokens: dict[str, str] = document["tokens"]
        return tokens


async def test_an_ended_token_is_renewed_before_the_search(tmp_path: Path) -> None:
    signed_in = SignedIn(tmp_path, left=-50)
    result = await signed_in.search()
    assert result.error is None
    assert signed_in.renewals == 1
    assert signed_in.stored["access_token"] != signed_in.first
    assert signed_in.stored["refresh_token"].startswith("rt_")
    assert (await signed_in.search()).error is None
    assert signed_in.renewals == 1


async def test_searches_at_the_same_time_renew_once(tmp_path: Path) -> None:
    signed_in = SignedIn(tmp_path, left=100)
    results = await asyncio.gather(*(signed_in.search() for _ in range(10)))
    assert [result.error for result in results] == [None] * 10
    assert signed_in.renewals == 1


async def test_a_token_the_backend_refuses_is_renewed_and_the_search_repeated(tmp_path: Path) -> None:
    signed_in = SignedIn(tmp_path, left=5000)
    document = json.loads(signed_in.path.read_text(encoding="utf-8"))
    document["tokens"].update(access_token="not-a-jwt", account_id="acct-emulator-0001")
    signed_in.path.write_text(json.dumps(document), encoding="utf-8")
    assert (await signed_in.search()).error is None
    assert signed_in.renewals == 1


@pytest.mark.parametrize(
    "scenario", ["refresh-token-expired", "refresh-token-reused", "refresh-token-invalidated"]
)
async def test_a_sign_in_that_is_over_says_how_to_sign_in_again(tmp_path: Path, scenario: str) -> None:
    signed_in = SignedIn(tmp_path, left=-50, scenario=scenario)
    result = await signed_in.search()
    assert result.error is not None
    assert result.error.type == "MISSING_OPENAI_OAUTH_SESSION"
    assert "codex login" in result.error.message
    assert signed_in.stored["refresh_token"] == "rt_first"
