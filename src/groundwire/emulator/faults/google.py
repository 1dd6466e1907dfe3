"""Google's own failures, in the bodies reported from the real servers: quotas, permissions, sign-in.

Where each body was seen is named beside it: `cli` is google-gemini/gemini-cli, `auth` is
jenslys/opencode-gemini-auth, each with the number of an issue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from groundwire.emulator.google.bearer import INVALID_CREDENTIALS
from groundwire.emulator.google.errors import error_body, error_info, google_error, retry_info
from groundwire.emulator.scenarios import Scenario
from groundwire.emulator.wire import EVENT_STREAM_TYPE, Call, Reply, json_reply, to_json
from groundwire.emulator.world import World

GENERATING = ("gemini", "vertex", "code-assist")
SIGNING_IN = ("google-oauth", "openai-oauth")
DOMAIN = "cloudcode-pa.googleapis.com"


@dataclass(slots=True)
class RejectedCredentials:
    """The credentials that the scenario `unauthorized-once` has turned away."""

    first: set[str] = field(default_factory=set)


def _model(call: Call) -> str:
    if "model" in call.captures:
        return call.captures["model"]
    return str(call.json.get("model", "")) if isinstance(call.json, dict) else ""


def _exhausted(
    call: Call, reason: str, message: str, more: Mapping[str, str] | None = None, delay: str | None = None
) -> Reply:
    """A 429 with ErrorInfo and, when there is a delay, RetryInfo."""
    metadata = {"uiMessage": "true", "model": _model(call), **(more or {})}
    details = [error_info(reason, DOMAIN, metadata)]
    if delay:
        details.append(retry_info(delay))
    return google_error(429, message, details=details)


def _rate_limit(call: Call, world: World) -> Reply:
    return _exhausted(
        call,
        "RATE_LIMIT_EXCEEDED",
        "You have exhausted your capacity on this model. Your quota will reset after 1s.",
        delay="1s",
    )


def _rate_limit_once(call: Call, world: World) -> Reply | None:
    return _rate_limit(call, world) if world.count("rate-limit-once") == 1 else None


def _rate_limit_bare(call: Call, world: World) -> Reply:  # auth 25
    return _exhausted(
        call,
        "RATE_LIMIT_EXCEEDED",
        "You have exhausted your capacity on this model. Your quota will reset after 27s.",
    )


def _quota(call: Call, world: World) -> Reply:  # cli 29425
    return _exhausted(
        call,
        "QUOTA_EXHAUSTED",
        "You have exhausted your capacity on this model. Your quota will reset after 9h22m20s.",
        {"quotaResetDelay": "33740.910400305s", "quotaResetTimeStamp": "2026-11-16T06:00:00Z"},
        delay="33740.910400305s",
    )


def _capacity(call: Call, world: World) -> Reply:  # cli 28761, 23520
    return _exhausted(
        call,
        "MODEL_CAPACITY_EXHAUSTED",
        f"No capacity available for model {_model(call)} on the server",
        {"error_number": "2010"},
    )


def _plain_429(call: Call, world: World) -> Reply:  # cli 14831
    return google_error(429, "Resource exhausted. Please try again later.")


def _overloaded(call: Call, world: World) -> Reply:
    return google_error(503, "The model is overloaded. Please try again later.")


def _internal(call: Call, world: World) -> Reply:
    return google_error(500, "An internal error has occurred. Please retry or report the problem.")


def _unauthorized_once(call: Call, world: World) -> Reply | None:
    """The first credential is refused each time it comes; any other one is accepted.

    An API key cannot be renewed, so it is refused once only.
    """
    credential = call.bearer or f"key {world.count('unauthorized-once')}"
    rejected = world.of(RejectedCredentials).first
    if not rejected:
        rejected.add(credential)
    if credential not in rejected:
        return None
    return google_error(401, INVALID_CREDENTIALS)


def _forbidden(
    message: str, reason: str, domain: str, metadata: Mapping[str, str], *more: Mapping[str, Any]
) -> Reply:
    details: Sequence[Mapping[str, Any]] = [error_info(reason, domain, metadata), *more]
    return google_error(403, message, details=details)


def _validation(call: Call, world: World) -> Reply:  # auth 63
    validate = "https://accounts.google.com/signin/continue?emulator=1"
    learn_more = "https://support.google.com/accounts?p=al_alert"
    metadata = {
        "validation_error_message": "Verify your account to continue.",
        "validation_url": validate,
        "validation_url_link_text": "Verify your account",
        "validation_learn_more_url": learn_more,
        "validation_learn_more_link_text": "Learn more",
    }
    links = [
        {"description": "Verify your account", "url": validate},
        {"description": "Learn more", "url": learn_more},
    ]
    help_detail = {"@type": "type.googleapis.com/google.rpc.Help", "links": links}
    return _forbidden(
        "Verify your account to continue.", "VALIDATION_REQUIRED", DOMAIN, metadata, help_detail
    )


def _service_disabled(call: Call, world: World) -> Reply:  # auth 21
    activation = "https://console.developers.google.com/apis/api/cloudaicompanion.googleapis.com/overview"
    return _forbidden(
        "Gemini for Google Cloud API has not been used in project emulator-project before or it is disabled. "
        f"Enable it by visiting {activation}?project=emulator-project then retry.",
        "SERVICE_DISABLED",
        "googleapis.com",
        {"service": "cloudaicompanion.googleapis.com", "consumer": "projects/emulator-project"},
    )


def _terms_violated(call: Call, world: World) -> Reply:  # auth 50
    return _forbidden(
        "This service has been disabled in this account for violation of Terms of Service. "
        "Please submit an appeal to continue using this product.",
        "TOS_VIOLATION",
        DOMAIN,
        {
            "uiMessage": "true",
            "appeal_url": "https://example.com/appeal",
            "appeal_url_link_text": "Submit an appeal",
        },
    )


def _not_a_named_user(call: Call, world: World) -> Reply:
    return google_error(
        403,
        "You must be a named user on your organization's Gemini Code Assist Standard edition subscription "
        "to use this service.",
    )


def _model_missing(call: Call, world: World) -> Reply:
    return google_error(404, "Requested entity was not found.")


def _in_an_array(call: Call, world: World) -> Reply:
    return json_reply([error_body(429, "Resource exhausted. Please try again later.")], 429)


def _typed_as_events(call: Call, world: World) -> Reply:  # auth 63
    body = to_json(error_body(403, "Permission denied on resource project emulator-project."))
    return Reply(403, (("content-type", EVENT_STREAM_TYPE),), body)


def _fault(name: str, about: str, before: Any, kinds: tuple[str, ...] = ("generate",)) -> Scenario:
    return Scenario(name, about, apis=GENERATING, kinds=kinds, before=before)


GOOGLE_FAULTS = (
    _fault("rate-limit", "429 RATE_LIMIT_EXCEEDED with RetryInfo of one second", _rate_limit),
    _fault("rate-limit-once", "the same for the first request only", _rate_limit_once),
    _fault("rate-limit-bare", "429 RATE_LIMIT_EXCEEDED without RetryInfo", _rate_limit_bare),
    _fault("quota", "429 QUOTA_EXHAUSTED, resets in nine hours", _quota),
    _fault("capacity", "429 MODEL_CAPACITY_EXHAUSTED", _capacity),
    _fault("plain-429", "429 without any details", _plain_429),
    _fault("overloaded", "503, the model is overloaded", _overloaded),
    _fault("internal-error", "500, an internal error", _internal),
    _fault(
        "unauthorized-once",
        "401 for the first credential, then fine: the client should refresh",
        _unauthorized_once,
    ),
    _fault("validation-403", "403 VALIDATION_REQUIRED with links", _validation),
    _fault(
        "service-disabled", "403 SERVICE_DISABLED: the API is not enabled in the project", _service_disabled
    ),
    _fault(
        "terms-violated",
        "403 TOS_VIOLATION: the account was suspended",
        _terms_violated,
        ("generate", "setup"),
    ),
    _fault("not-a-named-user", "403: no licence for this project", _not_a_named_user),
    _fault("model-missing", "404 that means the model is not served to this account", _model_missing),
    _fault("array-error", "the error is wrapped in a JSON array", _in_an_array),
    _fault("event-typed-error", "a JSON error whose content type is text/event-stream", _typed_as_events),
    Scenario("invalid-grant", "refreshing a token fails with invalid_grant", apis=("google-oauth",)),
    Scenario(
        "rotated-refresh-token",
        "each refresh brings a new refresh token and ends the old one",
        apis=("google-oauth",),
    ),
    Scenario(
        "consent-page",
        "signing in shows a page with buttons instead of consenting at once",
        apis=SIGNING_IN,
    ),
    Scenario("access-denied", "the person refuses: the callback gets error=access_denied", apis=SIGNING_IN),
)
