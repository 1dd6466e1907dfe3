"""Lists of models where there is none at the Gemini API's address. Plain functions, no I/O.

Code Assist    has no list; the models are those it counts a quota for
Vertex AI      lists what a publisher has, under other names; the models are those called Gemini
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from groundwire.errors import UnreadableAnswer
from groundwire.transport.base import Request
from groundwire.transport.gemini_path import METHODS, ModelList

PUBLISHER = "publishers/google/models/"


class _Bucket(msgspec.Struct):
    model: str = msgspec.field(name="modelId", default="")


class _Quota(msgspec.Struct):
    buckets: list[_Bucket] = msgspec.field(default_factory=list)


class _PublisherModel(msgspec.Struct):
    name: str = ""


class _Publisher(msgspec.Struct):
    models: list[_PublisherModel] = msgspec.field(name="publisherModels", default_factory=list)


def quota_url(base_url: str) -> str:
    """Where Code Assist tells the quota of a project, model by model."""
    return f"{base_url}/v1internal:retrieveUserQuota"


def quota_body(project: str) -> bytes:
    """What it is asked there."""
    return msgspec.json.encode({"project": project})


def models_of_quota(body: bytes) -> list[dict[str, Any]]:
    """The models of a quota, as the Gemini API lists models."""
    try:
        quota = msgspec.json.decode(body, type=_Quota)
    except msgspec.DecodeError as error:
        raise UnreadableAnswer("Code Assist told its quota in an unknown form.") from error
    return _described(bucket.model for bucket in quota.buckets)


def publisher_request(address: str, project: str | None) -> Request:
    """Asks Vertex AI for Google's models."""
    # The list belongs to no project, so the project that is charged stands in a header.
    url = f"{address}/v1beta1/publishers/google/models?pageSize=500"
    return Request("GET", url, {"x-goog-user-project": project} if project is not None else {})


def publisher_models(body: bytes) -> list[dict[str, Any]]:
    """The Gemini models of a publisher's list, as the Gemini API lists models."""
    try:
        listed = msgspec.json.decode(body, type=_Publisher)
    except msgspec.DecodeError as error:
        raise UnreadableAnswer("Vertex AI listed its models in an unknown form.") from error
    names = (model.name.removeprefix(PUBLISHER) for model in listed.models)
    return _described(name for name in names if name.startswith("gemini"))


def answered(asked: ModelList, models: list[dict[str, Any]]) -> bytes | None:
    """The answer to a question for models; None when the one that was asked for is not among them."""
    if asked.model is None:
        return msgspec.json.encode({"models": models})
    wanted = f"models/{asked.model}"
    return next((msgspec.json.encode(model) for model in models if model["name"] == wanted), None)


def _described(names: Iterable[str]) -> list[dict[str, Any]]:
    return [
        {"name": f"models/{name}", "displayName": name, "supportedGenerationMethods": list(METHODS)}
        for name in dict.fromkeys(names)
        if name
    ]
