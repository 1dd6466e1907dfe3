"""Google's sign-in as plain functions: what is asked for, and how replies are judged."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.credentials import google_oauth as oauth
from groundwire.credentials.pkce import new_attempt
from groundwire.credentials.records import OAuthTokens
from groundwire.credentials.token_reply import Granted, Refused
from groundwire.errors import BadGoogleClient
from groundwire.secret import Secret

NOW = 1_800_000_000.0
CLIENT = oauth.Client("id.apps.googleusercontent.com", Secret("client-secret"))
ISSUER = oauth.GoogleIssuer("https://oauth2.googleapis.com", lambda tokens: CLIENT)


def test_an_attempt_is_as_long_as_the_rules_want() -> None:
    attempt = new_attempt(lambda count: bytes(count))
    assert 43 <= len(attempt.verifier) <= 128
    assert len(attempt.challenge) == 43
    assert attempt.verifier not in repr(attempt)


def test_the_example_of_rfc_7636() -> None:
    from groundwire.credentials.pkce import Attempt

    attempt = Attempt("s", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    assert attempt.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def test_the_address_asks_for_everything_needed() -> None:
    attempt = new_attempt(lambda count: b"x" * count)
    address = oauth.authorization_url("https://accounts.google.com", "id", "http://127.0.0.1:1/cb", attempt)
    parts = urlsplit(address)
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == "https://accounts.google.com/o/oauth2/v2/auth"
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    assert query == {
        "client_id": "id",
        "redirect_uri": "http://127.0.0.1:1/cb",
        "response_type": "code",
        "scope": " ".join(oauth.SCOPES),
        "access_type": "offline",
        "prompt": "consent",
        "state": attempt.state,
        "code_challenge": attempt.challenge,
        "code_challenge_method": "S256",
    }


def test_the_exchange_proves_who_asked() -> None:
    request = oauth.exchange_request("https://oauth2.googleapis.com", CLIENT, "4/0c", "http://r", "verifier")
    assert request.url == "https://oauth2.googleapis.com/token"
    assert {name: values[0] for name, values in parse_qs(request.body.decode()).items()} == {
        "grant_type": "authorization_code",
        "code": "4/0c",
        "redirect_uri": "http://r",
        "code_verifier": "verifier",
        "client_id": CLIENT.client_id,
        "client_secret": "client-secret",
    }
    assert "client-secret" not in repr(request)


def test_a_refresh_names_the_client_the_sign_in_was_made_with() -> None:
    request = ISSUER.refresh_request(OAuthTokens(Secret("a")), Secret("1//r"))
    assert {name: values[0] for name, values in parse_qs(request.body.decode()).items()} == {
        "grant_type": "refresh_token",
        "refresh_token": "1//r",
        "client_id": CLIENT.client_id,
        "client_secret": "client-secret",
    }


def test_a_reply_without_a_refresh_token_keeps_the_old_one() -> None:
    old = OAuthTokens(Secret("a"), Secret("1//r"), project="p", asked_project="q", email="e@x")
    reply = oauth.judge_reply(200, b'{"access_token": "b", "expires_in": 3599}')
    assert isinstance(reply, Granted)
    new = ISSUER.renewed(old, reply, NOW)
    assert (new.access, new.refresh, new.expires) == (Secret("b"), Secret("1//r"), NOW + 3599)
    assert (new.project, new.asked_project, new.email) == ("p", "q", "e@x")


@pytest.mark.parametrize(
    "description", ["Token has been expired or revoked.", "Malformed auth code.", "Bad Request", None]
)
def test_invalid_grant_is_for_good(description: str | None) -> None:
    body = json.dumps({"error": "invalid_grant", "error_description": description}).encode()
    reply = oauth.judge_reply(400, body)
    assert isinstance(reply, Refused)
    assert reply.permanent
    assert "invalid_grant" in reply.reason


@pytest.mark.parametrize(
    ("status", "body"),
    [(500, b"{}"), (503, b"<html>"), (429, b'{"error": "rate_limit_exceeded"}'), (200, b"{}"), (400, b"[]")],
)
def test_everything_else_passes(status: int, body: bytes) -> None:
    reply = oauth.judge_reply(status, body)
    assert isinstance(reply, Refused)
    assert not reply.permanent


@pytest.mark.parametrize(
    ("status", "error", "description"),
    [
        (401, "invalid_client", "The provided client secret is invalid."),
        (401, "unauthorized_client", "Unauthorized"),
        (400, "invalid_request", "client_secret is missing."),
    ],
)
def test_a_wrong_client_is_not_the_sign_ins_fault(status: int, error: str, description: str) -> None:
    body = json.dumps({"error": error, "error_description": description}).encode()
    with pytest.raises(BadGoogleClient, match=error):
        oauth.judge_reply(status, body)


def test_a_sign_in_without_a_refresh_token_is_none() -> None:
    assert oauth.granted(Granted(Secret("a"), None, None, 10), CLIENT, NOW) is None


@given(status=st.integers(100, 599), body=st.binary(max_size=200))
def test_any_reply_is_judged(status: int, body: bytes) -> None:
    oauth.judge_reply(status, body)
    oauth.email_in(status, body)
