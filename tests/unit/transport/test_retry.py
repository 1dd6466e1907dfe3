"""Trying again: what is repeated, after how long, and what is final."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import msgspec
import pytest

from groundwire.errors import BodyTooLarge, ConnectFailed, ConnectionCut, TimedOut, TransportError
from groundwire.testing import ManualClock, ScriptedTransport, reply
from groundwire.transport.base import Request, Response
from groundwire.transport.retry import (
    Refusal,
    Retry,
    RetryPolicy,
    error_object,
    server_delay,
    wait_before_retry,
)

POLICY = RetryPolicy(attempts=3, base=1.0, max_wait=30.0, total=100.0)
RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7.5s"}


def refusal(status: int, error: dict[str, Any] | None = None, **headers: str) -> Refusal:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Refusal(status, named, msgspec.json.encode({"error": error or {}}))


def wait(failure: Refusal | TransportError, *, attempt: int = 1, elapsed: float = 0.0) -> float | None:
    return wait_before_retry(failure, attempt=attempt, elapsed=elapsed, policy=POLICY, jitter=0.5)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 524, 529])
def test_a_passing_status_is_tried_again(status: int) -> None:
    assert wait(refusal(status)) == 1.0
    assert wait(refusal(status), attempt=2) == 2.0


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422, 501])
def test_any_other_status_is_final(status: int) -> None:
    assert wait(refusal(status)) is None


@pytest.mark.parametrize(
    ("error", "again"), [(ConnectFailed, True), (ConnectionCut, True), (TimedOut, False)]
)
def test_only_what_surely_did_no_work_is_tried_again(error: type[TransportError], again: bool) -> None:
    assert (wait(error("x")) is not None) is again
    assert wait(BodyTooLarge("x")) is None


def test_the_last_attempt_is_the_last() -> None:
    assert wait(refusal(503), attempt=3) is None


def test_nothing_is_tried_past_the_total_deadline() -> None:
    assert wait(refusal(503), elapsed=99.5) is None
    assert wait(refusal(503, retry_after="20"), elapsed=85.0) is None


def test_a_server_that_wants_a_long_pause_gets_no_second_try() -> None:
    assert wait(refusal(429, retry_after="31")) is None


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        (refusal(429, retry_after="7"), 7.0),
        (refusal(429, retry_after_ms="1500", retry_after="7"), 1.5),
        (refusal(429, {"details": [RETRY_INFO]}), 7.5),
        (refusal(429, {"message": "Please retry in 12.25s."}), 12.25),
        (refusal(429, {"message": "Rate limit reached, try again in 350ms"}), 0.35),
        (refusal(429, {"message": "Your quota will reset after 1h2m3s."}), 3723.0),
        (refusal(429, {"message": "Slow down."}), None),
        (refusal(429, retry_after="soon"), None),
        (Refusal(429, {}, b"<html>"), None),
        (Refusal(429, {}, msgspec.json.encode([{"error": {"details": [RETRY_INFO]}}])), 7.5),
    ],
)
def test_the_servers_delay_is_found_wherever_it_is_told(given: Refusal, seconds: float | None) -> None:
    assert server_delay(given) == pytest.approx(seconds)


def test_a_retry_after_date_counts_from_now() -> None:
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    told = server_delay(refusal(429, retry_after=moment))
    assert told is not None
    assert 15 < told <= 20


@pytest.mark.parametrize(
    "error",
    [
        {"type": "usage_limit_reached", "message": "The usage limit has been reached"},
        {"code": "usage_not_included"},
        {"details": [{"reason": "QUOTA_EXHAUSTED"}, RETRY_INFO]},
        {"details": [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProject"}]}, RETRY_INFO]},
        {"message": "Quota exceeded, limit: 0, model: gemini"},
    ],
)
def test_a_usage_limit_is_final_whatever_delay_comes_with_it(error: dict[str, Any]) -> None:
    assert wait(refusal(429, error)) is None


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"[1]", b'"x"', b"{", b"\xff", b'{"error": "text"}'])
def test_an_error_body_of_any_form_is_read_without_harm(body: bytes) -> None:
    assert isinstance(error_object(body), dict)
    assert wait(Refusal(503, {}, body)) == 1.0


async def test_the_layer_waits_as_decided_and_gives_the_first_good_answer() -> None:
    clock = ManualClock()
    async with ScriptedTransport(
        [reply({}, status=503, headers={"retry-after": "4"}), ConnectFailed("x"), reply({"ok": 1})]
    ) as inner:
        layer = Retry(inner, POLICY, clock=clock, sleep=clock.sleep, chance=lambda: 0.5)
        response = await layer.send(Request("GET", "https://example.org"))
    assert await response.read() == b'{"ok":1}'
    assert clock.slept == [4.0, 2.0]


async def test_the_last_refusal_is_handed_on_with_its_body() -> None:
    clock = ManualClock()
    async with ScriptedTransport([reply({"error": {"message": "no"}}, status=400)]) as inner:
        response = await Retry(inner, POLICY, clock=clock, sleep=clock.sleep).send(
            Request("GET", "https://example.org")
        )
    assert (response.status, await response.read()) == (400, b'{"error":{"message":"no"}}')
    assert clock.slept == []


async def test_the_last_transport_error_is_raised() -> None:
    clock = ManualClock()
    async with ScriptedTransport(
        [ConnectFailed("one"), ConnectFailed("two"), ConnectFailed("three")]
    ) as inner:
        with pytest.raises(ConnectFailed, match="three"):
            await Retry(inner, POLICY, clock=clock, sleep=clock.sleep).send(
                Request("GET", "https://example.org")
            )


async def test_an_error_page_of_any_size_is_read_in_part_only() -> None:
    closed: list[bool] = []

    async def endless() -> Any:
        while True:
            yield b"x" * 100_000

    async def close() -> None:
        closed.append(True)

    async with ScriptedTransport([Response(400, {}, endless(), close)]) as inner:
        response = await Retry(inner).send(Request("GET", "https://example.org"))
    assert len(await response.read()) == 256 * 1024
    assert closed == [True]
