"""Emulated service accounts: an assertion is checked as Google checks it, and gets a token for Vertex AI."""

from __future__ import annotations

from typing import Any

import pytest

from groundwire.emulator.google.jwt import unsigned_jwt
from groundwire.emulator.google.service_accounts import GRANT

NOW = 1_800_000_000
CLAIMS = {
    "iss": "robot@project.iam.gserviceaccount.com",
    "scope": "https://www.googleapis.com/auth/cloud-platform",
    "aud": "https://oauth2.googleapis.com/token",
    "iat": NOW,
    "exp": NOW + 3600,
}


async def asked(ask: Any, assertion: str) -> Any:
    return await ask("POST", "/token", form={"grant_type": GRANT, "assertion": assertion})


async def test_a_good_assertion_gets_a_token_that_vertex_accepts(ask: Any, user: Any) -> None:
    token = (await asked(ask, unsigned_jwt(CLAIMS))).json
    assert sorted(token) == ["access_token", "expires_in", "token_type"]
    path = "/v1/projects/p/locations/global/publishers/google/models/gemini-2.5-flash:generateContent"
    bearer = {"authorization": f"Bearer {token['access_token']}", "x-goog-api-key": ""}
    assert (await ask("POST", path, user("hi"), headers=bearer)).status == 200


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"iss": "nobody"}, "account not found"),
        ({"iss": "invalid@x"}, "account not found"),
        ({"aud": "https://evil.example/token"}, "audience"),
        ({"scope": ""}, "scope"),
        ({"exp": NOW + 7200}, "short-lived"),
        ({"iat": NOW - 9000, "exp": NOW - 5400}, "reasonable timeframe"),
        ({"iat": NOW + 1000, "exp": NOW + 2000}, "reasonable timeframe"),
        ({"iat": "now"}, "iat and exp"),
    ],
)
async def test_a_bad_assertion_is_refused(ask: Any, change: dict[str, Any], words: str) -> None:
    refused = await asked(ask, unsigned_jwt(CLAIMS | change))
    assert refused.status == 400
    assert words in refused.json["error_description"]


@pytest.mark.parametrize("assertion", ["", "a.b", "a.b.c", "e30.e30.x", "W10.W10.x", "é.é.é"])
async def test_what_is_no_assertion_is_refused(ask: Any, assertion: str) -> None:
    assert (await asked(ask, assertion)).json["error"] == "invalid_grant"
