"""A stored Google sign-in at work against the emulator: renewed once, kept where it was, with its project."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from groundwire.credentials.resolve import resolve, survey
from groundwire.errors import (
    BadGoogleClient,
    MissingGoogleClient,
    MissingGoogleSignIn,
    ProjectRequired,
    SignInExpired,
)
from groundwire.testing import AsgiTransport, ScriptedTransport, reply
from groundwire.transport.auth import Auth
from groundwire.transport.base import Request
from tests.unit.credentials.google_home import NOW, STORES, GoogleHome, bearer, encrypted_store

QUOTA = "/v1internal:retrieveUserQuota"


@pytest.mark.parametrize("store", STORES)
async def test_a_sign_in_is_found_in_every_store(tmp_path: Path, store: str) -> None:
    home = GoogleHome(tmp_path, store)
    credential = home.credential()
    assert await bearer(credential) == "ya29.first"
    assert str(home.path) in credential.where
    assert home.emulator.requests == []


@pytest.mark.parametrize("store", STORES)
async def test_an_ended_token_is_renewed_and_written_back(tmp_path: Path, store: str) -> None:
    home = GoogleHome(tmp_path, store, left=299)
    new = await bearer(home.credential())
    assert new.startswith("ya29.emulator-access-")
    assert new in home.stored.values()
    assert str(int((NOW + 3599) * 1000)) in map(str, home.stored.values())
    assert any(str(value).startswith("1//first") for value in home.stored.values())
    assert await bearer(home.credential()) == new
    assert home.count("/token") == 1


@pytest.mark.parametrize("store", STORES)
async def test_a_rotated_refresh_token_is_written_back(tmp_path: Path, store: str) -> None:
    home = GoogleHome(tmp_path, store, left=-1, scenario="rotated-refresh-token")
    for _ in range(3):
        await bearer(home.credential())
        home.clock.now += 3600
    assert home.count("/token") == 3
    assert not any(str(value).startswith("1//first") for value in home.stored.values())


@pytest.mark.parametrize("store", STORES)
async def test_what_else_stands_in_the_store_is_kept(tmp_path: Path, store: str) -> None:
    home = GoogleHome(tmp_path, store, left=-1)
    await bearer(home.credential())
    if store == "encrypted":
        content = encrypted_store(home.path)._open(home.path.read_text(encoding="utf-8"))
        assert content["keep"] == [1]
        assert isinstance(content["gemini-cli-oauth"], dict)
        assert content["gemini-cli-oauth"]["x"] == "y"
    elif store == "own":
        assert json.loads(home.path.read_text(encoding="utf-8"))["gemini"] == {"type": "other"}
    else:
        assert json.loads(home.path.read_text(encoding="utf-8"))["keep"] == [1]
    assert home.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("store", STORES)
async def test_a_refresh_token_alone_is_a_sign_in(tmp_path: Path, store: str) -> None:
    home = GoogleHome(tmp_path, store)
    home.write_sign_in("", "1//first", NOW + 1000)
    assert (await bearer(home.credential())).startswith("ya29.emulator-access-")
    assert home.count("/token") == 1


async def test_gemini_cli_may_have_another_home(tmp_path: Path) -> None:
    home = GoogleHome(tmp_path, "gemini-cli")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / ".gemini").rename(elsewhere / ".gemini")
    with pytest.raises(MissingGoogleSignIn):
        home.credential()
    home.env["GEMINI_CLI_HOME"] = str(elsewhere)
    assert await bearer(home.credential()) == "ya29.first"


@pytest.mark.parametrize(
    "document",
    [
        {"type": "service_account", "access_token": "a"},
        {"access_token": 7},
        {"access_token": "two words"},
        {"refresh_token": None},
        {"scope": "s"},
    ],
)
def test_a_file_that_holds_no_sign_in_is_skipped_with_a_reason(tmp_path: Path, document: object) -> None:
    home = GoogleHome(tmp_path, "gemini-cli")
    home.path.write_text(json.dumps(document), encoding="utf-8")
    (finding,) = survey(home.config, home.env, home.clock, ["code_assist"])
    assert finding.state == "unusable"
    assert finding.reason


async def test_a_hundred_users_of_one_ended_token_renew_once(tmp_path: Path) -> None:
    home = GoogleHome(tmp_path, left=-1)
    shared = home.credential()
    credentials = [shared] * 50 + [home.credential() for _ in range(50)]
    tokens = await asyncio.gather(*(bearer(credential) for credential in credentials))
    assert len(set(tokens)) == 1
    assert home.count("/token") == 1


async def test_a_refused_token_is_renewed_once_and_the_request_repeated(tmp_path: Path) -> None:
    home = GoogleHome(tmp_path)
    home.write_sign_in("ya29.expired", "1//first", NOW + 9999)
    credential = home.credential()
    transport = Auth(AsgiTransport(home.emulator.app), credential.authorizer)
    request = Request("POST", f"http://x{QUOTA}", {"Content-Type": "application/json"}, b'{"project": "p"}')
    responses = await asyncio.gather(*(transport.send(request) for _ in range(10)))
    assert [response.status for response in responses] == [200] * 10
    assert home.count("/token") == 1


async def test_a_token_that_stays_refused_is_renewed_once_and_then_told(tmp_path: Path) -> None:
    home = GoogleHome(tmp_path)
    new = reply({"access_token": "ya29.second", "expires_in": 3599})
    async with ScriptedTransport([reply({}, status=401), new, reply({}, status=401)]) as transport:
        credential = resolve("code_assist", home.config, home.env, transport, home.clock)
        response = await Auth(transport, credential.authorizer).send(Request("POST", "http://x/y"))
    assert response.status == 401
    assert [request.url.rpartition("/")[2] for request in transport.requests] == ["y", "token", "y"]


@pytest.mark.parametrize("store", STORES)
async def test_invalid_grant_forgets_the_sign_in_and_says_how_to_sign_in_again(
    tmp_path: Path, store: str
) -> None:
    home = GoogleHome(tmp_path, store, left=-1, scenario="invalid-grant")
    before = home.path.read_bytes()
    with pytest.raises(SignInExpired, match="has ended: Google says: Token has been expired") as caught:
        await bearer(home.credential())
    assert "groundwire login google" in caught.value.hint
    with pytest.raises(MissingGoogleSignIn):
        home.credential()
    assert home.count("/token") == 1
    if store == "own":
        assert "google" not in json.loads(home.path.read_text(encoding="utf-8"))
    else:
        assert home.path.read_bytes() == before  # a store of others is not ours to empty


async def test_after_a_new_sign_in_of_the_other_program_it_is_used_again(tmp_path: Path) -> None:
    home = GoogleHome(tmp_path, "gemini-cli", left=-1, scenario="invalid-grant")
    with pytest.raises(SignInExpired):
        await bearer(home.credential())
    home.write_sign_in("ya29.second", "1//second", NOW + 1000)
    assert await bearer(home.credential()) == "ya29.second"


async def test_a_sign_in_renewed_elsewhere_meanwhile_is_adopted_instead_of_forgotten(tmp_path: Path) -> None:
    home = GoogleHome(tmp_path, "gemini-cli", left=-1, scenario="invalid-grant")
    credential = home.credential()
    home.write_sign_in("ya29.second", "1//second", NOW + 1000)
    assert await bearer(credential) == "ya29.second"


async def test_without_a_client_secret_a_token_is_used_until_it_ends(tmp_path: Path) -> None:
    home = GoogleHome(tmp_path, "gemini-cli", left=100)
    del home.env["GROUNDWIRE_GOOGLE_CLIENT_SECRET"]
    credential = home.credential()
    assert await bearer(credential) == "ya29.first"
    home.clock.now += 200
    with pytest.raises(MissingGoogleClient, match="ships none"):
        await bearer(credential)
    with pytest.raises(MissingGoogleSignIn, match="no OAuth client is configured"):
        home.credential()
    assert home.emulator.requests == []


async def test_a_wrong_client_secret_is_told_and_the_sign_in_kept(tmp_path: Path) -> None:
    home = GoogleHome(tmp_path, left=-1)
    home.env["GROUNDWIRE_GOOGLE_CLIENT_SECRET"] = "invalid"
    with pytest.raises(BadGoogleClient, match="client secret is invalid"):
        await bearer(home.credential())
    assert home.stored["refresh"] == "1//first"


@pytest.mark.parametrize("jump", [-10 * 365 * 86400, -7200, 7200, 10 * 365 * 86400])
async def test_a_clock_that_jumps_costs_at_most_one_renewal_each_way(tmp_path: Path, jump: float) -> None:
    home = GoogleHome(tmp_path)
    credential = home.credential()
    home.clock.now += jump
    await bearer(credential)
    await bearer(credential)
    home.clock.now -= jump
    await bearer(credential)
    await bearer(credential)
    assert home.count("/token") <= 2


@pytest.mark.parametrize("store", STORES)
async def test_the_project_is_found_once_and_kept_with_the_sign_in(tmp_path: Path, store: str) -> None:
    home = GoogleHome(tmp_path, store)
    credentials = [home.credential() for _ in range(20)]
    assert all(credential.project is not None for credential in credentials)
    found = await asyncio.gather(*(c.project() for c in credentials if c.project is not None))
    assert set(found) == {"emulator-project"}
    again = home.credential().project
    assert again is not None
    assert await again() == "emulator-project"
    assert home.count("/v1internal:loadCodeAssist") == 1


async def test_in_opencodes_store_the_project_stands_behind_the_refresh_token(tmp_path: Path) -> None:
    home = GoogleHome(tmp_path, "opencode", left=-1)
    credential = home.credential()
    assert credential.project is not None
    await credential.project()
    assert home.stored["refresh"] == "1//first|emulator-project"
    home.clock.now += 4000
    await bearer(home.credential())
    assert home.stored["refresh"] == "1//first|emulator-project"


@pytest.mark.parametrize(
    ("refresh", "project"),
    [
        ("1//r|mine", "mine"),
        ("1//r|mine|managed", "managed"),
        ("1//r||managed", "managed"),
        ("1//r|||", None),
    ],
)
async def test_opencodes_form_of_a_sign_in_is_understood(
    tmp_path: Path, refresh: str, project: str | None
) -> None:
    home = GoogleHome(tmp_path, "opencode")
    home.write_sign_in("ya29.first", refresh, NOW - 1)
    credential = home.credential()
    assert credential.project is not None
    assert await credential.project() == (project or "emulator-project")
    assert home.count("/v1internal:loadCodeAssist") == (0 if project else 1)
    await bearer(credential)
    assert all(
        call.form["refresh_token"] == "1//r" for call in home.emulator.requests if call.path == "/token"
    )


@pytest.mark.parametrize(
    "variable", ["OPENCODE_GEMINI_PROJECT_ID", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID"]
)
async def test_a_project_named_in_the_environment_is_asked_for(tmp_path: Path, variable: str) -> None:
    home = GoogleHome(tmp_path, "opencode")
    first = home.credential().project
    assert first is not None
    await first()
    home.env[variable] = "mine"
    for _ in range(2):
        again = home.credential().project
        assert again is not None
        assert await again() == "mine"
    assert home.count("/v1internal:loadCodeAssist") == 2
    assert home.stored["refresh"] == "1//first|mine"


async def test_a_crowd_that_is_refused_a_project_asks_once(tmp_path: Path) -> None:
    home = GoogleHome(tmp_path, scenario="project-required")
    project = home.credential().project
    assert project is not None
    outcomes = await asyncio.gather(*(project() for _ in range(30)), return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {ProjectRequired}
    assert home.count("/v1internal:loadCodeAssist") == 1


async def test_a_token_in_gemini_clis_variable_is_used_as_it_is(tmp_path: Path) -> None:
    home = GoogleHome(tmp_path)
    home.env.update(GOOGLE_GENAI_USE_GCA="true", GOOGLE_CLOUD_ACCESS_TOKEN="ya29.given")
    credential = home.credential()
    assert await bearer(credential) == "ya29.given"
    assert credential.project is not None
    assert await credential.project() == "emulator-project"


def test_an_encrypted_store_of_another_machine_is_reported(tmp_path: Path) -> None:
    home = GoogleHome(tmp_path, "encrypted")
    text = home.path.read_text(encoding="utf-8")
    home.path.write_text(text[:-2] + ("00" if text[-2:] != "00" else "11"), encoding="utf-8")
    with pytest.raises(MissingGoogleSignIn, match="another machine or by another user"):
        resolve("code_assist", home.config, home.env, AsgiTransport(home.emulator.app), home.clock)


def test_without_cryptography_the_command_that_installs_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = GoogleHome(tmp_path, "encrypted")
    monkeypatch.setitem(__import__("sys").modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    (finding,) = survey(home.config, home.env, home.clock, ["code_assist"])
    assert "pip install 'groundwire[gemini-cli]'" in str(finding.reason)
