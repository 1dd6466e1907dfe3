"""Credential: who may ask a provider, how it shows that, and where it was found."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from groundwire.transport.auth import Authorizer
from groundwire.transport.vertex import VertexProject

CredentialKind = Literal["api_key", "oauth", "adc", "vertex_key"]
"""A key, a sign-in, or Application Default Credentials."""

Clock = Callable[[], float]
"""Gives the time in seconds since 1970, like time.time."""


@dataclass(frozen=True, slots=True)
class Credential:
    """A usable credential of one provider. `where` is for people: "environment variable GEMINI_API_KEY".
    `project` gives the Google Cloud project that goes with a Google sign-in, `vertex` the place on Vertex AI
    that goes with Application Default Credentials or a key of its express mode; others have neither."""

    provider: str
    kind: CredentialKind
    where: str
    authorizer: Authorizer = field(repr=False)
    project: Callable[[], Awaitable[str]] | None = field(default=None, repr=False)
    vertex: VertexProject | None = None
