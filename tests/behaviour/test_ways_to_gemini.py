"""Gemini without a key: searches and the agent over Vertex AI and over Code Assist, on loopback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from groundwire.cli import main
from groundwire.emulator import Emulator
from tests.behaviour.conftest import requirement, served
from tests.unit.credentials.adc import authorized_user, service_account

Way = Callable[[Path], dict[str, str]]


def as_a_program(home: Path) -> dict[str, str]:
    key = service_account(home)
    return {"GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_APPLICATION_CREDENTIALS": str(key)}


def as_a_person(home: Path) -> dict[str, str]:
    authorized_user(home)
    return {"GOOGLE_CLOUD_PROJECT": "robots-project"}


def signed_in(home: Path) -> dict[str, str]:
    return {
        "GOOGLE_GENAI_USE_GCA": "true",
        "GOOGLE_CLOUD_ACCESS_TOKEN": "ya29.mine",
        "GOOGLE_CLOUD_PROJECT": "robots-project",
    }


VERTEX = "/v1beta1/projects/robots-project/locations/global/publishers/google/models/"
WAYS = pytest.mark.parametrize(
    ("way", "path"),
    [(as_a_program, VERTEX), (as_a_person, VERTEX), (signed_in, "/v1internal:")],
    ids=["service account", "gcloud", "Google sign-in"],
)


def enter(emulator: Emulator, way: Way, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this way the only one there is, and the working directory empty."""
    for name, value in (emulator.env() | way(home)).items():
        if name != "GEMINI_API_KEY":
            monkeypatch.setenv(name, value)
    folder = home / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)


def generating(emulator: Emulator) -> list[str]:
    return [call.path for call in emulator.requests if "enerateContent" in call.path]


@requirement("upstream:search")
@WAYS
def test_a_search_needs_no_key(
    way: Way,
    path: str,
    scrubbed_environment: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with served() as emulator:
        enter(emulator, way, scrubbed_environment, monkeypatch)
        assert main(["search", "北京天气", "--json", "--provider", "gemini"]) == 0
        result = msgspec.json.decode(capsys.readouterr().out)
        assert "[1]" in result["llmContent"]
        assert result["sources"]
        assert generating(emulator)[0].startswith(path)
        assert all("x-goog-api-key" not in call.headers for call in emulator.requests)


@requirement("upstream:agent")
@WAYS
def test_the_agent_needs_no_key_and_signs_in_once(
    way: Way,
    path: str,
    scrubbed_environment: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with served(script="weather") as emulator:
        enter(emulator, way, scrubbed_environment, monkeypatch)
        assert main(["run", "搜索北京天气并保存到 weather.txt", "--approve", "yolo"]) == 0
        asked = generating(emulator)
        assert len(asked) > 2
        assert all(one.startswith(path) for one in asked)
        signing_in = [call.path for call in emulator.requests if "enerateContent" not in call.path]
        assert len(signing_in) == 1  # one token, or one look for the project
    assert "空气质量良好。[1]" in Path("weather.txt").read_text(encoding="utf-8")


@requirement("upstream:refused")
@pytest.mark.parametrize(
    ("scenario", "code", "words"),
    [
        ("validation-403", "VALIDATION_REQUIRED", "verify"),
        ("terms-violated", "ACCOUNT_SUSPENDED", "appeal"),
        ("service-disabled", "SERVICE_DISABLED", "gcloud services enable"),
        ("not-a-named-user", "NOT_LICENSED", "named user"),
    ],
)
def test_a_refusal_of_code_assist_says_what_to_do(
    scenario: str,
    code: str,
    words: str,
    scrubbed_environment: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with served(scenario=scenario) as emulator:
        enter(emulator, signed_in, scrubbed_environment, monkeypatch)
        assert main(["search", "hello", "--json", "--provider", "gemini"]) != 0
    error = msgspec.json.decode(capsys.readouterr().out)["error"]
    assert error["type"] == code
    assert words in error["message"]


@requirement("upstream:renewed")
@pytest.mark.parametrize("way", [as_a_program, as_a_person])
def test_a_refused_token_of_vertex_ai_is_renewed_once(
    way: Way, scrubbed_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(scenario="unauthorized-once") as emulator:
        enter(emulator, way, scrubbed_environment, monkeypatch)
        assert main(["search", "hello", "--json", "--provider", "gemini"]) == 0
        assert [call.path for call in emulator.requests].count("/token") == 2


@requirement("upstream:ended")
def test_a_google_sign_in_that_has_ended_is_told_as_such(
    scrubbed_environment: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(scenario="invalid-grant") as emulator:
        enter(emulator, as_a_person, scrubbed_environment, monkeypatch)
        assert main(["search", "hello", "--json", "--provider", "gemini"]) == 3
    error = msgspec.json.decode(capsys.readouterr().out)["error"]
    assert error["type"] == "SIGN_IN_EXPIRED"
    assert "gcloud auth application-default login" in error["message"]


@requirement("upstream:chosen")
@pytest.mark.parametrize(
    ("choice", "code"),
    [("vertex", "MISSING_VERTEX_CREDENTIALS"), ("code-assist", "MISSING_GOOGLE_SIGN_IN")],
)
def test_a_chosen_way_that_is_not_ready_is_told_also_when_no_provider_is_named(
    choice: str, code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GROUNDWIRE_GEMINI_UPSTREAM", choice)
    assert main(["search", "hello", "--json"]) == 3
    assert msgspec.json.decode(capsys.readouterr().out)["error"]["type"] == code
