"""The emulated OpenAI sign-in: codes, PKCE, rotating refresh tokens, devices, and what it refuses."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import msgspec
import pytest

from groundwire.emulator.openai.signin import challenge_of
from groundwire.emulator.openai.tokens import AUTH_CLAIM, read_claims

CLIENT = "app_EMoamEEZ73f0CkXaXp7hrann"
CALLBACK = "http://localhost:1455/auth/callback"
VERIFIER = "v" * 64
Ask = Callable[..., Any]


def authorize_path(**changes: str) -> str:
    query = {
        "response_type": "code",
        "client_id": CLIENT,
        "redirect_uri": CALLBACK,
        "code_challenge": challenge_of(VERIFIER),
        "code_challenge_method": "S256",
        "state": "the-state",
        "scope": "openid profile email offline_access",
        "id_token_add_organizations": "true",
        "codex_cli_simplified_flow": "true",
    }
    return f"/oauth/authorize?{urlencode({**query, **changes})}"


async def new_code(ask: Ask) -> str:
    location: str = (await ask("GET", authorize_path())).headers["location"]
    return parse_qs(urlsplit(location).query)["code"][0]


def exchange(code: str, /, **changes: str) -> dict[str, str]:
    fields = {
        "grant_type": "authorization_code",
        "client_id": CLIENT,
        "code": code,
        "redirect_uri": CALLBACK,
        "code_verifier": VERIFIER,
    }
    return {**fields, **changes}


def refresh(token: str) -> dict[str, str]:
    return {"grant_type": "refresh_token", "client_id": CLIENT, "refresh_token": token}


def payload_of(token: str) -> dict[str, Any]:
    part = token.split(".")[1]
    assert "=" not in part
    decoded: dict[str, Any] = msgspec.json.decode(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return decoded


async def test_authorizing_redirects_to_the_callback_with_code_and_state(ask: Ask) -> None:
    heard = await ask("GET", authorize_path())
    target = urlsplit(heard.headers["location"])
    assert heard.status == 302
    assert heard.headers["location"].startswith(CALLBACK)
    assert parse_qs(target.query)["state"] == ["the-state"]


@pytest.mark.parametrize(
    "changes",
    [
        {"response_type": "token"},
        {"code_challenge_method": "plain"},
        {"client_id": "somebody"},
        {"state": ""},
        {"code_challenge": ""},
        {"redirect_uri": "https://evil.example/auth/callback"},
        {"redirect_uri": "http://localhost:1455/elsewhere"},
        {"redirect_uri": "http://localhost:1455/auth/callback?next=x"},
    ],
)
async def test_a_wrong_authorization_request_never_redirects(ask: Ask, changes: dict[str, str]) -> None:
    heard = await ask("GET", authorize_path(**changes))
    assert heard.status == 400
    assert "location" not in heard.headers


async def test_a_page_with_a_button_can_be_asked_for(ask: Ask) -> None:
    heard = await ask("GET", "/~consent-page" + authorize_path())
    assert heard.status == 200
    assert b'id="allow"' in heard.body
    assert b"code=" in heard.body


async def test_a_person_can_refuse(ask: Ask) -> None:
    heard = await ask("GET", "/~access-denied" + authorize_path())
    assert "error=access_denied" in heard.headers["location"]
    assert "code=" not in heard.headers["location"]


async def test_a_code_gives_tokens_with_account_plan_and_email(ask: Ask) -> None:
    tokens = (await ask("POST", "/oauth/token", form=exchange(await new_code(ask)))).json
    claims = payload_of(tokens["id_token"])
    assert claims["email"] == "ada@example.com"
    assert claims[AUTH_CLAIM]["chatgpt_plan_type"] == "plus"
    access = payload_of(tokens["access_token"])
    assert access[AUTH_CLAIM]["chatgpt_account_id"] == claims[AUTH_CLAIM]["chatgpt_account_id"]
    assert access["exp"] - 1_800_000_000 == tokens["expires_in"]


@pytest.mark.parametrize(
    "changes",
    [
        {"code_verifier": "w" * 64},
        {"redirect_uri": "http://127.0.0.1:1455/auth/callback"},
        {"client_id": "app_other"},
        {"code": "ac_unknown"},
    ],
)
async def test_a_code_works_only_for_who_asked_for_it(ask: Ask, changes: dict[str, str]) -> None:
    heard = await ask("POST", "/oauth/token", form=exchange(await new_code(ask), **changes))
    assert (heard.status, heard.json["error"]) == (400, "invalid_grant")


async def test_a_code_works_once(ask: Ask) -> None:
    code = await new_code(ask)
    assert (await ask("POST", "/oauth/token", form=exchange(code))).status == 200
    again = await ask("POST", "/oauth/token", form=exchange(code))
    assert (again.status, again.json["error"]) == (400, "invalid_grant")


async def test_a_failed_exchange_uses_the_code_up(ask: Ask) -> None:
    code = await new_code(ask)
    await ask("POST", "/oauth/token", form=exchange(code, code_verifier="wrong"))
    assert (await ask("POST", "/oauth/token", form=exchange(code))).status == 400


async def test_refreshing_works_in_both_encodings_and_rotates(ask: Ask) -> None:
    first = (await ask("POST", "/oauth/token", form=exchange(await new_code(ask)))).json["refresh_token"]
    second = (await ask("POST", "/oauth/token", form=refresh(first))).json["refresh_token"]
    asked = {**refresh(second), "refresh_reason": "proactive_expiry"}
    third = (await ask("POST", "/oauth/token", asked)).json["refresh_token"]
    assert len({first, second, third}) == 3


async def test_a_used_refresh_token_is_refused_for_good(ask: Ask) -> None:
    first = (await ask("POST", "/oauth/token", form=exchange(await new_code(ask)))).json["refresh_token"]
    await ask("POST", "/oauth/token", form=refresh(first))
    heard = await ask("POST", "/oauth/token", form=refresh(first))
    assert heard.status == 401
    assert heard.json["error"]["code"] == "refresh_token_reused"


async def test_a_refresh_token_of_an_earlier_run_is_good_once(ask: Ask) -> None:
    assert (await ask("POST", "/oauth/token", form=refresh("rt_from_before"))).status == 200
    assert (await ask("POST", "/oauth/token", form=refresh("rt_from_before"))).status == 401


async def test_a_made_up_or_revoked_refresh_token_is_invalidated(ask: Ask) -> None:
    made_up = await ask("POST", "/oauth/token", form=refresh("whatever"))
    await ask("POST", "/oauth/revoke", {"token": "rt_mine", "token_type_hint": "refresh_token"})
    revoked = await ask("POST", "/oauth/token", form=refresh("rt_mine"))
    for heard in (made_up, revoked):
        assert (heard.status, heard.json["error"]["code"]) == (401, "refresh_token_invalidated")


@pytest.mark.parametrize("name", ["expired", "reused", "invalidated"])
async def test_each_permanent_failure_can_be_forced(ask: Ask, name: str) -> None:
    heard = await ask("POST", f"/~refresh-token-{name}/oauth/token", form=refresh("rt_x"))
    assert (heard.status, heard.json["error"]["code"]) == (401, f"refresh_token_{name}")


async def test_a_short_lived_token_can_be_asked_for(ask: Ask) -> None:
    heard = await ask("POST", "/~short-lived-token/oauth/token", form=refresh("rt_x"))
    claims = read_claims(heard.json["access_token"])
    assert claims is not None
    assert claims.expires_at == 1_800_000_120


@pytest.mark.parametrize("fields", [{}, {"grant_type": "password"}, {"grant_type": "refresh_token"}])
async def test_other_grants_are_refused(ask: Ask, fields: dict[str, str]) -> None:
    assert (await ask("POST", "/oauth/token", form=fields)).status == 400


async def test_a_device_is_pending_once_and_then_signed_in(ask: Ask) -> None:
    begun = (await ask("POST", "/api/accounts/deviceauth/usercode", {"client_id": CLIENT})).json
    assert isinstance(begun["interval"], str)
    poll = {"device_auth_id": begun["device_auth_id"], "user_code": begun["user_code"]}
    assert (await ask("POST", "/api/accounts/deviceauth/token", poll)).status == 403
    pair = (await ask("POST", "/api/accounts/deviceauth/token", poll)).json
    assert challenge_of(pair["code_verifier"]) == pair["code_challenge"]
    fields = exchange(
        pair["authorization_code"],
        redirect_uri="http://127.0.0.1:9/deviceauth/callback",
        code_verifier=pair["code_verifier"],
    )
    assert (await ask("POST", "/oauth/token", form=fields)).status == 200
    assert (await ask("POST", "/api/accounts/deviceauth/token", poll)).status == 404


async def test_a_manual_device_waits_for_its_code_to_be_typed(asking: Ask) -> None:
    ask = asking(scenario="device-manual")
    begun = (await ask("POST", "/api/accounts/deviceauth/usercode", {"client_id": CLIENT})).json
    poll = {"device_auth_id": begun["device_auth_id"], "user_code": begun["user_code"]}
    for _ in range(3):
        assert (await ask("POST", "/api/accounts/deviceauth/token", poll)).status == 403
    assert b"<form" in (await ask("GET", "/codex/device")).body
    assert (await ask("POST", "/codex/device", form={"user_code": "NOPE-00000"})).status == 404
    typed = begun["user_code"].lower().replace("-", " ")
    assert (await ask("POST", "/codex/device", form={"user_code": typed})).status == 200
    assert (await ask("POST", "/api/accounts/deviceauth/token", poll)).status == 200


async def test_a_device_can_be_declined_or_not_enabled(ask: Ask) -> None:
    begun = (await ask("POST", "/api/accounts/deviceauth/usercode", {"client_id": CLIENT})).json
    poll = {"device_auth_id": begun["device_auth_id"], "user_code": begun["user_code"]}
    assert (await ask("POST", "/~device-denied/api/accounts/deviceauth/token", poll)).status == 400
    disabled = "/~device-disabled/api/accounts/deviceauth/usercode"
    assert (await ask("POST", disabled, {"client_id": CLIENT})).status == 404


async def test_a_revoked_access_token_opens_nothing(
    ask: Ask, signed_in: dict[str, str], codex_request: Callable[..., Any]
) -> None:
    await ask("POST", "/oauth/revoke", {"token": signed_in["authorization"].removeprefix("Bearer ")})
    heard = await ask("POST", "/backend-api/codex/responses", codex_request(), headers=signed_in)
    assert (heard.status, heard.json["error"]["code"]) == (401, "token_invalidated")


async def test_unknown_addresses_and_broken_bodies_are_refused_in_openais_form(ask: Ask) -> None:
    assert (await ask("GET", "/oauth/nowhere")).json["error"]["code"] == "unknown_path"
    broken = await ask("POST", "/api/accounts/deviceauth/usercode", body=b"{")
    assert (broken.status, broken.json["error"]["code"]) == (400, "malformed_body")


@pytest.mark.parametrize("token", ["", "a.b", "a.!.c", "a.W10.c", "a.MQ.c"])
def test_what_is_no_token_has_no_claims(token: str) -> None:
    assert read_claims(token) is None
