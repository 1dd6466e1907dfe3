"""What all layers that speak another API than they are spoken to have in common: headers and refusals."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from groundwire.secret import Secret
from groundwire.transport.base import Response, whole

_NOT_FOR_THE_SERVER = frozenset(
    {
        "authorization",  # Auth adds the sign-in's own
        "x-goog-api-key",
        "x-api-key",
        "cookie",
        "host",
        "content-length",
        "accept-encoding",  # what comes back is read here
        "connection",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_ABOUT_THE_OLD_BODY = frozenset(
    {"content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive"}
)


def kept_headers(headers: Mapping[str, str | Secret]) -> dict[str, str | Secret]:
    """The headers of a request that may go to another server: no keys, nothing about the connection."""
    return {name: value for name, value in headers.items() if name.lower() not in _NOT_FOR_THE_SERVER}


def answer_headers(headers: Mapping[str, str], content_type: str | None = None) -> dict[str, str]:
    """The headers of an answer whose body is written anew: nothing about the old body's length or form."""
    kept = {name: value for name, value in headers.items() if name.lower() not in _ABOUT_THE_OLD_BODY}
    if content_type is not None:
        kept = {name: value for name, value in kept.items() if name.lower() != "content-type"}
        kept["content-type"] = content_type
    return kept


def unavailable(server: str, method: str, path: str) -> bytes:
    """The body of a 501: what a server does not have, in Google's form."""
    message = (
        f"{method} {path} is not available through {server}, which can generate content, stream it and "
        "count tokens. Use an API key for it."
    )
    return google_error(501, "UNIMPLEMENTED", message)


def google_error(code: int, status: str, message: str) -> bytes:
    """An error of ours in Google's form."""
    return msgspec.json.encode({"error": {"code": code, "message": message, "status": status}})


def refusal(status: int, body: bytes) -> Response:
    """A refusal of our own: nothing was sent."""
    return Response(status, {"content-type": "application/json"}, whole(body))
