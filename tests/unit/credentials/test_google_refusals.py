"""Code Assist's refusals, as emulator and real server word them, become errors that say what to do."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.credentials.google_refusals import refusal
from groundwire.emulator import Emulator
from groundwire.errors import (
    AccountSuspended,
    BlockedByPerimeter,
    CodeAssistRefused,
    NotLicensed,
    ServiceDisabled,
    ValidationRequired,
)
from groundwire.testing import AsgiTransport
from groundwire.transport.base import Request

GENERATE = Request(
    "POST",
    "http://x/v1internal:generateContent",
    {"Content-Type": "application/json", "Authorization": "Bearer ya29.token"},
    json.dumps(
        {
            "model": "gemini-2.5-flash",
            "project": "p",
            "request": {"contents": [{"role": "user", "parts": [{"text": "x"}]}]},
        }
    ).encode(),
)


@pytest.mark.parametrize(
    ("scenario", "kind", "next_step"),
    [
        ("validation-403", ValidationRequired, "Open https://accounts.google.com/signin/continue?emulator=1"),
        (
            "service-disabled",
            ServiceDisabled,
            "gcloud services enable cloudaicompanion.googleapis.com --project emulator-project",
        ),
        ("terms-violated", AccountSuspended, "appeal at https://example.com/appeal"),
        ("not-a-named-user", NotLicensed, "Ask your administrator"),
    ],
)
async def test_a_refusal_during_generation_is_understood(
    scenario: str, kind: type[CodeAssistRefused], next_step: str
) -> None:
    response = await AsgiTransport(Emulator(scenario=scenario).app).send(GENERATE)
    found = refusal(response.status, await response.read())
    assert type(found) is kind
    assert next_step in found.hint


@pytest.mark.parametrize("scenario", ["rate-limit", "model-missing", "event-typed-error", "overloaded"])
async def test_other_errors_are_left_to_whoever_asked(scenario: str) -> None:
    response = await AsgiTransport(Emulator(scenario=scenario).app).send(GENERATE)
    assert refusal(response.status, await response.read()) is None


async def test_a_request_that_is_fine_is_no_refusal() -> None:
    response = await AsgiTransport(Emulator().app).send(replace(GENERATE))
    assert (response.status, refusal(response.status, await response.read())) == (200, None)


def error(message: str, reason: str = "", **metadata: object) -> bytes:
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "metadata": metadata}]
    return json.dumps({"error": {"code": 403, "message": message, "details": details}}).encode()


def test_an_error_in_an_array_is_understood_too() -> None:
    body = b"[" + error("Blocked.", "SECURITY_POLICY_VIOLATED") + b"]"
    assert isinstance(refusal(403, body), BlockedByPerimeter)


def test_the_older_words_for_a_disabled_service_are_known() -> None:
    body = error("Cloud Code Private API has not been used in project 123 before or it is disabled.")
    assert isinstance(refusal(403, body), ServiceDisabled)


@pytest.mark.parametrize("link", ["javascript:alert(1)", "http://example.com", 7, "https://a b", ""])
def test_a_link_that_is_not_https_is_not_passed_on(link: object) -> None:
    found = refusal(403, error("Verify.", "VALIDATION_REQUIRED", validation_url=link))
    assert isinstance(found, ValidationRequired)
    assert found.hint == ValidationRequired.default_hint


def test_a_servers_words_are_made_fit_for_a_terminal() -> None:
    found = refusal(403, error("You must be a named user\x1b[2J\n" + "x" * 5000))
    assert found is not None
    assert found.message.isprintable()
    assert len(found.message) < 600


@given(status=st.integers(100, 599), body=st.binary(max_size=100))
def test_any_body_is_judged(status: int, body: bytes) -> None:
    refusal(status, body)


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["error", "details", "reason", "metadata", "links", "url", "message"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_an_error_of_any_shape_is_judged(document: object) -> None:
    refusal(403, json.dumps(document).encode())
