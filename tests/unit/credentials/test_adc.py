"""Application Default Credentials: which file counts, and tokens for it from the emulator."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from groundwire.credentials.adc_files import (
    METADATA_SERVER,
    AdcPlace,
    adc_file,
    described,
    is_installed,
    project_in,
)
from groundwire.credentials.adc_tokens import AdcTokens
from groundwire.emulator import Emulator
from groundwire.errors import (
    ConnectFailed,
    InvalidConfig,
    MissingPackage,
    MissingVertexCredentials,
    SignInExpired,
)
from groundwire.testing import AsgiTransport, ScriptedTransport, reply
from tests.unit.credentials.adc import authorized_user, service_account


def test_a_variable_names_the_file_even_when_it_is_not_there(tmp_path: Path) -> None:
    authorized_user(tmp_path)
    found = adc_file({"GOOGLE_APPLICATION_CREDENTIALS": "/nowhere/key.json"}, tmp_path)
    assert found is not None
    assert found.path == Path("/nowhere/key.json")
    assert "GOOGLE_APPLICATION_CREDENTIALS" in found.where


def test_otherwise_gclouds_file_counts_if_it_is_there(tmp_path: Path) -> None:
    assert adc_file({}, tmp_path) is None
    path = authorized_user(tmp_path)
    assert adc_file({}, tmp_path) == AdcPlace(path, str(path))
    assert adc_file({"CLOUDSDK_CONFIG": str(path.parent)}, Path("/")) == AdcPlace(path, str(path))


def test_a_file_tells_its_project(tmp_path: Path) -> None:
    assert project_in(described(service_account(tmp_path))) == "robots-project"
    assert project_in(described(authorized_user(tmp_path))) == "persons-project"
    assert project_in({"type": "x", "project_id": 7}) is None


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"type": 1}', "[" * 9999])
def test_a_file_that_holds_no_credentials_is_told(tmp_path: Path, content: str) -> None:
    path = tmp_path / "key.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidConfig, match=r"key\.json is not"):
        described(path)
    with pytest.raises(InvalidConfig, match="cannot be read"):
        described(tmp_path / "nothing.json")


class Clock:
    """The real time, and what is added to it: google-auth has no other."""

    ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


def session(emulator: Emulator, path: Path | None, clock: Clock | None = None) -> AdcTokens:
    place = AdcPlace(path, str(path)) if path else METADATA_SERVER
    return AdcTokens(place, transport=AsgiTransport(emulator.app), clock=clock or Clock())


def forms(emulator: Emulator) -> list[Mapping[str, str]]:
    return [call.form for call in emulator.requests if call.path == "/token"]


async def test_a_service_account_signs_for_its_token(tmp_path: Path) -> None:
    emulator = Emulator()
    headers = await session(emulator, service_account(tmp_path)).headers()
    assert list(headers) == ["Authorization"]
    assert "emulator-service-account" not in str(headers)
    (form,) = forms(emulator)
    assert form["grant_type"].endswith("jwt-bearer")


async def test_a_person_renews_and_says_who_pays(tmp_path: Path) -> None:
    emulator = Emulator()
    headers = await session(emulator, authorized_user(tmp_path)).headers()
    assert headers["x-goog-user-project"] == "persons-project"
    (form,) = forms(emulator)
    assert (form["grant_type"], form["refresh_token"]) == ("refresh_token", "1//mine")


async def test_the_token_server_of_the_configuration_stands_in_for_googles(tmp_path: Path) -> None:
    async with Emulator() as emulator:
        from groundwire.transport.http import Http

        place = AdcPlace(authorized_user(tmp_path), "file")
        async with Http() as http:
            adc = AdcTokens(place, transport=http, clock=Clock(), token_server=emulator.base_url)
            assert await adc.headers()
        assert len(forms(emulator)) == 1


async def test_a_hundred_users_of_one_token_renew_it_once_and_early(tmp_path: Path) -> None:
    emulator, clock = Emulator(), Clock()
    adc = session(emulator, service_account(tmp_path), clock)
    first = await asyncio.gather(*(adc.headers() for _ in range(100)))
    assert len(forms(emulator)) == 1
    clock.ahead = 3599 - 230
    assert await adc.headers() == first[0]
    clock.ahead = 3599 - 220
    later = await asyncio.gather(*(adc.headers() for _ in range(100)))
    assert len(forms(emulator)) == 2
    assert later[0] != first[0]
    clock.ahead = -9999
    assert await adc.headers() == later[0]


async def test_many_who_were_refused_with_one_token_get_one_new_one(tmp_path: Path) -> None:
    emulator = Emulator()
    adc = session(emulator, service_account(tmp_path))
    refused = await adc.headers()
    assert all(await asyncio.gather(*(adc.renew(refused) for _ in range(20))))
    assert len(forms(emulator)) == 2
    assert await adc.headers() != refused


async def test_a_refresh_token_that_ended_says_how_to_sign_in(tmp_path: Path) -> None:
    adc = session(Emulator(), authorized_user(tmp_path, refresh_token="1//expired"))
    with pytest.raises(SignInExpired, match=r"invalid_grant.*gcloud auth application-default login"):
        await adc.headers()


async def test_a_key_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match="cannot be used"):
        await session(Emulator(), service_account(tmp_path, private_key="no key")).headers()
    with pytest.raises(InvalidConfig, match="cannot be used"):
        await session(Emulator(), service_account(tmp_path, type="unheard-of")).headers()


async def test_a_broken_network_stays_what_it_is(tmp_path: Path) -> None:
    transport = ScriptedTransport([ConnectFailed("no network")])
    place = AdcPlace(service_account(tmp_path), "file")
    with pytest.raises(ConnectFailed):
        await AdcTokens(place, transport=transport, clock=Clock()).headers()


async def test_a_machine_of_google_cloud_gets_its_own_token() -> None:
    emulator = Emulator()
    assert list(await session(emulator, None).headers()) == ["Authorization"]
    assert emulator.requests[-1].path.endswith("/default/token")


async def test_without_a_file_any_other_machine_has_no_credentials() -> None:
    for transport in (
        ScriptedTransport([ConnectFailed("no such host")]),
        ScriptedTransport([reply("what?", status=404)] * 9),
    ):
        adc = AdcTokens(METADATA_SERVER, transport=transport, clock=Clock())
        with pytest.raises(MissingVertexCredentials, match="not one of Google Cloud"):
            await adc.headers()


async def test_google_auth_is_named_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_installed()
    monkeypatch.setitem(sys.modules, "google.auth", None)
    with pytest.raises(MissingPackage, match=r"pip install 'groundwire\[vertex\]'"):
        await session(Emulator(), service_account(tmp_path)).headers()
