"""The emulated metadata server: for those who ask it properly."""

from __future__ import annotations

from typing import Any

ACCOUNT = "/computeMetadata/v1/instance/service-accounts/default/"
PROPERLY = {"metadata-flavor": "Google"}


async def test_it_tells_the_account_the_project_and_tokens(ask: Any, user: Any) -> None:
    account = await ask("GET", f"{ACCOUNT}?recursive=true", headers=PROPERLY)
    assert "@" in account.json["email"]
    assert account.headers["metadata-flavor"] == "Google"
    project = await ask("GET", "/computeMetadata/v1/project/project-id", headers=PROPERLY)
    assert project.body == b"emulator-project"
    token = (await ask("GET", f"{ACCOUNT}token", headers=PROPERLY)).json["access_token"]
    path = "/v1/projects/p/locations/global/publishers/google/models/gemini-2.5-flash:generateContent"
    bearer = {"authorization": f"Bearer {token}", "x-goog-api-key": ""}
    assert (await ask("POST", path, user("hi"), headers=bearer)).status == 200


async def test_who_does_not_name_the_flavor_gets_nothing(ask: Any) -> None:
    refused = await ask("GET", f"{ACCOUNT}token")
    assert (refused.status, refused.body) == (403, b"Missing Metadata-Flavor:Google header.")


async def test_what_it_does_not_know_is_404(ask: Any) -> None:
    assert (await ask("GET", "/computeMetadata/v1/nothing", headers=PROPERLY)).status == 404
