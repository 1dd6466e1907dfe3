"""OpenAI's sign-in as plain functions: claims, the renewal request, and every kind of reply."""

from __future__ import annotations

import base64
import json
from urllib.parse import parse_qs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.credentials import openai_oauth as oauth
from groundwire.credentials.records import OAuthTokens
from groundwire.credentials.token_reply import Granted, Refused
from groundwire.secret import Secret

AUTH = "https://api.openai.com/auth"


def jwt(payload: object) -> Secret:
    body = base64.urlsafe_b64encode(json.dumps(payload).encode()).decode().rstrip("=")
    return Secret(f"e30.{body}.c2ln")


def test_the_account_is_found_in_opencodes_order() -> None:
    everything = {
        "chatgpt_account_id": "top",
        AUTH: {"chatgpt_account_id": "claim"},
        "organizations": [{"id": "org"}],
    }
    assert oauth.claims(jwt(everything)).account_id == "top"
    del everything["chatgpt_account_id"]
    assert oauth.claims(jwt(everything)).account_id == "claim"
    del everything[AUTH]
    assert oauth.claims(jwt(everything)).account_id == "org"


@pytest.mark.parametrize(
    "token",
    ["", "opaque", "a.b", "a.!!!.c", "a.e30.c.d", "a.W10.c", "a.bnVsbA.c", "a." + "W1tb" * 5000 + ".c"],
)
def test_a_token_that_is_no_jwt_has_no_claims(token: str) -> None:
    assert oauth.claims(Secret(token)) == oauth.Claims()
    assert oauth.claims(None) == oauth.Claims()


@pytest.mark.parametrize(
    "payload",
    [
        {"exp": "soon", AUTH: 5, "organizations": {}},
        {"exp": True, AUTH: {"chatgpt_account_id": 7}, "organizations": [5]},
        {"exp": 1e400, AUTH: {"chatgpt_account_id": "a\nb"}},
        {"exp": -1, "organizations": []},
    ],
)
def test_claims_of_wrong_types_are_not_there(payload: dict[str, object]) -> None:
    assert oauth.claims(jwt(payload)) == oauth.Claims()


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(codec="ascii"), max_size=80))
def test_no_token_makes_reading_its_claims_fail(text: str) -> None:
    oauth.claims(Secret(text))


@pytest.mark.parametrize(
    ("tokens", "stale"),
    [
        (OAuthTokens(jwt({"exp": 1301})), False),
        (OAuthTokens(jwt({"exp": 1300})), True),
        (OAuthTokens(jwt({"exp": 1301}), expires=5.0), False),
        (OAuthTokens(Secret("opaque"), expires=1301.0), False),
        (OAuthTokens(Secret("opaque"), expires=1300.0), True),
        (OAuthTokens(Secret("opaque"), last_refresh=1000.0), False),
        (OAuthTokens(Secret("opaque"), last_refresh=1300.0 - 8 * 86400), True),
        (OAuthTokens(Secret("opaque")), False),
    ],
)
def test_a_token_is_renewed_five_minutes_before_its_end(tokens: OAuthTokens, stale: bool) -> None:
    assert oauth.is_stale(tokens, now=1000.0) is stale


def test_the_codex_backend_gets_the_account_and_what_the_claims_demand() -> None:
    auth = {
        "chatgpt_account_id": "from-jwt",
        "chatgpt_compute_residency": "eu",
        "chatgpt_account_is_fedramp": True,
    }
    headers = oauth.codex_headers(OAuthTokens(jwt({AUTH: auth})))
    assert {name: value for name, value in headers.items() if name != "Authorization"} == {
        "ChatGPT-Account-Id": "from-jwt",
        "x-openai-internal-codex-residency": "eu",
        "X-OpenAI-Fedramp": "true",
    }
    assert isinstance(headers["Authorization"], Secret)
    assert headers["Authorization"].reveal().startswith("Bearer e30.")


