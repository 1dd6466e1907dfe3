"""Emulated Google sign-in: consent, codes that work once, PKCE, refresh, revocation."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from groundwire.emulator.google.oauth import CODE_PAGE, challenge_of

REDIRECT = "http://127.0.0.1:9999/oauth2callback"
VERIFIER = "v" * 64
ASKED = {
    "client_id": "client",
    "redirect_uri": REDIRECT,
    "response_type": "code",
    "scope": "https://www.googleapis.com/auth/cloud-platform",
    "state": "state-1",
    "code_challenge": challenge_of(VERIFIER, "S256"),
    "code_challenge_method": "S256",
    "access_type": "offline",
}
EXCHANGE = {
    "client_id": "client",
    "client_secret": "secret",
    "grant_type": "authorization_code",
    "redirect_uri": REDIRECT,
    "code_verifier": VERIFIER,
}


async def authorize(ask: Any, **changes: str) -> Any:
    asked = {name: value for name, value in (ASKED | changes).items() if value}
    return await ask("GET", "/o/oauth2/v2/auth?" + urlencode(asked))


async def code_from(ask: Any, **changes: str) -> str:
    location: str = (await authorize(ask, **changes)).headers["location"]
    return parse_qs(urlsplit(location).query)["code"][0]


async def tokens_from(ask: Any) -> Any:
    return (await ask("POST", "/token", form=EXCHANGE | {"code": await code_from(ask)})).json


def refresh_form(token: str) -> dict[str, str]:
    return {
        "client_id": "client",
        "client_secret": "secret",
        "grant_type": "refresh_token",
        "refresh_token": token,
    }


async def test_consent_redirects_with_the_state_and_a_code(ask: Any) -> None:
    heard = await authorize(ask)
    assert heard.status == 302
    location = urlsplit(heard.headers["location"])
    assert location.netloc == "127.0.0.1:9999"
    assert parse_qs(location.query)["state"] == ["state-1"]
    assert parse_qs(location.query)["code"]


async def test_a_code_becomes_tokens_once(ask: Any) -> None:
    code = await code_from(ask)
    first = await ask("POST", "/token", form=EXCHANGE | {"code": code})
    assert first.status == 200
    assert set(first.json) == {
        "access_token",
        "expires_in",
        "refresh_token",
        "scope",
        "token_type",
        "id_token",
    }
    assert first.json["expires_in"] == 3599
    second = await ask("POST", "/token", form=EXCHANGE | {"code": code})
    assert (second.status, second.json["error"]) == (400, "invalid_grant")


async def test_a_refresh_token_comes_only_when_asked_for(ask: Any) -> None:
    code = await code_from(ask, access_type="online")
    assert "refresh_token" not in (await ask("POST", "/token", form=EXCHANGE | {"code": code})).json


WRONG = {
    "an unknown code": ({"code": "4/nothing"}, "invalid_grant", "Malformed auth code."),
    "no verifier": ({"code_verifier": ""}, "invalid_grant", "Missing code verifier."),
    "a wrong verifier": ({"code_verifier": "w" * 64}, "invalid_grant", "Invalid code verifier."),
    "another redirect": ({"redirect_uri": "http://127.0.0.1:1/x"}, "redirect_uri_mismatch", "Bad Request"),
    "another client": ({"client_id": "someone"}, "unauthorized_client", "Unauthorized"),
    "no secret": ({"client_secret": ""}, "invalid_request", "client_secret is missing."),
    "another grant": ({"grant_type": "password"}, "unsupported_grant_type", "Invalid grant_type: password"),
}


@pytest.mark.parametrize(("changes", "error", "description"), WRONG.values(), ids=WRONG)
async def test_an_exchange_is_refused_for(
    ask: Any, changes: dict[str, str], error: str, description: str
) -> None:
    form = EXCHANGE | {"code": await code_from(ask)} | changes
    heard = await ask("POST", "/token", form=form)
    assert heard.status in (400, 401)
    assert heard.json == {"error": error, "error_description": description}


async def test_without_pkce_no_verifier_is_needed(ask: Any) -> None:
    code = await code_from(ask, code_challenge="", code_challenge_method="")
    form = {name: value for name, value in EXCHANGE.items() if name != "code_verifier"} | {"code": code}
    assert (await ask("POST", "/token", form=form)).status == 200


@pytest.mark.parametrize(
    "changes",
    [
        {"redirect_uri": "https://evil.example/callback"},
        {"redirect_uri": "http://127.0.0.1.evil.example/"},
        {"response_type": "token"},
        {"client_id": ""},
        {"scope": ""},
        {"code_challenge_method": "S512"},
    ],
    ids=str,
)
async def test_a_wrong_sign_in_request_ends_on_a_page_not_at_the_client(ask: Any, changes: Any) -> None:
    heard = await authorize(ask, **changes)
    assert heard.status == 400
    assert heard.headers["content-type"].startswith("text/html")


async def test_a_state_cannot_be_used_twice(ask: Any) -> None:
    await authorize(ask)
    assert (await authorize(ask)).status == 400
    assert (await authorize(ask, state="state-2")).status == 302


async def test_the_code_page_shows_the_code_to_copy(ask: Any) -> None:
    heard = await authorize(ask, redirect_uri=CODE_PAGE)
    assert heard.status == 200
    code = heard.body.decode().partition('<pre id="code">')[2].partition("</pre>")[0]
    form = EXCHANGE | {"redirect_uri": CODE_PAGE, "code": code}
    assert (await ask("POST", "/token", form=form)).status == 200


async def test_a_person_can_allow_or_deny_on_the_consent_page(asking: Any) -> None:
    ask = asking(scenario="consent-page")
    page = await authorize(ask)
    assert page.status == 200
    assert b'<button name="decision" value="allow">' in page.body
    denied = await ask("POST", "/o/oauth2/v2/auth", form=ASKED | {"decision": "deny"})
    assert "error=access_denied" in denied.headers["location"]
    allowed = await ask("POST", "/o/oauth2/v2/auth", form=ASKED | {"decision": "allow"})
    assert "code=" in allowed.headers["location"]


async def test_a_denied_sign_in_goes_back_with_the_error(asking: Any) -> None:
    assert "error=access_denied" in (await authorize(asking(scenario="access-denied"))).headers["location"]


async def test_a_refresh_keeps_the_refresh_token_unless_it_rotates(asking: Any) -> None:
    ask = asking()
    refresh = (await tokens_from(ask))["refresh_token"]
    plain = await ask("POST", "/token", form=refresh_form(refresh))
    assert "refresh_token" not in plain.json
    rotating = {"x-emulator-scenario": "rotated-refresh-token"}
    rotated = await ask("POST", "/token", form=refresh_form(refresh), headers=rotating)
    successor = rotated.json["refresh_token"]
    assert successor != refresh
    assert (await ask("POST", "/token", form=refresh_form(refresh))).json["error"] == "invalid_grant"
    assert (await ask("POST", "/token", form=refresh_form(successor))).status == 200


async def test_a_refresh_can_be_refused_for_good(asking: Any) -> None:
    heard = await asking(scenario="invalid-grant")("POST", "/token", form=refresh_form("1//mine"))
    assert heard.status == 400
    assert heard.json == {"error": "invalid_grant", "error_description": "Token has been expired or revoked."}


async def test_tokens_can_be_looked_up_and_revoked(ask: Any) -> None:
    tokens = await tokens_from(ask)
    bearer = {"authorization": f"Bearer {tokens['access_token']}"}
    info = await ask("POST", "/tokeninfo", form={}, headers=bearer)
    assert info.json["expires_in"] == "3599"
    assert "cloud-platform" in info.json["scope"]
    assert (await ask("GET", "/oauth2/v2/userinfo", headers=bearer)).json["email"] == "person@example.com"
    assert (await ask("POST", "/revoke", form={"token": tokens["access_token"]})).status == 200
    assert (await ask("POST", "/tokeninfo", form={}, headers=bearer)).json["error"] == "invalid_token"
    assert (await ask("GET", "/oauth2/v2/userinfo", headers=bearer)).status == 401


async def test_unknown_paths_are_refused_in_the_form_of_oauth(ask: Any) -> None:
    heard = await ask("POST", "/o/oauth2/nothing", form={})
    assert (heard.status, heard.json["error"]) == (404, "invalid_request")
