"""Google's error envelope: code, message, status name, details."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from groundwire.emulator.google.proto_json import Violation
from groundwire.emulator.routing import Problem
from groundwire.emulator.wire import Reply, json_reply

STATUS_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    405: "UNIMPLEMENTED",
    409: "ABORTED",
    413: "INVALID_ARGUMENT",
    415: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    501: "UNIMPLEMENTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
TYPE = "type.googleapis.com/google.rpc."


class Refusal(Exception):
    """A request the real server refuses; carries the reply it gets."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status)
        self.reply = reply


def error_body(
    code: int, message: str, *, status: str | None = None, details: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """The envelope as a value; `status` follows from the code unless given."""
    error: dict[str, Any] = {
        "code": code,
        "message": message,
        "status": status or STATUS_NAMES.get(code, "UNKNOWN"),
    }
    if details:
        error["details"] = list(details)
    return {"error": error}


def oauth_error(error: str, description: str, status: int = 400) -> Reply:
    """The token endpoint's error form."""
    return json_reply({"error": error, "error_description": description}, status)


def google_error(
    code: int, message: str, *, status: str | None = None, details: Sequence[Mapping[str, Any]] = ()
) -> Reply:
    """The envelope as a reply."""
    return json_reply(error_body(code, message, status=status, details=details), code)


def error_info(reason: str, domain: str, metadata: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A google.rpc.ErrorInfo detail."""
    return {"@type": f"{TYPE}ErrorInfo", "reason": reason, "domain": domain, "metadata": dict(metadata or {})}


def retry_info(delay: str) -> dict[str, Any]:
    """A google.rpc.RetryInfo detail."""
    return {"@type": f"{TYPE}RetryInfo", "retryDelay": delay}


def field_violations(violations: Iterable[Violation]) -> dict[str, Any]:
    """A google.rpc.BadRequest detail."""
    listed = [
        {"field": violation.path, "description": violation.text}
        if violation.path
        else {"description": violation.text}
        for violation in violations
    ]
    return {"@type": f"{TYPE}BadRequest", "fieldViolations": listed}


def refuse(problem: Problem) -> Reply:
    """How a Google API answers what never reached a method."""
    if problem.trouble == "unknown path":
        return google_error(404, "Method not found.")
    if problem.trouble == "wrong method":
        return google_error(
            405,
            f'The current request is matched to the defined url template "{problem.path}" '
            "but its http method is not allowed",
        )
    if problem.trouble == "body too large":
        return google_error(413, "Request payload size exceeds the limit: 20971520 bytes.")
    if problem.trouble == "wrong content type":
        return google_error(
            400,
            "Invalid JSON payload received. Unexpected content type "
            f"{problem.detail!r}: send application/json.",
        )
    return google_error(400, f"Invalid JSON payload received. {problem.detail}")