def test_a_stored_account_wins_and_no_constraint_is_no_header() -> None:
    access = jwt({AUTH: {"chatgpt_account_id": "jwt", "chatgpt_compute_residency": "no_constraint"}})
    headers = oauth.codex_headers(OAuthTokens(access, account_id="stored"))
    assert set(headers) == {"Authorization", "ChatGPT-Account-Id"}
    assert headers["ChatGPT-Account-Id"] == "stored"


def test_the_identity_token_names_the_account_before_the_access_token() -> None:
    tokens = OAuthTokens(jwt({"chatgpt_account_id": "access"}), id_token=jwt({"chatgpt_account_id": "id"}))
    assert oauth.codex_headers(tokens)["ChatGPT-Account-Id"] == "id"


def test_the_renewal_request_is_a_form_and_prints_no_token() -> None:
    request = oauth.refresh_request("https://auth.openai.com", Secret("rt+/= 1"))
    assert (request.method, request.url) == ("POST", "https://auth.openai.com/oauth/token")
    assert request.headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert parse_qs(request.body.decode()) == {
        "grant_type": ["refresh_token"],
        "refresh_token": ["rt+/= 1"],
        "client_id": ["app_EMoamEEZ73f0CkXaXp7hrann"],
    }
    assert "rt" not in repr(request).replace("PORT", "").replace("port", "")
    assert b"client_id=app_mine" in oauth.refresh_request("https://x", Secret("r"), "app_mine").body


def test_new_tokens_replace_old_ones_and_absent_ones_stay() -> None:
    old = OAuthTokens(Secret("a1"), Secret("r1"), Secret("i1"), "acc", 5.0, 6.0, "app_x")
    reply = oauth.judge_refresh(200, b'{"access_token": "a2", "expires_in": 100}')
    assert isinstance(reply, Granted)
    new = oauth.renewed(old, reply, now=1000.0)
    assert new == OAuthTokens(Secret("a2"), Secret("r1"), Secret("i1"), "acc", 1100.0, 1000.0, "app_x")


def test_the_new_tokens_own_end_wins_over_expires_in_and_an_hour_is_the_default() -> None:
    def end(body: dict[str, object]) -> float | None:
        reply = oauth.judge_refresh(200, json.dumps(body).encode())
        assert isinstance(reply, Granted)
        return oauth.renewed(OAuthTokens(Secret("old")), reply, now=1000.0).expires

    assert end({"access_token": jwt({"exp": 7777}).reveal(), "expires_in": 5}) == 7777.0
    assert end({"access_token": "opaque"}) == 4600.0
    assert end({"access_token": "opaque", "expires_in": "5"}) == 4600.0


@pytest.mark.parametrize(
    ("status", "body", "permanent", "reused"),
    [
        (401, b"", True, False),
        (401, b"<html>", True, False),
        (400, b'{"error": "invalid_grant"}', True, False),
        (400, b'{"error": {"code": "refresh_token_expired"}}', True, False),
        (400, b'{"code": "refresh_token_invalidated"}', True, False),
        (401, b'{"error": {"code": "refresh_token_reused", "message": "m"}}', True, True),
        (400, b'{"error": {"code": "something_else"}}', False, False),
        (400, b'{"error": {"type": "invalid_request_error", "param": null}}', False, False),
        (403, b"<html>challenge</html>", False, False),
        (429, b"{}", False, False),
        (500, b"oops", False, False),
        (200, b"not json", False, False),
        (200, b"[]", False, False),
        (200, b"{}", False, False),
        (200, b'{"access_token": 5}', False, False),
        (200, b'{"access_token": "two\\nlines"}', False, False),
        (200, b"[" * 100_000, False, False),
        (302, b"", False, False),
    ],
)
def test_every_refusal_is_known_as_permanent_or_not(
    status: int, body: bytes, permanent: bool, reused: bool
) -> None:
    reply = oauth.judge_refresh(status, body)
    assert isinstance(reply, Refused)
    assert (reply.permanent, "already used" in reply.reason) == (permanent, reused)


@settings(max_examples=100, deadline=None)
@given(st.integers(100, 599), st.binary(max_size=100))
def test_no_reply_makes_judging_fail(status: int, body: bytes) -> None:
    oauth.judge_refresh(status, body)
