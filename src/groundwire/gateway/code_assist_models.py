"""The models of Code Assist, which has no list of them: those it counts a quota for. Pure functions."""

from __future__ import annotations

from typing import Any

import msgspec

from groundwire.errors import UnreadableAnswer
from groundwire.transport.base import Request
from groundwire.transport.gemini_path import METHODS


class _Bucket(msgspec.Struct):
    model: str = msgspec.field(name="modelId", default="")


class _Quota(msgspec.Struct):
    buckets: list[_Bucket] = msgspec.field(default_factory=list)


def quota_request(base_url: str, project: str) -> Request:
    """Asks for the quota of a project, model by model."""
    body = msgspec.json.encode({"project": project})
    url = f"{base_url}/v1internal:retrieveUserQuota"
    return Request("POST", url, {"content-type": "application/json"}, body)


def models_in(body: bytes) -> list[dict[str, Any]]:
    """The models of a quota, as the Gemini API lists models."""
    try:
        quota = msgspec.json.decode(body, type=_Quota)
    except msgspec.DecodeError as error:
        raise UnreadableAnswer("Code Assist told its quota in an unknown form.") from error
    names = dict.fromkeys(bucket.model for bucket in quota.buckets if bucket.model)
    return [
        {"name": f"models/{name}", "displayName": name, "supportedGenerationMethods": list(METHODS)}
        for name in names
    ]
