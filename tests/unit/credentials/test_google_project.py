"""Finding the project: every branch of the decision tree, against the emulated Code Assist."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from groundwire.credentials.google_project import (
    POLL_PAUSE,
    POLLS,
    Found,
    Onboarding,
    Pending,
    find_project,
    judge_load,
    judge_operation,
)
from groundwire.emulator import Emulator
from groundwire.errors import (
    AccountSuspended,
    BlockedByPerimeter,
    CodeAssistRefused,
    GroundwireError,
    IneligibleAccount,
    OnboardingFailed,
    ProjectRequired,
    TransportError,
    UnsupportedClient,
    ValidationRequired,
)
from groundwire.testing import AsgiTransport, ManualClock, ScriptedTransport, reply
from groundwire.transport.base import Request, Response

BASE = "http://127.0.0.1:1"


class CodeAssist(AsgiTransport):
    """The emulated Code Assist, asked with a good token."""

    def __init__(self, scenario: str | None) -> None:
        self.emulator = Emulator(scenario=scenario)
        super().__init__(self.emulator.app)

    async def send(self, request: Request) -> Response:
        headers = {**request.headers, "Authorization": "Bearer ya29.token"}
        return await super().send(replace(request, headers=headers))

    @property
    def methods(self) -> list[str]:
        return [call.path.rpartition("internal")[2] for call in self.emulator.requests]


async def find(scenario: str | None, asked: str | None, clock: ManualClock | None = None) -> Found:
    code_assist = CodeAssist(scenario)
    return await find_project(code_assist, BASE, asked, sleep=(clock or ManualClock()).sleep)


@pytest.mark.parametrize(
    ("scenario", "asked", "found"),
    [
        (None, "mine", Found("mine", "standard-tier")),
        (None, None, Found("emulator-project", "standard-tier")),
        ("ok-free", None, Found("emulator-managed-project", "free-tier")),
        ("ok-free", "mine", Found("emulator-managed-project", "free-tier")),  # the server's word counts
        ("object-project", "mine", Found("mine", "standard-tier")),
        ("project-required", "mine", Found("mine", "standard-tier")),
        ("onboard", None, Found("emulator-managed-project", "free-tier")),
        ("onboard", "mine", Found("emulator-managed-project", "free-tier")),
        ("onboard-standard", "mine", Found("mine", "standard-tier")),
        ("vpc-sc", "mine", Found("mine", "standard-tier")),
    ],
)
async def test_the_project_is_found(scenario: str | None, asked: str | None, found: Found) -> None:
    assert await find(scenario, asked) == found


@pytest.mark.parametrize(
    ("scenario", "asked", "refusal", "next_step"),
    [
        ("project-required", None, ProjectRequired, "export GOOGLE_CLOUD_PROJECT="),
        ("onboard-standard", None, ProjectRequired, "export GOOGLE_CLOUD_PROJECT="),
        ("unsupported-client", None, UnsupportedClient, "groundwire login gemini"),
        ("ineligible", None, IneligibleAccount, "groundwire login gemini"),
        ("validation-required", None, ValidationRequired, "Open https://accounts.google.com/signin/continue"),
        ("terms-violated", None, AccountSuspended, "appeal at https://example.com/appeal"),
        ("vpc-sc", None, BlockedByPerimeter, "export GOOGLE_CLOUD_PROJECT="),
        ("onboard-error", None, OnboardingFailed, "Try again in a few minutes"),
        (None, "123456", ProjectRequired, "not its number"),
    ],
)
async def test_a_refusal_says_what_to_do(
    scenario: str | None, asked: str | None, refusal: type[GroundwireError], next_step: str
) -> None:
    with pytest.raises(refusal) as caught:
        await find(scenario, asked)
    assert type(caught.value) is refusal
    assert next_step in caught.value.hint
    assert len(caught.value.message) > 20


async def test_a_number_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(ProjectRequired):
        await find_project(ScriptedTransport([]), BASE, "123456")


async def test_a_slow_onboarding_is_looked_at_every_five_seconds() -> None:
    clock, code_assist = ManualClock(), CodeAssist("onboard-slow")
    found = await find_project(code_assist, BASE, None, sleep=clock.sleep)
    assert found.project == "emulator-managed-project"
    assert clock.slept == [POLL_PAUSE, POLL_PAUSE]
    assert code_assist.methods[:2] == [":loadCodeAssist", ":onboardUser"]
    assert all(method.startswith("/operations/") for method in code_assist.methods[2:])


async def test_an_onboarding_that_never_ends_is_given_up() -> None:
    clock = ManualClock()
    load = reply({"allowedTiers": [{"id": "free-tier", "isDefault": True}]})
    polls = [reply({"name": "operations/x"}) for _ in range(POLLS + 1)]
    async with ScriptedTransport([load, *polls]) as transport:
        with pytest.raises(OnboardingFailed, match="2 minutes"):
            await find_project(transport, BASE, None, sleep=clock.sleep)
    assert sum(clock.slept) == POLLS * POLL_PAUSE


async def test_a_free_tier_is_never_asked_for_with_a_project() -> None:
    code_assist = CodeAssist("onboard")
    await find_project(code_assist, BASE, "mine")
    body = code_assist.emulator.requests[1].json
    assert body["tierId"] == "free-tier"
    assert "mine" not in json.dumps(body)


async def test_the_project_asked_for_is_named_in_both_places() -> None:
    code_assist = CodeAssist("onboard-standard")
    await find_project(code_assist, BASE, "mine")
    for call in code_assist.emulator.requests:
        assert call.json["cloudaicompanionProject"] == "mine"
        assert call.json["metadata"] == {
            "ideType": "IDE_UNSPECIFIED",
            "platform": "PLATFORM_UNSPECIFIED",
            "pluginType": "GEMINI",
            "duetProject": "mine",
        }


@pytest.mark.parametrize(
    "name",
    [None, 7, "", "elsewhere/x", "operations/../../o", "operations/", "https://evil.example/operations/x"],
)
def test_an_operation_with_a_strange_name_is_not_followed(name: object) -> None:
    with pytest.raises(OnboardingFailed):
        judge_operation(200, json.dumps({"name": name}).encode(), Onboarding("free-tier", None), None)


def test_an_operation_in_a_folder_is_followed() -> None:
    body = b'{"name": "operations/cmpf.p-1/2_a"}'
    assert judge_operation(200, body, Onboarding("free-tier", None), None) == Pending(
        "operations/cmpf.p-1/2_a"
    )


@pytest.mark.parametrize("status", [400, 403, 404, 409])
def test_an_unknown_refusal_repeats_what_the_server_said(status: int) -> None:
    body = b'{"error": {"message": "Precondition\\ncheck failed."}}'
    with pytest.raises(CodeAssistRefused, match=f"HTTP {status}, Precondition check failed"):
        judge_load(status, body, None)


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_passing_trouble_is_not_a_refusal(status: int) -> None:
    with pytest.raises(TransportError, match=f"HTTP {status}"):
        judge_load(status, b"<html>", None)


@pytest.mark.parametrize(
    "answer", [[], 1, {"currentTier": 1}, {"allowedTiers": [1, None]}, {"ineligibleTiers": "x"}, {}]
)
def test_an_answer_of_any_shape_is_judged(answer: object) -> None:
    with pytest.raises(ProjectRequired):
        judge_load(200, json.dumps(answer).encode(), None)
