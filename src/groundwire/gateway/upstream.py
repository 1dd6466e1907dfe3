"""What stands behind the gateway: a Transport that understands the Gemini API, and what it can do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from groundwire.transport.base import Transport

ListModels = Callable[[], Awaitable[list[dict[str, Any]]]]


@dataclass(frozen=True, slots=True)
class Upstream:
    """One way to Gemini."""

    name: str
    """As it is chosen: api-key, code-assist, vertex."""
    title: str
    """As it is told: Gemini API, Code Assist, Vertex AI."""
    where: str
    """Where its credential was found, for people."""
    transport: Transport
    base_url: str
    """What stands before /v1beta in the addresses that the transport understands."""
    list_models: ListModels | None = None
    """Lists the models, where the upstream has no such list at the Gemini API's address."""
    complete: bool = False
    """Whether it has all of the Gemini API: files, embeddings, caches and what will be invented."""
