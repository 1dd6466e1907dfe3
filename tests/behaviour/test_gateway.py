"""`groundwire gateway` as a program that other programs use: here, groundwire's own search."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from groundwire.cli import main
from tests.behaviour.conftest import requirement, served
from tests.behaviour.test_ways_to_gemini import WAYS, Way
from tests.unit.cli.test_gateway_command import STREAM, asked, gateway

KEY = "the-gateways-own-key"


@requirement("gateway:every-way")
@WAYS
def test_a_program_with_only_the_gateways_key_gets_a_cited_answer_by_every_way(
    way: Way,
    path: str,
    scrubbed_environment: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with served() as emulator:
        addresses = {name: value for name, value in emulator.env().items() if name != "GEMINI_API_KEY"}
        env = {**addresses, **way(scrubbed_environment), "GROUNDWIRE_GATEWAY_KEY": KEY}
        with gateway(env) as (_, port, _):
            monkeypatch.setenv("GEMINI_API_KEY", KEY)
            monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", f"http://127.0.0.1:{port}")
            assert main(["search", "--json", "--provider", "gemini", "weather in Beijing"]) == 0
            told = msgspec.json.decode(capsys.readouterr().out)
            assert "[1]" in told["llmContent"]
            assert told["sources"]
        generating = [call for call in emulator.requests if call.kind == "generate"]
        assert [call.path.startswith(path) for call in generating] == [True]
        assert KEY not in str(emulator.requests)


@requirement("gateway:key")
def test_a_program_without_the_key_gets_nothing_and_nothing_is_asked() -> None:
    with served() as emulator:
        env = {**emulator.env(), "GROUNDWIRE_GATEWAY_KEY": KEY}
        with gateway(env) as (_, port, _), asked(port, "a-guess-of-mine") as response:
            assert response.status == 401
            assert msgspec.json.decode(response.read())["error"]["status"] == "UNAUTHENTICATED"
        assert not emulator.requests


@requirement("gateway:known-end")
@pytest.mark.parametrize("scenario", ["no-finish-reason", "sse-no-last-blank", "sse-done"])
def test_a_stream_through_the_gateway_ends_as_every_client_knows_it(scenario: str) -> None:
    with served(scenario) as emulator:
        env = {**emulator.env(), "GROUNDWIRE_GATEWAY_KEY": KEY}
        with gateway(env) as (_, port, _), asked(port, KEY, STREAM) as response:
            *events, end = response.read().split(b"\n\n")
    assert end == b""
    assert all(event.startswith(b"data: {") for event in events)
    assert msgspec.json.decode(events[-1][6:])["candidates"][0]["finishReason"] == "STOP"
