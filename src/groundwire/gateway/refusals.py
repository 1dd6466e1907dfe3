"""Refusals in Google's own form, which every SDK reads: ours, the upstream's, and failures of the wire.

    {"error": {"code": 429, "message": "…", "status": "RESOURCE_EXHAUSTED", "details": […]}}

An upstream's error may come as an array, inside an event, or as a proxy's page; it leaves in this form, with
`Retry-After` whenever the upstream said how long to wait.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import msgspec

from groundwire.errors import GroundwireError
from groundwire.transport.retry import Refusal, error_object, server_delay
from groundwire.transport.unwrapping import error_in, plain_error

JSON = ("content-type", "application/json; charset=UTF-8")

STATUS_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED",
    409: "ABORTED",
    412: "FAILED_PRECONDITION",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    501: "UNIMPLEMENTED",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer: a status, a body of JSON, and headers beside its type."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = (JSON,)


class Refused(Exception):
    """Raised where an answer turns out to be a refusal."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


def refusal(status: int, message: str, *headers: tuple[str, str]) -> Answer:
    """A refusal of our own."""
    return Answer(status, _error_body(status, {"message": message}), (JSON, *headers))


def our_refusal(error: GroundwireError) -> Answer:
    """What one of our errors is to a client. The key was right, so what is missing here is never told as 401
    alone: the message says whose credential it is."""
    return refusal(error.http_status, str(error))


def upstream_refusal(refused: Refusal, upstream: str) -> Answer:
    """An upstream's error status, or its error inside an answer, as a client should get it."""
    body = plain_error(refused.body)
    error = error_object(body) if error_in(body) is not None else {}
    if not error:
        error = {"message": f"{upstream} answered {refused.status} and said nothing that can be passed on."}
    if refused.status == 401 or _names_a_bad_key(error):
        # The client's own key was right: it would look for the mistake at the wrong place.
        error = {
            **error,
            "message": f"{upstream} refused the gateway's own credential: {error.get('message')}",
        }
    told = server_delay(Refusal(refused.status, refused.headers, body))
    waiting = (("retry-after", str(max(0, math.ceil(told)))),) if told is not None else ()
    return Answer(refused.status, _error_body(refused.status, error), (JSON, *waiting))


def _names_a_bad_key(error: dict[str, Any]) -> bool:
    details = error.get("details")
    return isinstance(details, list) and any(
        isinstance(detail, dict) and detail.get("reason") == "API_KEY_INVALID" for detail in details
    )


def _error_body(status: int, error: dict[str, Any]) -> bytes:
    name = STATUS_NAMES.get(status, "INVALID_ARGUMENT" if status < 500 else "INTERNAL")
    return _encode({"error": {"code": status, "message": "", "status": name, **error}})
