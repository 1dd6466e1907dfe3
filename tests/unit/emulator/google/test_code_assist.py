"""Emulated Code Assist: wrapped generation, project discovery, onboarding, tokens."""

from __future__ import annotations

from typing import Any

import pytest

TOKEN = {"authorization": "Bearer ya29.mine", "x-goog-api-key": ""}
METADATA = {"ideType": "IDE_UNSPECIFIED", "platform": "PLATFORM_UNSPECIFIED", "pluginType": "GEMINI"}


async def call(ask: Any, method: str, body: Any = None, **more: Any) -> Any:
    return await ask("POST", f"/v1internal:{method}", body or {}, headers=TOKEN, **more)


def wrapped(request: Any, **more: Any) -> dict[str, Any]:
    return {"model": "gemini-2.5-flash", "project": "p", "user_prompt_id": "u", "request": request, **more}


async def test_generation_is_wrapped_both_ways(ask: Any, user: Any) -> None:
    heard = await call(ask, "generateContent", wrapped({**user("hi"), "session_id": "s"}))
    assert heard.json["response"]["candidates"][0]["content"]["parts"] == [{"text": "You said: hi"}]
    assert heard.json["traceId"] == heard.headers["x-cloudaicompanion-trace-id"]


async def test_every_event_of_a_stream_is_wrapped(ask: Any, user: Any) -> None:
    heard = await call(ask, "streamGenerateContent?alt=sse", wrapped(user("hello there")))
    assert [list(event) for event in heard.events] == [["response", "traceId"]] * 3
    assert heard.events[-1]["response"]["candidates"][0]["finishReason"] == "STOP"


async def test_an_unknown_field_in_the_envelope_is_refused(ask: Any, user: Any) -> None:
    heard = await call(ask, "generateContent", wrapped(user("hi"), contents=[]))
    assert heard.status == 400
    assert 'Unknown name "contents"' in heard.json["error"]["message"]
    assert heard.json["error"]["errors"][0]["reason"] == "badRequest"


async def test_paths_in_messages_begin_at_the_envelope(ask: Any, user: Any) -> None:
    heard = await call(ask, "generateContent", wrapped({**user("hi"), "wrong": 1}))
    assert "at 'request': Cannot find field" in heard.json["error"]["message"]


async def test_a_model_it_does_not_serve_is_404(ask: Any, user: Any) -> None:
    heard = await call(ask, "generateContent", wrapped(user("hi")) | {"model": "models/gemini-2.5-flash"})
    assert (heard.status, heard.json["error"]["message"]) == (404, "Requested entity was not found.")


async def test_tokens_are_counted_without_an_envelope_around_the_answer(ask: Any, user: Any) -> None:
    request = {"model": "models/gemini-2.5-flash", **user("x" * 40)}
    assert (await call(ask, "countTokens", {"request": request})).json == {"totalTokens": 10}


@pytest.mark.parametrize("extra", [{"model": "gemini-2.5-flash"}, {"project": "p"}])
async def test_counting_refuses_what_the_real_server_refuses(ask: Any, user: Any, extra: Any) -> None:
    heard = await call(ask, "countTokens", {"request": user("x"), **extra})
    assert heard.status == 400
    assert f'Unknown name "{next(iter(extra))}"' in heard.json["error"]["message"]


@pytest.mark.parametrize("header", [None, "Basic abc", "Bearer invalid", "Bearer something-else"])
async def test_a_good_bearer_token_is_needed(ask: Any, user: Any, header: str | None) -> None:
    headers = {"authorization": header} if header else {}
    heard = await ask("POST", "/v1internal:generateContent", wrapped(user("hi")), headers=headers)
    assert heard.status == 401
    assert heard.json["error"]["status"] == "UNAUTHENTICATED"


async def load(asking: Any, scenario: str | None, project: str | None = None) -> tuple[Any, Any]:
    ask = asking(scenario=scenario)
    body = {"metadata": METADATA} | ({"cloudaicompanionProject": project} if project else {})
    return ask, await call(ask, "loadCodeAssist", body)


