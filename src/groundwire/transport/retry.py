"""Trying again: `wait_before_retry` decides without waiting, the layer `Retry` waits without deciding.

Only what happened before the first byte of an answer is repeated, so nothing is ever shown twice.

    what happened                                        again?
    ---------------------------------------------------  -----------------------------------------
    no connection, or cut before an answer began          yes, after a back-off
    408, 500, 502, 503, 504, 524, 529                     yes, after the server's delay or a back-off
    429                                                   likewise, unless a usage limit is reached
    a server's delay longer than `max_wait`               no: the person should not sit there
    the total deadline would pass                         no
    anything else                                         no

A server's delay is taken from `retry-after-ms`, `retry-after`, Google's RetryInfo, or its sentence
("Please retry in 7.5s", "try again in 350ms", "will reset after 27s"), in this order.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec

from groundwire.errors import ConnectFailed, ConnectionCut, TransportError
from groundwire.transport.base import Request, Response, Transport, whole

PASSING_STATUSES = frozenset({408, 429, 500, 502, 503, 504, 524, 529})

FINAL_REASONS = frozenset(
    {
        "usage_limit_reached",  # ChatGPT plan used up until a reset time
        "usage_not_included",  # ChatGPT plan without Codex
        "insufficient_quota",
        "QUOTA_EXHAUSTED",  # Code Assist: hours or days
        "INSUFFICIENT_G1_CREDITS_BALANCE",
    }
)

MAX_ERROR_BYTES = 256 * 1024
"""How much of an error page is worth reading."""

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DELAY_IN_WORDS = re.compile(
    r"(?:retry in|try again in|reset after|resets in)\s+((?:\d+(?:\.\d+)?\s?(?:ms|s|m|h)\s?)+)", re.IGNORECASE
)
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s?(ms|s|m|h)")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long: attempts in all, a back-off from `base` doubling to `max_wait`, a deadline."""

    attempts: int = 3
    base: float = 0.5
    max_wait: float = 10.0
    total: float = 120.0


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is an error: what `wait_before_retry` judges."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def wait_before_retry(
    failure: Refusal | TransportError, *, attempt: int, elapsed: float, policy: RetryPolicy, jitter: float
) -> float | None:
    """Seconds to wait before trying again, or None when this failure is final.

    `attempt` counts from 1, `jitter` is a random number in [0, 1).
    """
    if attempt >= policy.attempts:
        return None
    back_off: float = min(policy.base * 2 ** (attempt - 1), policy.max_wait) * (0.75 + jitter / 2)
    if isinstance(failure, TransportError):
        wait = back_off if isinstance(failure, ConnectFailed | ConnectionCut) else None
    elif failure.status not in PASSING_STATUSES or is_final(failure):
        wait = None
    else:
        told = server_delay(failure)
        wait = back_off if told is None else max(told, 0.0)
    if wait is None or wait > policy.max_wait or elapsed + wait >= policy.total:
        return None
    return wait


def is_final(refusal: Refusal) -> bool:
    """Whether an error says that trying again soon is pointless: a usage limit or a daily quota."""
    error = error_object(refusal.body)
    if {error.get("type"), error.get("code")} & FINAL_REASONS:
        return True
    for detail in _details(error):
        if detail.get("reason") in FINAL_REASONS:
            return True
        violations = detail.get("violations")
        if isinstance(violations, list) and any(
            "PerDay" in str(violation.get("quotaId"))
            for violation in violations
            if isinstance(violation, dict)
        ):
            return True
    return "limit: 0," in str(error.get("message"))


def server_delay(refusal: Refusal) -> float | None:
    """How long the server asks us to wait, in seconds, or None when it does not say."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        told = _header_delay(refusal.headers.get(name), unit)
        if told is not None:
            return told
    error = error_object(refusal.body)
    for detail in _details(error):
        if str(detail.get("@type", "")).endswith("google.rpc.RetryInfo"):
            return _seconds(str(detail.get("retryDelay", "")))
    words = _DELAY_IN_WORDS.search(str(error.get("message") or ""))
    return _seconds(words.group(1)) if words else None


def error_object(body: bytes) -> dict[str, Any]:
    """The error inside a JSON body, wherever the known servers put it; empty when there is none."""
    try:
        decoded = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    if isinstance(decoded, list) and decoded:  # Google wraps stream errors in an array
        decoded = decoded[0]
    if not isinstance(decoded, dict):
        return {}
    error = decoded.get("error", decoded)
    return error if isinstance(error, dict) else decoded


def _details(error: dict[str, Any]) -> list[dict[str, Any]]:
    details = error.get("details")
    return [detail for detail in details if isinstance(detail, dict)] if isinstance(details, list) else []


def _header_delay(value: str | None, unit: float) -> float | None:
    if not value:
        return None
    try:
        return float(value) * unit
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    return (until - datetime.now(UTC)).total_seconds() if until.tzinfo else None


def _seconds(words: str) -> float | None:
    amounts = _AMOUNT.findall(words)
    return sum(float(amount) * _UNITS[unit] for amount, unit in amounts) if amounts else None


class Retry:
    """The layer that tries again. Clock, sleep and randomness are parameters."""

    def __init__(
        self,
        inner: Transport,
        policy: RetryPolicy | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._inner = inner
        self._policy = policy or RetryPolicy()
        self._clock = clock
        self._sleep = sleep
        self._chance = chance

    async def send(self, request: Request) -> Response:
        """Send, and send again while the failure is a passing one."""
        started = self._clock()
        for attempt in range(1, self._policy.attempts + 1):
            failure: Refusal | TransportError
            try:
                response = await self._inner.send(request)
                if response.status < 400:
                    return response
                response = await in_memory(response)
                failure = Refusal(response.status, response.headers, await response.read())
            except TransportError as error:
                failure = error
            wait = wait_before_retry(
                failure,
                attempt=attempt,
                elapsed=self._clock() - started,
                policy=self._policy,
                jitter=self._chance(),
            )
            if wait is None:
                break
            await self._sleep(wait)
        if isinstance(failure, TransportError):
            raise failure
        return replace(response, chunks=whole(failure.body))


async def in_memory(response: Response, limit: int = MAX_ERROR_BYTES) -> Response:
    """The response with the first `limit` bytes of its body in memory and its connection released."""
    gathered = bytearray()
    async with response:
        async for chunk in response.chunks:
            gathered += chunk
            if len(gathered) >= limit:
                break
    return Response(response.status, response.headers, whole(bytes(gathered[:limit])))
