"""How much of Code Assist's quota is left: the question, and what its answer says. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from groundwire.credentials.records import finite_number
from groundwire.credentials.server_words import plain
from groundwire.credentials.token_reply import json_object
from groundwire.transport.base import Request
from groundwire.version import __version__


@dataclass(frozen=True, slots=True)
class Bucket:
    """One model's quota. `left` is a part of 1, `amount` a number of requests; a server may tell either."""

    model: str
    left: float | None
    amount: float | None
    resets: float | None
    """When it is full again, in seconds since 1970."""


def quota_request(base_url: str, project: str) -> Request:
    """Ask for the quota of a project."""
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": f"groundwire/{__version__}",
    }
    url = f"{base_url}/v1internal:retrieveUserQuota"
    return Request("POST", url, headers, msgspec.json.encode({"project": project}))


def buckets_in(status: int, body: bytes) -> list[Bucket] | None:
    """The quota by model, in the server's order; None when the server does not tell."""
    listed = json_object(body).get("buckets") if status == 200 else None
    if not isinstance(listed, list):
        return None
    return [
        Bucket(
            model=plain(one.get("modelId")) or "all models",
            left=_number(one.get("remainingFraction")),
            amount=_number(one.get("remainingAmount")),
            resets=_moment(one.get("resetTime")),
        )
        for one in listed
        if isinstance(one, dict)
    ]


def _number(value: object) -> float | None:
    """A number; Google writes large ones as text."""
    if isinstance(value, str):
        try:
            return finite_number(float(value))
        except ValueError:
            return None
    return finite_number(value)


def _moment(value: object) -> float | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        return (
            None if moment is None else (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        )
    except (ValueError, OverflowError):
        return None