async def test_by_default_a_person_has_the_standard_tier_and_the_project_they_name(asking: Any) -> None:
    _, heard = await load(asking, None, "my-project")
    assert heard.json["currentTier"]["id"] == "standard-tier"
    assert heard.json["cloudaicompanionProject"] == "my-project"


async def test_the_project_can_come_as_an_object(asking: Any) -> None:
    _, heard = await load(asking, "object-project")
    assert heard.json["cloudaicompanionProject"]["id"] == "emulator-project"


@pytest.mark.parametrize(
    ("scenario", "reason"),
    [
        ("unsupported-client", "UNSUPPORTED_CLIENT"),
        ("ineligible", "UNSUPPORTED_LOCATION"),
        ("validation-required", "VALIDATION_REQUIRED"),
    ],
)
async def test_an_account_can_be_turned_away_with_a_reason(asking: Any, scenario: str, reason: str) -> None:
    _, heard = await load(asking, scenario)
    assert "currentTier" not in heard.json
    assert [tier["reasonCode"] for tier in heard.json["ineligibleTiers"]] == [reason]


async def test_a_tier_may_want_a_project_nobody_named(asking: Any) -> None:
    _, heard = await load(asking, "project-required")
    assert "cloudaicompanionProject" not in heard.json
    assert heard.json["currentTier"]


async def test_the_organisation_may_forbid_it(asking: Any) -> None:
    _, heard = await load(asking, "vpc-sc")
    assert heard.status == 403
    assert heard.json["error"]["details"][0]["reason"] == "SECURITY_POLICY_VIOLATED"


async def test_onboarding_the_free_tier_gives_a_managed_project_at_once(asking: Any) -> None:
    ask, heard = await load(asking, "onboard")
    tier = next(tier for tier in heard.json["allowedTiers"] if tier.get("isDefault"))
    done = await call(ask, "onboardUser", {"tierId": tier["id"], "metadata": METADATA})
    assert done.json["done"] is True
    assert done.json["response"]["cloudaicompanionProject"]["id"] == "emulator-managed-project"


async def test_the_free_tier_refuses_a_project_of_ones_own(asking: Any) -> None:
    ask, _ = await load(asking, "onboard")
    heard = await call(ask, "onboardUser", {"tierId": "free-tier", "cloudaicompanionProject": "mine"})
    assert (heard.status, heard.json["error"]["status"]) == (400, "FAILED_PRECONDITION")


async def test_slow_onboarding_is_done_at_the_second_poll(asking: Any) -> None:
    ask, _ = await load(asking, "onboard-slow")
    started = await call(ask, "onboardUser", {"tierId": "free-tier"})
    assert "done" not in started.json
    polls = [await ask("GET", f"/v1internal/{started.json['name']}", headers=TOKEN) for _ in range(2)]
    assert [poll.json.get("done", False) for poll in polls] == [False, True]
    assert polls[1].json["response"]["cloudaicompanionProject"]["id"]


async def test_onboarding_can_end_with_an_error(asking: Any) -> None:
    ask, _ = await load(asking, "onboard-error")
    name = (await call(ask, "onboardUser", {"tierId": "free-tier"})).json["name"]
    await ask("GET", f"/v1internal/{name}", headers=TOKEN)
    last = await ask("GET", f"/v1internal/{name}", headers=TOKEN)
    assert last.json["done"] is True
    assert last.json["error"]["message"]


@pytest.mark.parametrize(
    "method", ["retrieveUserQuota", "listExperiments", "fetchAdminControls", "recordCodeAssistMetrics"]
)
async def test_what_the_cli_calls_at_start_is_answered(ask: Any, method: str) -> None:
    assert (await call(ask, method, {"project": "p"})).status == 200


async def test_an_unknown_method_is_404_in_googles_form(ask: Any) -> None:
    heard = await call(ask, "makeCoffee")
    assert (heard.status, heard.json["error"]["status"]) == (404, "NOT_FOUND")
