"""Which tools a model gets: the rule of `toolset(model=...)`, for the names OpenHands has for a model."""

from __future__ import annotations

from groundwire.tools.base import Dialect
from groundwire.tools.dialects import dialect_of


def dialect_for(model: str, canonical_name: str | None = None) -> Dialect:
    """The dialect a model knows; `canonical_name` tells what stands behind the alias of a proxy."""
    known = dialect_of(model)
    return dialect_of(canonical_name) if known is Dialect.LEGACY and canonical_name else known
