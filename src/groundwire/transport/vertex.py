"""Vertex AI spoken by those who speak the Gemini API: the same documents at a project's address.

    POST /v1beta/models/M:METHOD      POST /v1beta1/projects/P/locations/L/publishers/google/models/M:METHOD
                                           /v1beta1/publishers/google/models/M:METHOD    in express mode

Plain functions translate one request; the layer `Vertex` translates every request that passes through it.
Answers are the same in both. Everything but generating and counting is elsewhere on Vertex AI: 501, and
nothing is sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import msgspec
from msgspec import Raw

from groundwire.errors import InvalidRequest
from groundwire.transport.base import Request, Response, Transport
from groundwire.transport.gemini_body import counted, fields_of
from groundwire.transport.gemini_path import METHODS, ModelCall, model_call
from groundwire.transport.translating import kept_headers, refusal, unavailable

VERSION = "v1beta1"
MULTI_REGIONS = frozenset({"us", "eu"})

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class VertexProject:
    """Whose models are asked, and where they run. `base_url` None means Google's own servers, `project` None
    express mode, where an API key says whose."""

    project: str | None
    location: str = "global"
    base_url: str | None = None

    @property
    def address(self) -> str:
        """The server of this location."""
        if self.base_url is not None:
            return self.base_url.rstrip("/")
        if self.location == "global":
            return "https://aiplatform.googleapis.com"
        if self.location in MULTI_REGIONS:
            return f"https://aiplatform.{self.location}.rep.googleapis.com"
        return f"https://{self.location}-aiplatform.googleapis.com"


def vertex_url(call: ModelCall, place: VertexProject) -> str:
    """Where a call of a model goes. A key in the query of the old address does not come along."""
    path = f"publishers/google/models/{quote(call.model, safe='-._~')}"
    if place.project is not None:
        project, location = quote(place.project, safe=":"), quote(place.location, safe="")
        path = f"projects/{project}/locations/{location}/{path}"
    return f"{place.address}/{VERSION}/{path}:{call.method}{'?alt=sse' if call.events else ''}"


def vertex_body(call: ModelCall, body: bytes) -> bytes:
    """The body as Vertex AI takes it. InvalidRequest when it is not an object."""
    try:
        request = fields_of(body)
        if call.method == "countTokens":
            request = counted(request)
        request.pop("model", None)  # the Gemini API allows it, here it stands in the address alone
        if "contents" in request:
            request["contents"] = _with_roles(request["contents"])
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidRequest(f"The body of the request is not what {call.method} takes: {error}.") from error
    return _encode(request)


def _with_roles(contents: Raw) -> Raw:
    """Contents in which each says who speaks: the Gemini API takes one that does not for the person's."""
    entries = msgspec.json.decode(contents, type=list[dict[str, Raw]])
    if all("role" in entry for entry in entries):
        return contents
    return Raw(_encode([{"role": "user", **entry} for entry in entries]))


class Vertex:
    """The layer that lets requests for the Gemini API be answered by Vertex AI."""

    def __init__(self, inner: Transport, place: VertexProject) -> None:
        self._inner = inner
        self._place = place

    async def send(self, request: Request) -> Response:
        """Send a request for the Gemini API to Vertex AI."""
        call = model_call(request.url)
        if call is None or call.method not in METHODS or request.method != "POST":
            return refusal(501, unavailable("Vertex AI", request.method, urlsplit(request.url).path))
        return await self._inner.send(
            Request(
                "POST",
                vertex_url(call, self._place),
                kept_headers(request.headers),
                vertex_body(call, request.body),
            )
        )
