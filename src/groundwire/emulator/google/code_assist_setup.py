"""Code Assist's project discovery: which tier a person has, and onboarding with its operation.

By default a person has the standard tier and the project they name. Scenarios change that: see
`SETUP_SCENARIOS`. The bodies follow what is known of the real ones
(google-gemini/gemini-cli issue 1432, GoogleCloudPlatform/cloud-code-vscode issue 1100).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundwire.emulator.google.errors import error_info, google_error
from groundwire.emulator.scenarios import Scenario
from groundwire.emulator.wire import Call, Reply, json_reply
from groundwire.emulator.world import World

PROJECT = "emulator-project"
MANAGED_PROJECT = "emulator-managed-project"
POLLS = 2
"""How often an unfinished onboarding is polled before it is done."""

STANDARD = {
    "id": "standard-tier",
    "name": "Gemini Code Assist",
    "description": "Unlimited coding assistant with the most powerful Gemini models",
    "userDefinedCloudaicompanionProject": True,
    "privacyNotice": {},
}
FREE = {
    "id": "free-tier",
    "name": "Gemini Code Assist for individuals",
    "description": "Gemini-powered code suggestions and chat in your IDE",
    "privacyNotice": {"showNotice": True, "noticeText": "Emulated privacy notice."},
}
_REASONS = {
    "unsupported-client": (
        "UNSUPPORTED_CLIENT",
        "This client is no longer supported for Gemini Code Assist for individuals.",
    ),
    "ineligible": (
        "UNSUPPORTED_LOCATION",
        "Your current account is not eligible for Gemini Code Assist for individuals "
        "because it is not currently available in your location.",
    ),
}


def load(call: Call, world: World) -> Reply:
    """loadCodeAssist: the person's tier and project."""
    asked = _project_in(call.json)
    playing = set(call.scenarios)
    if "vpc-sc" in playing:
        return _security_policy_violated()
    if reason := next((_REASONS[name] for name in _REASONS if name in playing), None):
        return json_reply(_not_eligible(*reason))
    if "validation-required" in playing:
        return json_reply(_validation_required())
    if playing & {"onboard", "onboard-slow", "onboard-error"}:
        return json_reply({"allowedTiers": [FREE | {"isDefault": True}, STANDARD]})
    if "onboard-standard" in playing:
        return json_reply({"allowedTiers": [STANDARD | {"isDefault": True}]})
    if "ok-free" in playing:
        return json_reply(
            {"currentTier": FREE, "allowedTiers": [FREE], "cloudaicompanionProject": MANAGED_PROJECT}
        )
    known: dict[str, Any] = {"currentTier": STANDARD, "allowedTiers": [STANDARD | {"isDefault": True}]}
    if "project-required" in playing:
        return json_reply(known)
    project: Any = asked or PROJECT
    if "object-project" in playing:
        project = {"id": project, "name": project, "projectNumber": "100000000001"}
    return json_reply(known | {"cloudaicompanionProject": project})


def onboard(call: Call, world: World) -> Reply:
    """onboardUser: starts an operation, done at once unless the scenario says otherwise."""
    body = call.json if isinstance(call.json, dict) else {}
    tier, asked = body.get("tierId"), _project_in(body)
    if not tier:
        return google_error(400, "Request contains an invalid argument.")
    if tier == "free-tier" and asked:
        # google-gemini/gemini-cli pull request 6113: the free tier brings its own project.
        return google_error(400, "Precondition check failed.", status="FAILED_PRECONDITION")
    if set(call.scenarios) & {"onboard-slow", "onboard-error"}:
        return json_reply({"name": world.next_id("operations/cmpf.")})
    return json_reply(_done("operations/cmpf.DONE_OPERATION", _given_project(call, tier, asked)))


def operation(call: Call, world: World) -> Reply:
    """The state of an onboarding operation: done at the second look."""
    name = call.captures["name"]
    if world.count(f"polls of {name}") < POLLS:
        return json_reply({"name": name})
    if "onboard-error" in call.scenarios:
        error = {"code": 9, "message": "The account could not be onboarded."}
        return json_reply({"name": name, "done": True, "error": error})
    return json_reply(_done(name, MANAGED_PROJECT))


def _given_project(call: Call, tier: str, asked: str) -> str:
    if set(call.scenarios) & set(_REASONS):
        return ""
    return MANAGED_PROJECT if tier == "free-tier" else asked


def _done(name: str, project: str) -> dict[str, Any]:
    response: dict[str, Any] = {
        "@type": "type.googleapis.com/google.internal.cloud.code.v1internal.OnboardUserResponse"
    }
    if project:
        response["cloudaicompanionProject"] = {
            "id": project,
            "name": project,
            "projectNumber": "100000000001",
        }
    return {"name": name, "done": True, "response": response}


def _project_in(body: Any) -> str:
    if not isinstance(body, Mapping):
        return ""
    project = body.get("cloudaicompanionProject")
    return project if isinstance(project, str) else ""


def _not_eligible(reason: str, message: str) -> dict[str, Any]:
    return {
        "allowedTiers": [STANDARD | {"isDefault": True}],
        "ineligibleTiers": [
            {"reasonCode": reason, "reasonMessage": message, "tierId": FREE["id"], "tierName": FREE["name"]}
        ],
    }


def _validation_required() -> dict[str, Any]:
    return {
        "allowedTiers": [FREE | {"isDefault": True}],
        "ineligibleTiers": [
            {
                "reasonCode": "VALIDATION_REQUIRED",
                "reasonMessage": "Verify your account to continue.",
                "tierId": FREE["id"],
                "tierName": FREE["name"],
                "validationErrorMessage": "Verify your account to continue.",
                "validationUrl": "https://accounts.google.com/signin/continue?emulator=1",
                "validationUrlLinkText": "Verify your account",
                "validationLearnMoreUrl": "https://support.google.com/accounts?p=al_alert",
                "validationLearnMoreLinkText": "Learn more",
            }
        ],
    }


def _security_policy_violated() -> Reply:
    return google_error(
        403,
        "Request is prohibited by organization's policy.",
        details=[error_info("SECURITY_POLICY_VIOLATED", "googleapis.com", {"uid": "emulator"})],
    )


SETUP_SCENARIOS = tuple(
    Scenario(name, about, apis=("code-assist",), kinds=("setup",))
    for name, about in (
        ("ok-standard", "Code Assist: the standard tier and the project one names (also without a scenario)"),
        ("ok-free", "Code Assist: the free tier with the project Google manages (served until June 2026)"),
        ("onboard", "Code Assist: no tier yet; onboarding the free tier is done at once"),
        ("onboard-slow", "Code Assist: onboarding is an operation that is done at the second poll"),
        ("onboard-error", "Code Assist: the onboarding operation ends with an error"),
        ("onboard-standard", "Code Assist: no tier yet; the standard tier wants a project of one's own"),
        ("object-project", "Code Assist: loadCodeAssist gives the project as an object, not as a string"),
        ("unsupported-client", "Code Assist: individuals are refused, UNSUPPORTED_CLIENT (since June 2026)"),
        ("ineligible", "Code Assist: the account is not eligible, UNSUPPORTED_LOCATION"),
        (
            "validation-required",
            "Code Assist: the account must be verified first, loadCodeAssist gives a link",
        ),
        ("project-required", "Code Assist: the tier wants a project and none is known"),
        ("vpc-sc", "Code Assist: loadCodeAssist is blocked by VPC service controls (403)"),
    )
)
